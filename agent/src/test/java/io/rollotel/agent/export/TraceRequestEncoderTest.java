package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.internal.otlp.traces.TraceRequestMarshaler;
import io.opentelemetry.sdk.common.Clock;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.span.ExceptionAttributes;
import io.rollotel.agent.span.OsSeededIdGenerator;
import io.rollotel.agent.span.RecorderSpanProcessor;
import io.rollotel.agent.span.SpanResource;
import io.rollotel.agent.span.Thinning;
import io.rollotel.agent.span.Traceparent;
import io.rollotel.agent.span.WorkerMethodSpan;
import io.rollotel.agent.span.WorkerTracer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TraceRequestEncoderTest {

  private static final List<Attributes> ATTRIBUTES =
      List.of(
          Attributes.empty(),
          Attributes.of(AttributeKey.stringKey("text"), "é\u4e2d\ud83d\ude00 and ASCII"),
          Attributes.builder()
              .put("long.text", "x".repeat(20_000))
              .put("long.text.not.ascii", "y".repeat(200) + "ü")
              .put("zero", 0L)
              .put("negative", -7L)
              .put("floating", -0.5)
              .put("yes", true)
              .put("no", false)
              .build(),
          Attributes.builder()
              .put(AttributeKey.stringArrayKey("texts"), List.of("a", "ö"))
              .put(AttributeKey.longArrayKey("numbers"), List.of(0L, Long.MIN_VALUE))
              .put(AttributeKey.doubleArrayKey("floatings"), List.of(0.0, Double.NaN))
              .put(AttributeKey.booleanArrayKey("flags"), List.of(true, false))
              .put(AttributeKey.stringArrayKey("none"), List.of())
              .put(AttributeKey.stringArrayKey("gap"), Arrays.asList("a", null))
              .build());

  private final SpanLimits limits =
      SpanLimits.builder()
          .setMaxNumberOfEvents(3)
          .setMaxNumberOfLinks(3)
          .setMaxNumberOfAttributes(6)
          .setMaxNumberOfAttributesPerEvent(2)
          .setMaxNumberOfAttributesPerLink(2)
          .build();

  private final Resource resource =
      Resource.create(
          Attributes.of(AttributeKey.stringKey("service.name"), "x"), "https://example.com/schema");

  private final SdkTracerProvider provider =
      SdkTracerProvider.builder().setResource(resource).setSpanLimits(limits).build();

  private final WorkerTracer tracer =
      new WorkerTracer(
          provider.get("worker"),
          InstrumentationScopeInfo.create("worker"),
          SpanResource.whole(resource),
          limits,
          SpanProcessor.composite(),
          Sampler.parentBased(Sampler.alwaysOn()),
          Clock.getDefault(),
          OsSeededIdGenerator.create(),
          new Ledger(),
          RecorderSpanProcessor.none(SpanProcessor.composite()),
          new ExceptionAttributes(),
          new Thinning(new Ledger()));

  @Test
  void anyWorkerSpan_isTheBytesThatTheSdkMakesOfIt() throws Exception {
    TraceRequestEncoder request = new TraceRequestEncoder();
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      List<SpanData> batch = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        batch.add(filled(workerSpan(random), random));
      }
      assertThat(request.of(batch)).as("seed %d", seed).isEqualTo(bySdk(batch));
    }
  }

  @Test
  void spanOfTheApplication_isTheBytesThatTheSdkMakesOfIt() throws Exception {
    TraceRequestEncoder request = new TraceRequestEncoder();
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      Span span =
          provider
              .tracerBuilder("application")
              .setInstrumentationVersion("1")
              .setSchemaUrl("https://example.com/scope")
              .build()
              .spanBuilder("by hand")
              .setSpanKind(SpanKind.values()[random.nextInt(5)])
              .startSpan();
      List<SpanData> batch = List.of(filled(span, random));
      assertThat(request.of(batch)).as("seed %d", seed).isEqualTo(bySdk(batch));
    }
  }

  /** The SDK leaves out an empty text's type, and so the value. */
  @Test
  void emptyText_staysText() {
    WorkerMethodSpan span = workerSpan(new Random(1));
    span.setAttribute("empty", "");
    span.end();
    assertThat(new TraceRequestEncoder().of(List.of(span.toSpanData())))
        .containsSequence(10, 5, 'e', 'm', 'p', 't', 'y', 18, 2, 10, 0);
  }

  @Test
  void scopesMixed_areGroupedAndNoSpanIsLost() {
    Random random = new Random(1);
    List<SpanData> mixed = new ArrayList<>();
    List<SpanData> ordered = new ArrayList<>();
    List<SpanData> application = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      SpanData worker = filled(workerSpan(random), random);
      SpanData other = filled(provider.get("other").spanBuilder("s").startSpan(), random);
      mixed.add(worker);
      mixed.add(other);
      ordered.add(worker);
      application.add(other);
    }
    ordered.addAll(application);
    assertThat(new TraceRequestEncoder().of(mixed))
        .isEqualTo(new TraceRequestEncoder().of(ordered));
  }

  private WorkerMethodSpan workerSpan(Random random) {
    WorkerMethodSpan.Kind kind =
        new WorkerMethodSpan.Kind(
            tracer,
            "worker.train",
            SpanKind.values()[random.nextInt(5)],
            ATTRIBUTES.get(random.nextInt(2)));
    Traceparent sender =
        Traceparent.of(
            Map.of("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
    assertThat(sender).isNotNull();
    return switch (random.nextInt(4)) {
      case 0 -> WorkerMethodSpan.root(kind);
      case 1 -> WorkerMethodSpan.below(kind, sender, 5);
      case 2 ->
          WorkerMethodSpan.below(kind, WorkerMethodSpan.below(kind, sender, 0), Context.root());
      default -> WorkerMethodSpan.below(kind, Span.wrap(remote(random)), Context.root());
    };
  }

  private static SpanContext remote(Random random) {
    return SpanContext.createFromRemoteParent(
        String.format("%016x%016x", random.nextLong() | 1, random.nextLong()),
        String.format("%016x", random.nextLong() | 1),
        TraceFlags.getSampled(),
        random.nextBoolean()
            ? TraceState.getDefault()
            : TraceState.builder().put("a", "b").put("c", "d").build());
  }

  private static SpanData filled(Span span, Random random) {
    ATTRIBUTES
        .get(random.nextInt(ATTRIBUTES.size()))
        .forEach((key, value) -> put(span, key, value));
    for (int i = random.nextInt(5); i > 0; i--) {
      span.addEvent("event", ATTRIBUTES.get(random.nextInt(3)), i, TimeUnit.SECONDS);
      span.addLink(remote(random), ATTRIBUTES.get(random.nextInt(3)));
    }
    if (random.nextInt(4) == 0) {
      span.recordException(new IllegalStateException("planted"));
    }
    switch (random.nextInt(4)) {
      case 0 -> span.setStatus(StatusCode.ERROR, "refused");
      case 1 -> span.setStatus(StatusCode.ERROR);
      case 2 -> span.setStatus(StatusCode.OK);
      default -> {}
    }
    span.end();
    return ((ReadableSpan) span).toSpanData();
  }

  @SuppressWarnings("unchecked") // the pair comes from one set of attributes
  private static <T> void put(Span span, AttributeKey<T> key, Object value) {
    span.setAttribute(key, (T) value);
  }

  private static byte[] bySdk(List<SpanData> batch) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    TraceRequestMarshaler.create(batch).writeBinaryTo(out);
    return out.toByteArray();
  }
}
