package io.rollotel.telemetry;

import static io.rollotel.telemetry.Payloads.TRACEPARENT;
import static io.rollotel.telemetry.Payloads.carrying;
import static io.rollotel.telemetry.Payloads.epochNanos;
import static io.rollotel.telemetry.Payloads.headersIn;
import static io.rollotel.telemetry.Payloads.remoteContext;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Writing a context into a payload. */
class InjectTest extends SdkFixture {

  @Test
  void inject_thenExtract_givesTheSendersSpanAsRemoteParent() {
    Span span = startSpan("sender");
    Map<String, Object> metaInfo = new HashMap<>();
    try (Scope scope = span.makeCurrent()) {
      TraceContext.inject(metaInfo);
    }

    SpanContext extracted = Span.fromContext(TraceContext.extract(metaInfo)).getSpanContext();

    assertThat(extracted.getTraceId()).isEqualTo(span.getSpanContext().getTraceId());
    assertThat(extracted.getSpanId()).isEqualTo(span.getSpanContext().getSpanId());
    assertThat(extracted.getTraceFlags()).isEqualTo(TraceFlags.getSampled());
    assertThat(extracted.isRemote()).isTrue();
  }

  @Test
  void injectWithExplicitContext_ignoresTheCurrentOne() {
    Map<String, Object> metaInfo = new HashMap<>();
    try (Scope scope = startSpan("current").makeCurrent()) {
      TraceContext.inject(metaInfo, remoteContext(TraceState.getDefault()));
    }
    assertThat(headersIn(metaInfo)).containsEntry("traceparent", TRACEPARENT);
  }

  @Test
  void inject_returnsTheSameMapWithItsOtherEntries() {
    Map<String, Object> metaInfo = new HashMap<>(Map.of("step", 7));
    assertThat(TraceContext.inject(metaInfo)).isSameAs(metaInfo);
    assertThat(TraceContext.inject(metaInfo, Context.root())).isSameAs(metaInfo);
    assertThat(metaInfo).containsEntry("step", 7).containsOnlyKeys("step", "_otel_ctx");
  }

  @Test
  void inject_writesRollsKeysAndTheSendTime() {
    TraceState state = TraceState.builder().put("vendor", "v1").build();
    BigInteger before = epochNanos();
    Map<String, Object> metaInfo = TraceContext.inject(new HashMap<>(), remoteContext(state));
    BigInteger after = epochNanos();

    Map<String, String> headers = headersIn(metaInfo);
    assertThat(headers).containsOnlyKeys("traceparent", "tracestate", "roll.sent_at");
    assertThat(headers)
        .containsEntry("traceparent", TRACEPARENT)
        .containsEntry("tracestate", "vendor=v1");
    assertThat(headers.get("roll.sent_at")).matches("[1-9][0-9]{18}");
    assertThat(new BigInteger(headers.get("roll.sent_at"))).isBetween(before, after);
  }

  @Test
  void injectWithoutCurrentSpan_writesTheKeyWithoutTraceparent() {
    Map<String, Object> metaInfo = TraceContext.inject(new HashMap<>());
    assertThat(headersIn(metaInfo)).containsOnlyKeys("roll.sent_at");
  }

  @Test
  void injectInsideSuppression_removesAStaleContextAndWritesNone() {
    Map<String, Object> stale = new HashMap<>();
    TraceContext.inject(stale, remoteContext(TraceState.getDefault()));
    stale.put("step", 7);
    Map<String, Object> clean = new HashMap<>();

    Context suppressed = TraceContext.suppress(remoteContext(TraceState.getDefault()));
    TraceContext.inject(stale, suppressed);
    TraceContext.inject(clean, suppressed);

    assertThat(stale).containsOnlyKeys("step");
    assertThat(clean).isEmpty();
  }

  @Test
  void injectIntoUnmodifiableMap_leavesItAlone() {
    Map<String, Object> empty = Map.of();
    Map<String, Object> withKey = Collections.unmodifiableMap(carrying(TRACEPARENT));
    Map<String, Object> before = Map.copyOf(withKey);

    try (Stderr stderr = new Stderr()) {
      assertThat(TraceContext.inject(empty, remoteContext(TraceState.getDefault())))
          .isSameAs(empty);
      assertThat(TraceContext.inject(withKey, TraceContext.suppress(Context.root())))
          .isSameAs(withKey);
    }

    assertThat(empty).isEmpty();
    assertThat(withKey).isEqualTo(before);
  }

  @Test
  void injectIntoUnmodifiableMap_isLoggedOnce() throws Exception {
    FreshTelemetry fresh = new FreshTelemetry();
    try (Stderr stderr = new Stderr()) {
      fresh.call("TraceContext", "inject", Map.class, Map.of());
      fresh.call("TraceContext", "inject", Map.class, Map.of());
      assertThat(stderr.lines())
          .filteredOn(line -> !line.contains("without -javaagent"))
          .singleElement()
          .asString()
          .startsWith("[roll-otel] ")
          .contains("meta_info", "UnsupportedOperationException");
    }
  }

  @Test
  void injectIntoNull_givesNullBack() {
    try (Stderr stderr = new Stderr()) {
      assertThat(TraceContext.inject(null)).isNull();
    }
  }

  @Test
  void injectTwice_neverChangesTheCarrierThatIsAlreadySent() {
    Map<String, Object> metaInfo = new HashMap<>();
    TraceContext.inject(metaInfo, remoteContext(TraceState.getDefault()));
    Object first = metaInfo.get("_otel_ctx");
    Map<String, String> asSent = new HashMap<>(headersIn(metaInfo));

    try (Scope scope = startSpan("second").makeCurrent()) {
      TraceContext.inject(metaInfo);
    }

    assertThat(metaInfo.get("_otel_ctx")).isNotSameAs(first);
    assertThat(first).isEqualTo(asSent);
  }

  @Test
  void injectBySeveralThreadsIntoOnePayload_alwaysShowsAWholeCarrier() throws Exception {
    Map<String, Object> metaInfo = new ConcurrentHashMap<>(carrying(TRACEPARENT));
    ExecutorService senders = Executors.newFixedThreadPool(3);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int sender = 0; sender < 3; sender++) {
        all.add(
            senders.submit(
                () -> {
                  Context own = Context.root().with(startSpan("sender"));
                  for (int i = 0; i < 500; i++) {
                    TraceContext.inject(metaInfo, own);
                    assertThat(Span.fromContext(TraceContext.extract(metaInfo)).getSpanContext())
                        .matches(SpanContext::isValid);
                  }
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      senders.shutdownNow();
    }
    assertThat(headersIn(metaInfo)).containsKeys("traceparent", "roll.sent_at");
  }

  @Test
  void injectedPayload_survivesJavaSerialization() throws Exception {
    HashMap<String, Object> metaInfo = new HashMap<>();
    TraceContext.inject(metaInfo, remoteContext(TraceState.getDefault()));
    ByteArrayOutputStream wire = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(wire)) {
      out.writeObject(metaInfo);
    }
    Map<?, ?> arrived;
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(wire.toByteArray()))) {
      arrived = (Map<?, ?>) in.readObject();
    }
    assertThat(arrived).isEqualTo(metaInfo);
  }
}
