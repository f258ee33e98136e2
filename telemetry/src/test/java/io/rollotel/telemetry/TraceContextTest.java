package io.rollotel.telemetry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.Scope;
import io.rollotel.telemetry.internal.Propagation;
import io.rollotel.telemetry.internal.Suppression;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.math.BigInteger;
import java.time.Instant;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest extends SdkFixture {

  private static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN_ID = "b7ad6b7169203331";
  private static final String TRACEPARENT = "00-" + TRACE_ID + "-" + SPAN_ID + "-01";

  // ---- inject

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

  // ---- suppression

  @Test
  void spanWithAParentOfItsOwn_isSuppressedByWhatIsCurrentUnlessReleased() {
    Context parent = remoteContext(TraceState.getDefault());
    assertThat(Suppression.isSpanSuppressed(parent)).isFalse();
    assertThat(Suppression.isSpanSuppressed(TraceContext.suppress(parent))).isTrue();
    try (Scope scope = TraceContext.suppress(Context.root()).makeCurrent()) {
      assertThat(Suppression.isSpanSuppressed(parent)).isTrue();
      assertThat(Suppression.isSpanSuppressed(Context.root())).isTrue();
      assertThat(Suppression.isSpanSuppressed(Suppression.release(parent))).isFalse();
    }
    Context again = TraceContext.suppress(Suppression.release(parent));
    assertThat(TraceContext.isSuppressed(Suppression.release(parent))).isFalse();
    assertThat(TraceContext.isSuppressed(again)).isTrue();
  }

  // ---- extract: good ones

  @Test
  void extract_keepsTheTracestate() {
    Map<String, Object> metaInfo = carrying(TRACEPARENT, "tracestate", "a=1,b=2");
    SpanContext extracted = Span.fromContext(TraceContext.extract(metaInfo)).getSpanContext();
    assertThat(extracted.getTraceState().asMap()).isEqualTo(Map.of("a", "1", "b", "2"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        TRACEPARENT,
        "00-" + TRACE_ID + "-" + SPAN_ID + "-00",
        "01-" + TRACE_ID + "-" + SPAN_ID + "-01",
        // A later version may have more behind the flags: W3C says to read what is known.
        "cc-" + TRACE_ID + "-" + SPAN_ID + "-01-what-the-future-brings"
      })
  void extractOfValidTraceparent_givesThatParent(String traceparent) {
    Span parent = Span.fromContext(TraceContext.extract(carrying(traceparent)));
    assertThat(parent.getSpanContext().getTraceId()).isEqualTo(TRACE_ID);
    assertThat(parent.getSpanContext().getSpanId()).isEqualTo(SPAN_ID);
  }

  @ParameterizedTest
  @MethodSource("unreadableTracestates")
  void extractWithUnreadableTracestate_keepsTheParent(Object tracestate) {
    Map<String, Object> metaInfo = carrying(TRACEPARENT, "tracestate", tracestate);
    SpanContext parent = Span.fromContext(TraceContext.extract(metaInfo)).getSpanContext();
    assertThat(parent.getTraceId()).isEqualTo(TRACE_ID);
    assertThat(parent.getTraceState().isEmpty()).isTrue();
  }

  static Stream<Object> unreadableTracestates() {
    return Stream.of("k=" + "v".repeat(5_000_000), "no equals sign", 17, List.of("a=1"), "\u0000=");
  }

  @Test
  void extractOntoABase_keepsTheBasesOtherValues() {
    ContextKey<String> key = ContextKey.named("base");
    Context base = Context.root().with(key, "value");
    Context extracted = Propagation.extract(Propagation.carrier(carrying(TRACEPARENT)), base);
    assertThat(extracted.get(key)).isEqualTo("value");
    assertThat(Span.fromContext(extracted).getSpanContext().getTraceId()).isEqualTo(TRACE_ID);
    assertThat(Propagation.extract("nonsense", base)).isSameAs(base);
  }

  // ---- extract: bad ones

  @Test
  void extractOfNullOrWithoutKey_givesRootAndCountsNothing() {
    long before = TraceContext.ignored();
    assertThat(TraceContext.extract(null)).isSameAs(Context.root());
    assertThat(TraceContext.extract(Map.of())).isSameAs(Context.root());
    assertThat(TraceContext.extract(Map.of("step", 7))).isSameAs(Context.root());
    assertThat(TraceContext.extract(Map.of("_otel_ctx", Map.of()))).isSameAs(Context.root());
    assertThat(TraceContext.ignored()).isEqualTo(before);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("nonsense")
  void extractOfNonsense_givesRootAndCountsIt(String what, Map<String, ?> metaInfo) {
    long before = TraceContext.ignored();
    // What is current must not shine through either.
    try (Scope scope = startSpan("current").makeCurrent()) {
      assertThat(TraceContext.extract(metaInfo)).isSameAs(Context.root());
    }
    assertThat(TraceContext.ignored()).isEqualTo(before + 1);
  }

  static Stream<Arguments> nonsense() {
    List<Arguments> all = new ArrayList<>();
    Map<String, Object> wrongCarriers = new TreeMap<>();
    wrongCarriers.put("a string", TRACEPARENT);
    wrongCarriers.put("a number", 42);
    wrongCarriers.put("a list", List.of(TRACEPARENT));
    wrongCarriers.put("an array", new Object[] {"traceparent", TRACEPARENT});
    wrongCarriers.put("bytes", TRACEPARENT.getBytes(UTF_8));
    wrongCarriers.put("an object", new Object());
    wrongCarriers.put("a giant string", "x".repeat(20_000_000));
    wrongCarriers.put("a map that throws", new ThrowingMap<>(IllegalStateException::new));
    wrongCarriers.put("a map that recurses", new ThrowingMap<>(StackOverflowError::new));
    wrongCarriers.put("a TreeMap of integers", new TreeMap<>(Map.of(1, TRACEPARENT)));
    wrongCarriers.forEach(
        (what, carrier) -> all.add(arguments("carrier: " + what, Map.of("_otel_ctx", carrier))));

    Map<String, Object> wrongValues = new TreeMap<>();
    wrongValues.put("a number", 42);
    wrongValues.put("a list", List.of(TRACEPARENT));
    wrongValues.put("characters", TRACEPARENT.toCharArray());
    wrongValues.put("bytes", TRACEPARENT.getBytes(UTF_8));
    wrongValues.put("a builder", new StringBuilder(TRACEPARENT));
    wrongValues.put("a giant string", TRACEPARENT + "0".repeat(20_000_000));
    wrongValues.put(
        "a giant string of a later version",
        "cc" + TRACEPARENT.substring(2) + "-" + "0".repeat(20_000_000));
    wrongValues.put("null", null);
    wrongValues.put("empty", "");
    wrongValues.forEach(
        (what, value) -> all.add(arguments("traceparent: " + what, carrying(value))));

    Map<String, Object> cyclic = new HashMap<>();
    cyclic.put("traceparent", cyclic);
    cyclic.put("_otel_ctx", cyclic);
    all.add(arguments("cyclic map", cyclic));

    all.add(arguments("meta_info throws", new ThrowingMap<>(IllegalStateException::new)));
    all.add(arguments("meta_info recurses", new ThrowingMap<>(StackOverflowError::new)));
    // Its comparator takes the keys for numbers.
    TreeMap<String, Object> byNumber = new TreeMap<>(Comparator.comparing(Integer::valueOf));
    byNumber.put("1", TRACEPARENT);
    all.add(arguments("meta_info with a comparator of its own", byNumber));
    return all.stream();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "00",
        "00-",
        "00-" + TRACE_ID,
        "00-" + TRACE_ID + "-" + SPAN_ID,
        "00-" + TRACE_ID + "-" + SPAN_ID + "-",
        "00-" + TRACE_ID + "-" + SPAN_ID + "-1",
        "00-" + TRACE_ID + "-" + SPAN_ID + "-0g",
        "00-" + TRACE_ID + "-" + SPAN_ID + "-011",
        "00-" + TRACE_ID + "-" + SPAN_ID + "-01-more",
        "00-00000000000000000000000000000000-" + SPAN_ID + "-01",
        "00-" + TRACE_ID + "-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-" + SPAN_ID + "-01",
        "00-" + TRACE_ID + "-B7AD6B7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319-" + SPAN_ID + "-01",
        "00-" + TRACE_ID + "0-" + SPAN_ID + "-01",
        "00-0af7651916cd43dd8448eb211c80319g-" + SPAN_ID + "-01",
        "00-0af7651916cd43dd8448eb211c80319\uff11-" + SPAN_ID + "-01",
        "00-0af7651916cd43dd8448eb211c80319\u0000-" + SPAN_ID + "-01",
        "00_" + TRACE_ID + "_" + SPAN_ID + "_01",
        "ff-" + TRACE_ID + "-" + SPAN_ID + "-01",
        "0x-" + TRACE_ID + "-" + SPAN_ID + "-01",
        "-" + TRACE_ID + "-" + SPAN_ID + "-01",
        " " + TRACEPARENT,
        TRACEPARENT + " ",
        TRACEPARENT + "\n",
        "cc-" + TRACE_ID + "-" + SPAN_ID + "-01what",
        "------------------------------------------------------"
      })
  void extractOfInvalidTraceparent_givesRootAndCountsIt(String traceparent) {
    long before = TraceContext.ignored();
    assertThat(TraceContext.extract(carrying(traceparent))).isSameAs(Context.root());
    assertThat(TraceContext.ignored()).isEqualTo(before + 1);
  }

  @Test
  void extractOfRandomStrings_neverThrowsNorInventsAnId() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    String alphabet = "0123456789abcdef-ABCDEFg \u0000\u00e9\uff11\ud83d,=;";
    for (int round = 0; round < 20_000; round++) {
      char[] traceparent = TRACEPARENT.toCharArray();
      for (int changes = random.nextInt(4); changes >= 0; changes--) {
        traceparent[random.nextInt(traceparent.length)] =
            alphabet.charAt(random.nextInt(alphabet.length()));
      }
      String text = new String(traceparent, 0, random.nextInt(traceparent.length + 1));
      Context extracted =
          TraceContext.extract(carrying(text, "tracestate", text.substring(text.length() / 2)));
      SpanContext parent = Span.fromContext(extracted).getSpanContext();
      if (parent.isValid()) {
        assertThat(text).as("seed %s", seed).contains(parent.getTraceId(), parent.getSpanId());
      } else {
        assertThat(extracted).as("seed %s: %s", seed, text).isSameAs(Context.root());
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("callsOnForeignMap")
  void foreignMapThatThrowsAnError_neverReachesTheCaller(
      String what, Function<Map<String, Object>, Object> call) {
    Map<String, Object> lazy = new ThrowingMap<>(() -> new NoClassDefFoundError("acme/Lazy"));
    assertThatCode(() -> call.apply(lazy)).doesNotThrowAnyException();
  }

  @Test
  void injectIntoMapWhoseExceptionCannotBePrinted_doesNotThrow() throws Exception {
    Map<String, Object> hostile = new ThrowingMap<>(UnprintableException::new);
    FreshTelemetry fresh = new FreshTelemetry();
    assertThatCode(() -> fresh.call("TraceContext", "inject", Map.class, hostile))
        .doesNotThrowAnyException();
  }

  static Stream<Arguments> callsOnForeignMap() {
    return Stream.of(
        call("inject", TraceContext::inject),
        call("extract", TraceContext::extract),
        call("carrier", Propagation::carrier),
        call("extract of such a carrier", map -> TraceContext.extract(Map.of("_otel_ctx", map))),
        call(
            "attach",
            map -> {
              try (Scope scope = TraceContext.attach(map)) {
                return scope;
              }
            }));
  }

  private static Arguments call(String what, Function<Map<String, Object>, Object> call) {
    return arguments(what, call);
  }

  // ---- send time

  @Test
  void sentAt_isReadAsItWasWritten() {
    long before = Propagation.epochNanos();
    Map<String, Object> metaInfo = TraceContext.inject(new HashMap<>());
    long sentAt = Propagation.sentAtEpochNanos(Propagation.carrier(metaInfo));
    assertThat(sentAt).isBetween(before, Propagation.epochNanos());
    assertThat(BigInteger.valueOf(before)).isLessThanOrEqualTo(epochNanos());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("carriersWithoutSendTime")
  void sentAtOfNonsense_isNotThere(String what, Object carrier) {
    assertThat(Propagation.sentAtEpochNanos(carrier)).isZero();
  }

  static Stream<Arguments> carriersWithoutSendTime() {
    return Stream.of(
        arguments("null", null),
        arguments("no map", "1"),
        arguments("no key", Map.of("traceparent", TRACEPARENT)),
        arguments("a number", Map.of("roll.sent_at", 17L)),
        arguments("empty", Map.of("roll.sent_at", "")),
        arguments("no number", Map.of("roll.sent_at", "yesterday")),
        arguments("a fraction", Map.of("roll.sent_at", "1.5")),
        arguments("too large", Map.of("roll.sent_at", "9223372036854775808")),
        arguments("giant", Map.of("roll.sent_at", "9".repeat(5_000_000))),
        arguments("map that throws", new ThrowingMap<>(IllegalStateException::new)),
        arguments("map that recurses", new ThrowingMap<>(StackOverflowError::new)),
        arguments("TreeMap of integers", new TreeMap<>(Map.of(1, "1"))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-9223372036854775808", "-1"})
  void sentAtBeforeTheEpoch_isNotThere(String sentAt) {
    assertThat(Propagation.sentAtEpochNanos(Map.of("roll.sent_at", sentAt))).isZero();
  }

  // ---- attach

  @Test
  void attachOfValidContext_makesTheRemoteSpanCurrent() {
    try (Scope scope = TraceContext.attach(carrying(TRACEPARENT))) {
      SpanContext current = Span.current().getSpanContext();
      assertThat(current.getSpanId()).isEqualTo(SPAN_ID);
      assertThat(current.isRemote()).isTrue();
      Telemetry.tracer().spanBuilder("child").startSpan().end();
    }
    assertThat(exporter.getFinishedSpanItems())
        .singleElement()
        .satisfies(
            child -> {
              assertThat(child.getTraceId()).isEqualTo(TRACE_ID);
              assertThat(child.getParentSpanId()).isEqualTo(SPAN_ID);
            });
    assertThat(Context.current()).isSameAs(Context.root());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("withoutContext")
  void attachWithoutContext_suppresses(String what, Map<String, ?> metaInfo) {
    try (Scope scope = TraceContext.attach(metaInfo)) {
      assertThat(TraceContext.isSuppressed(Context.current())).isTrue();
      Span span = Telemetry.tracer().spanBuilder("suppressed").startSpan();
      assertThat(span.isRecording()).isFalse();
      span.end();
      assertThat(TraceContext.inject(carrying(TRACEPARENT))).isEmpty();
    }
    assertThat(TraceContext.isSuppressed(Context.current())).isFalse();
    assertThat(exporter.getFinishedSpanItems()).isEmpty();
  }

  static Stream<Arguments> withoutContext() {
    return Stream.of(
        arguments("null", null),
        arguments("empty", Map.of()),
        arguments("no key", Map.of("step", 7)),
        arguments("throws", new ThrowingMap<>(IllegalStateException::new)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("withContextThatHoldsNothing")
  void attachWithKeyThatHoldsNothing_startsANewRoot(String what, Object carrier) {
    Map<String, Object> metaInfo = new HashMap<>();
    metaInfo.put("_otel_ctx", carrier);
    Span outer = startSpan("outer");
    try (Scope outerScope = outer.makeCurrent();
        Scope scope = TraceContext.attach(metaInfo)) {
      assertThat(TraceContext.isSuppressed(Context.current())).isFalse();
      assertThat(Span.current().getSpanContext().isValid()).isFalse();
      Telemetry.tracer().spanBuilder("root").startSpan().end();
    }
    assertThat(exporter.getFinishedSpanItems())
        .singleElement()
        .satisfies(
            root -> {
              assertThat(root.getParentSpanContext().isValid()).isFalse();
              assertThat(root.getTraceId()).isNotEqualTo(outer.getSpanContext().getTraceId());
            });
  }

  static Stream<Arguments> withContextThatHoldsNothing() {
    return Stream.of(
        arguments("empty map", Map.of()),
        arguments("null", null),
        arguments("invalid", Map.of("traceparent", "nonsense")),
        arguments("no map", "nonsense"),
        arguments("map that throws", new ThrowingMap<>(IllegalStateException::new)));
  }

  @Test
  void nestedAttach_eachScopeRestoresWhatWasBefore() {
    Span outer = startSpan("outer");
    try (Scope outerScope = outer.makeCurrent()) {
      Context atOuter = Context.current();
      try (Scope suppressing = TraceContext.attach(null)) {
        Context atSuppressing = Context.current();
        try (Scope again = TraceContext.attach(Map.of())) {
          assertThat(TraceContext.isSuppressed(Context.current())).isTrue();
        }
        assertThat(Context.current()).isSameAs(atSuppressing);
        try (Scope valid = TraceContext.attach(carrying(TRACEPARENT))) {
          // The inner payload's own context is stronger than the suppression around it.
          assertThat(TraceContext.isSuppressed(Context.current())).isFalse();
          assertThat(Span.current().getSpanContext().getSpanId()).isEqualTo(SPAN_ID);
          try (Scope root = TraceContext.attach(carrying(""))) {
            assertThat(Span.current().getSpanContext().isValid()).isFalse();
          }
          assertThat(Span.current().getSpanContext().getSpanId()).isEqualTo(SPAN_ID);
        }
        assertThat(Context.current()).isSameAs(atSuppressing);
      }
      assertThat(Context.current()).isSameAs(atOuter);
    }
    assertThat(Context.current()).isSameAs(Context.root());
  }

  @Test
  void attachThenInject_handsTheContextOn() {
    Map<String, Object> next = new HashMap<>();
    try (Scope scope = TraceContext.attach(carrying(TRACEPARENT, "tracestate", "a=1,b=2"))) {
      TraceContext.inject(next);
    }
    assertThat(headersIn(next))
        .containsEntry("traceparent", TRACEPARENT)
        .containsEntry("tracestate", "a=1,b=2");
  }

  @Test
  void suppressTwice_givesTheSameContext() {
    Context suppressed = TraceContext.suppress(Context.root());
    assertThat(TraceContext.suppress(suppressed)).isSameAs(suppressed);
    assertThat(TraceContext.isSuppressed(Context.root())).isFalse();
  }

  // ----

  private static Context remoteContext(TraceState state) {
    return Context.root()
        .with(
            Span.wrap(
                SpanContext.createFromRemoteParent(
                    TRACE_ID, SPAN_ID, TraceFlags.getSampled(), state)));
  }

  private static Map<String, Object> carrying(Object traceparent, Object... more) {
    Map<String, Object> headers = new HashMap<>();
    headers.put("traceparent", traceparent);
    for (int i = 0; i < more.length; i += 2) {
      headers.put((String) more[i], more[i + 1]);
    }
    Map<String, Object> metaInfo = new HashMap<>();
    metaInfo.put("_otel_ctx", headers);
    return metaInfo;
  }

  private static Map<String, String> headersIn(Map<String, Object> metaInfo) {
    Map<String, String> headers = new HashMap<>();
    ((Map<?, ?>) metaInfo.get("_otel_ctx"))
        .forEach((key, value) -> headers.put((String) key, (String) value));
    return headers;
  }

  private static BigInteger epochNanos() {
    Instant now = Instant.now();
    return BigInteger.valueOf(now.getEpochSecond())
        .multiply(BigInteger.valueOf(1_000_000_000))
        .add(BigInteger.valueOf(now.getNano()));
  }

  /** Answers every question with a throwable of its own. */
  private static final class ThrowingMap<V> extends AbstractMap<String, V> {

    private final Supplier<Throwable> thrown;

    ThrowingMap(Supplier<Throwable> thrown) {
      this.thrown = thrown;
    }

    @Override
    public V get(Object key) {
      throw sneaky(thrown.get());
    }

    @Override
    public boolean containsKey(Object key) {
      throw sneaky(thrown.get());
    }

    @Override
    public V put(String key, V value) {
      throw sneaky(thrown.get());
    }

    @Override
    public V remove(Object key) {
      throw sneaky(thrown.get());
    }

    @Override
    public Set<Entry<String, V>> entrySet() {
      throw sneaky(thrown.get());
    }

    @Override
    public String toString() {
      return "ThrowingMap";
    }

    @SuppressWarnings("unchecked") // the compiler need not know
    private static <T extends Throwable> RuntimeException sneaky(Throwable thrown) throws T {
      throw (T) thrown;
    }
  }

  private static final class UnprintableException extends RuntimeException {

    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }
  }
}
