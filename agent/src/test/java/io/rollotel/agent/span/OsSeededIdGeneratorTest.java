package io.rollotel.agent.span;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class OsSeededIdGeneratorTest {

  private static final int MANY = 20_000;

  @Test
  void ids_areValid() {
    OsSeededIdGenerator ids = OsSeededIdGenerator.create();
    for (int i = 0; i < MANY; i++) {
      assertThat(ids.generateTraceId()).matches(TraceId::isValid);
      assertThat(ids.generateSpanId()).matches(SpanId::isValid);
    }
  }

  @Test
  void idsOfSeveralThreads_areAllDifferent() throws Exception {
    OsSeededIdGenerator ids = OsSeededIdGenerator.create();
    Set<String> traceIds = ConcurrentHashMap.newKeySet();
    Set<String> spanIds = ConcurrentHashMap.newKeySet();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        all.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < MANY; i++) {
                    traceIds.add(ids.generateTraceId());
                    spanIds.add(ids.generateSpanId());
                  }
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(traceIds).hasSize(4 * MANY);
    assertThat(spanIds).hasSize(4 * MANY);
  }

  @Test
  void rootWithATraceIdOfItsOwn_hasThatId_andTheNextOneDoesNot() {
    String given = "0123456789abcdef0123456789abcdef";
    try (SdkTracerProvider provider =
        SdkTracerProvider.builder().setIdGenerator(OsSeededIdGenerator.create()).build()) {
      Tracer tracer = provider.get("test");

      Span root = OsSeededIdGenerator.start(tracer.spanBuilder("root"), given);
      Span child =
          OsSeededIdGenerator.start(
              tracer.spanBuilder("child").setParent(Context.root().with(root)), "f".repeat(32));
      Span next = OsSeededIdGenerator.start(tracer.spanBuilder("next"), null);

      assertThat(root.getSpanContext().getTraceId()).isEqualTo(given);
      assertThat(child.getSpanContext().getTraceId()).isEqualTo(given);
      assertThat(next.getSpanContext().getTraceId()).isNotEqualTo(given);
    }
  }

  @Test
  void everyDigit_takesEveryValue() {
    OsSeededIdGenerator ids = OsSeededIdGenerator.create();
    List<Set<Character>> seen = new ArrayList<>();
    for (int digit = 0; digit < 48; digit++) {
      seen.add(new HashSet<>());
    }
    for (int i = 0; i < 2_000; i++) {
      String both = ids.generateTraceId() + ids.generateSpanId();
      for (int digit = 0; digit < 48; digit++) {
        seen.get(digit).add(both.charAt(digit));
      }
    }
    assertThat(seen).allSatisfy(values -> assertThat(values).hasSize(16));
  }
}
