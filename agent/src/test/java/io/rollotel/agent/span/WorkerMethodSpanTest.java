package io.rollotel.agent.span;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.testing.time.TestClock;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.internal.ExtendedSpanProcessor;
import io.opentelemetry.sdk.trace.internal.SdkTracerProviderUtil;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.rollotel.agent.ledger.Ledger;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link WorkerMethodSpan} beside the SDK's span: whatever is done to both, both tell the same. */
class WorkerMethodSpanTest {

  private static final int SEQUENCES = 10_000;
  private static final int LONGEST = 40;

  private static final AttributeKey<String> FUNCTION = AttributeKey.stringKey("code.function.name");
  private static final Resource RESOURCE =
      Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), "test"));
  private static final Map<String, String> SENDER =
      Map.of("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");

  private final TestClock clock = TestClock.create();

  @Test
  void everyMethodOfTheInterface_isCompared() {
    Set<String> methods =
        Arrays.stream(ReadWriteSpan.class.getMethods())
            .filter(method -> !Modifier.isStatic(method.getModifiers()))
            .map(SpanOperation::signature)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(SpanOperation.ALL.keySet()).containsExactlyInAnyOrderElementsOf(methods);
  }

  /** What the SDK's own span overrides has a reason; the defaults of old APIs may lack it. */
  @Test
  void methodsOfTheSdksSpan_areThereAsWell() throws Exception {
    for (Method method : Class.forName("io.opentelemetry.sdk.trace.SdkSpan").getDeclaredMethods()) {
      if (Modifier.isPublic(method.getModifiers()) && !method.isBridge()) {
        Method ours =
            WorkerMethodSpan.class.getMethod(method.getName(), method.getParameterTypes());
        assertThat(ours.getDeclaringClass().getPackage())
            .isEqualTo(WorkerMethodSpan.class.getPackage());
      }
    }
  }

  @Tag("campaign")
  @Test
  void sequencesOfOperations_tellTheSameAsTheSdksSpan() {
    List<SpanOperation> operations = List.copyOf(SpanOperation.ALL.values());
    List<String> names = List.copyOf(SpanOperation.ALL.keySet());
    for (int seed = 0; seed < SEQUENCES; seed++) {
      Random random = new Random(seed);
      Pair pair = new Pair(random);
      List<String> done = new ArrayList<>();
      int length = random.nextInt(LONGEST);
      for (int i = 0; i < length; i++) {
        int drawn = random.nextInt(operations.size());
        long operationSeed = random.nextLong();
        done.add(names.get(drawn));
        Object ofSdk = operations.get(drawn).on(pair.sdk, new Random(operationSeed));
        Object ofOurs = operations.get(drawn).on(pair.ours, new Random(operationSeed));
        if (ofOurs == null ? ofSdk != null : !ofOurs.equals(ofSdk)) {
          assertThat(ofOurs).as("sequence %d: %s", seed, done).isEqualTo(ofSdk);
        }
        clock.advance(Duration.ofNanos(random.nextInt(1_000_000)));
      }
      pair.sdk.end();
      pair.ours.end();
      Map<String, @Nullable Object> ofSdk = SpanOperation.ofData(pair.sdk.toSpanData());
      Map<String, @Nullable Object> ofOurs = SpanOperation.ofData(pair.ours.toSpanData());
      if (!ofOurs.equals(ofSdk)) {
        assertThat(ofOurs).as("sequence %d: %s", seed, done).isEqualTo(ofSdk);
      }
      assertThat(pair.toldOfOurs).as("sequence %d: %s", seed, done).isEqualTo(pair.toldOfSdk);
      pair.checkParents();
    }
  }

  @Test
  void contexts_equalTheApisOwnBothWays() {
    WorkerTracer tracer = tracer(new Told(false, new ArrayList<>()));
    WorkerMethodSpan span = WorkerMethodSpan.below(kind(tracer), sender(), 0);
    SpanContext made =
        SpanContext.create(
            "0af7651916cd43dd8448eb211c80319c",
            span.getSpanContext().getSpanId(),
            TraceFlags.getSampled(),
            TraceState.getDefault());
    assertThat(span.getSpanContext()).isEqualTo(made).hasSameHashCodeAs(made);
    assertThat(made).isEqualTo(span.getSpanContext());
    SpanContext parent =
        SpanContext.createFromRemoteParent(
            "0af7651916cd43dd8448eb211c80319c",
            "b7ad6b7169203331",
            TraceFlags.getSampled(),
            TraceState.getDefault());
    assertThat(span.getParentSpanContext()).isEqualTo(parent).hasSameHashCodeAs(parent);
    assertThat(parent).isEqualTo(span.getParentSpanContext());
  }

  /** The decision is predicted for only two kinds of {@link Sampler}. */
  @Test
  void samplersThatHaveToBeAsked_areAsked() {
    Sampler ratio = Sampler.traceIdRatioBased(0.5);
    assertThat(tracer(Sampler.parentBased(Sampler.alwaysOn())))
        .matches(WorkerTracer::followsParent)
        .matches(WorkerTracer::samplesRoots);
    assertThat(tracer(Sampler.parentBased(ratio)))
        .matches(WorkerTracer::followsParent)
        .matches(tracer -> !tracer.samplesRoots());
    assertThat(
            List.of(
                ratio,
                Sampler.alwaysOn(),
                Sampler.alwaysOff(),
                Sampler.parentBasedBuilder(ratio)
                    .setRemoteParentSampled(Sampler.alwaysOff())
                    .build(),
                Sampler.parentBasedBuilder(Sampler.alwaysOn())
                    .setLocalParentNotSampled(Sampler.alwaysOn())
                    .build()))
        .noneMatch(sampler -> tracer(sampler).followsParent());
  }

  @Test
  void manyThreads_loseNothingAndEndOnce() throws Exception {
    int threads = 4;
    int each = 30;
    for (int round = 0; round < 200; round++) {
      List<Object> told = Collections.synchronizedList(new ArrayList<>());
      WorkerMethodSpan span = WorkerMethodSpan.root(kind(tracer(new Told(false, told))));
      CyclicBarrier written = new CyclicBarrier(threads);
      List<FutureTask<?>> tasks = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        String prefix = "thread" + i + ".";
        FutureTask<?> task =
            new FutureTask<>(
                () -> {
                  for (int n = 0; n < each; n++) {
                    span.setAttribute(prefix + n, n);
                    span.addEvent("event");
                  }
                  written.await(10, TimeUnit.MINUTES);
                  span.end();
                  return null;
                });
        tasks.add(task);
        new Thread(task).start();
      }
      for (FutureTask<?> task : tasks) {
        task.get();
      }
      assertThat(told).containsOnlyOnce("end worker.train");
      assertThat(span.toSpanData().getTotalAttributeCount()).isEqualTo(1 + threads * each);
      assertThat(span.toSpanData().getAttributes().size()).isEqualTo(1 + threads * each);
      assertThat(span.toSpanData().getEvents()).hasSize(threads * each);
    }
  }

  private static Traceparent sender() {
    Traceparent sender = Traceparent.of(SENDER);
    if (sender == null) {
      throw new AssertionError("not understood");
    }
    return sender;
  }

  private WorkerTracer tracer(SpanProcessor processor) {
    return tracer(SpanLimits.getDefault(), processor);
  }

  private WorkerTracer tracer(Sampler sampler) {
    return tracer(SpanLimits.getDefault(), SpanProcessor.composite(), sampler);
  }

  private WorkerTracer tracer(SpanLimits limits, SpanProcessor processor) {
    return tracer(limits, processor, Sampler.parentBased(Sampler.alwaysOn()));
  }

  private WorkerTracer tracer(SpanLimits limits, SpanProcessor processor, Sampler sampler) {
    return new WorkerTracer(
        SdkTracerProvider.builder().build().get("worker"),
        InstrumentationScopeInfo.create("worker"),
        SpanResource.whole(RESOURCE),
        limits,
        processor,
        sampler,
        clock,
        OsSeededIdGenerator.create(),
        new Ledger(),
        RecorderSpanProcessor.none(processor),
        new ExceptionAttributes(),
        new Thinning(new Ledger()));
  }

  private static WorkerMethodSpan.Kind kind(WorkerTracer tracer) {
    return new WorkerMethodSpan.Kind(
        tracer, "worker.train", SpanKind.CONSUMER, Attributes.of(FUNCTION, "Worker.train"));
  }

  private static SpanLimits limits(Random random) {
    return switch (random.nextInt(4)) {
      case 0 ->
          SpanLimits.builder()
              .setMaxNumberOfAttributes(1 + random.nextInt(20))
              .setMaxNumberOfAttributesPerEvent(1)
              .setMaxNumberOfAttributesPerLink(1)
              .setMaxNumberOfEvents(2)
              .setMaxNumberOfLinks(2)
              .build();
      case 1 -> SpanLimits.builder().setMaxAttributeValueLength(random.nextInt(12)).build();
      default -> SpanLimits.getDefault();
    };
  }

  /** The same call as the SDK starts it and as we do. */
  private final class Pair {

    final List<Object> toldOfSdk = new ArrayList<>();
    final List<Object> toldOfOurs = new ArrayList<>();
    final ReadWriteSpan sdk;
    final ReadWriteSpan ours;
    private @Nullable Span parentOfOurs;

    Pair(Random random) {
      SpanLimits limits = limits(random);
      boolean extended = random.nextBoolean();
      SdkTracerProviderBuilder builtSo =
          SdkTracerProvider.builder()
              .setClock(clock)
              .setResource(RESOURCE)
              .setSpanLimits(limits)
              .addSpanProcessor(new Told(extended, toldOfSdk));
      SdkTracerProviderUtil.setExceptionAttributeResolver(builtSo, new ExceptionAttributes());
      SdkTracerProvider provider = builtSo.build();
      WorkerTracer tracer = tracer(limits, new Told(extended, toldOfOurs));
      WorkerMethodSpan.Kind kind = kind(tracer);
      long sentAtEpochNanos = random.nextBoolean() ? 0 : clock.now() - random.nextInt(1000);
      Context sdkParent = Context.root();
      WorkerMethodSpan made;
      switch (random.nextInt(4)) {
        case 0 -> made = WorkerMethodSpan.root(kind);
        case 1 -> {
          Traceparent sender = sender();
          SpanContext remote =
              SpanContext.createFromRemoteParent(
                  SENDER.get("traceparent").substring(3, 35),
                  SENDER.get("traceparent").substring(36, 52),
                  TraceFlags.getSampled(),
                  TraceState.getDefault());
          sdkParent = sdkParent.with(Span.wrap(remote));
          parentOfOurs = Span.wrap(remote);
          made = WorkerMethodSpan.below(kind, sender, sentAtEpochNanos);
        }
        case 2 -> {
          // Another tracer's span, and a worker span below it, which inherits the ids as text.
          SpanContext foreign =
              SpanContext.create(
                  "0af7651916cd43dd8448eb211c80319c",
                  "b7ad6b7169203331",
                  TraceFlags.getSampled(),
                  TraceState.builder().put("vendor", "value").build());
          sdkParent =
              sdkParent.with(
                  provider
                      .get("worker")
                      .spanBuilder("outer")
                      .setParent(sdkParent.with(Span.wrap(foreign)))
                      .startSpan());
          parentOfOurs = WorkerMethodSpan.below(kind, Span.wrap(foreign), Context.root());
          clock.advance(Duration.ofMillis(random.nextInt(300)));
          made = WorkerMethodSpan.below(kind, parentOfOurs, Context.root());
        }
        default -> {
          sdkParent =
              sdkParent.with(provider.get("worker").spanBuilder("outer").setNoParent().startSpan());
          parentOfOurs = WorkerMethodSpan.root(kind);
          clock.advance(Duration.ofMillis(random.nextInt(300)));
          made = WorkerMethodSpan.below(kind, parentOfOurs, Context.root());
        }
      }
      toldOfSdk.clear();
      SpanBuilder builder =
          provider
              .get("worker")
              .spanBuilder("worker.train")
              .setParent(sdkParent)
              .setSpanKind(SpanKind.CONSUMER)
              .setAttribute(FUNCTION, "Worker.train");
      if (sentAtEpochNanos != 0 && Span.fromContext(sdkParent).getSpanContext().isRemote()) {
        builder.setAttribute(WorkerMethodSpan.QUEUE_NANOS, clock.now() - sentAtEpochNanos);
      }
      sdk = (ReadWriteSpan) builder.startSpan();
      made.start(Context.root());
      ours = made;
    }

    void checkParents() {
      if (parentOfOurs != null) {
        assertThat(ours.getParentSpanContext()).isEqualTo(parentOfOurs.getSpanContext());
        assertThat(parentOfOurs.getSpanContext()).isEqualTo(ours.getParentSpanContext());
        assertThat(ours.getSpanContext().getTraceId())
            .isEqualTo(parentOfOurs.getSpanContext().getTraceId());
      }
    }
  }

  /** What a processor is told, and can and cannot change then. */
  private static final class Told implements ExtendedSpanProcessor {

    private final boolean extended;
    private final List<Object> told;

    Told(boolean extended, List<Object> told) {
      this.extended = extended;
      this.told = told;
    }

    @Override
    public void onStart(Context parentContext, ReadWriteSpan span) {
      told.add("start " + span.getName());
      span.setAttribute("started", true);
    }

    @Override
    public boolean isStartRequired() {
      return true;
    }

    @Override
    public void onEnding(ReadWriteSpan span) {
      told.add("ending " + span.hasEnded() + " " + span.isRecording() + span.getLatencyNanos());
      span.setAttribute("ending", true);
      span.addEvent("ending");
      span.end();
    }

    @Override
    public boolean isOnEndingRequired() {
      return extended;
    }

    @Override
    public void onEnd(ReadableSpan span) {
      told.add("end worker.train");
      told.add(SpanOperation.ofData(span.toSpanData()));
      ((ReadWriteSpan) span).setAttribute("ended", true);
    }

    @Override
    public boolean isEndRequired() {
      return true;
    }
  }
}
