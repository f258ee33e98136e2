package io.rollotel.agent.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.rollotel.agent.api.SharedParts;
import io.rollotel.agent.api.Tracing;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.MethodList;
import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.weave.Weaver;
import io.rollotel.agent.weave.WovenMethod;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import io.rollotel.telemetry.TraceContext;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What becomes of a traced call, by its first carrier and its thread's current context. Each row
 * here is a cell of the table in docs/concepts.md.
 */
class ContextTableTest {

  private static final String CARRIER_TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String CARRIER_SPAN = "b7ad6b7169203331";

  private static final InMemorySpanExporter SPANS = InMemorySpanExporter.create();
  private static OpenTelemetrySdk sdk;
  private static @TempDir Path directory;

  /** What the body of the woven method saw. */
  private static @Nullable Context inside;

  /** The worker; woven in a loader of its own. */
  public static class Worker implements Calls {
    private final Runnable body;

    public Worker(Runnable body) {
      this.body = body;
    }

    @Override
    @Register(trace = true)
    public void withoutCarrier() {
      body.run();
    }

    @Override
    @Register(trace = true)
    public void withCarrier(@MetaInfo @Nullable Map<String, Object> metaInfo) {
      body.run();
    }

    @Override
    @Register
    public void untraced(@MetaInfo @Nullable Map<String, Object> metaInfo) {
      body.run();
      withoutCarrier();
    }
  }

  /** What the test and the woven class share. */
  public interface Calls {
    void withoutCarrier();

    void withCarrier(@Nullable Map<String, Object> metaInfo);

    void untraced(@Nullable Map<String, Object> metaInfo);
  }

  @BeforeAll
  static void setUp() {
    GlobalOpenTelemetry.resetForTest();
    sdk =
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(SPANS))
                    .build())
            .buildAndRegisterGlobal();
  }

  @AfterAll
  static void tearDown() {
    GlobalOpenTelemetry.resetForTest();
  }

  @BeforeEach
  void reset() {
    SPANS.reset();
    inside = null;
  }

  @ParameterizedTest(name = "{0}, {1} current, {2}: {3}")
  @CsvSource(
      textBlock =
          """
          # carrier      | current    | no context | becomes
          no parameter   | span       | local      | child of current
          no parameter   | none       | local      | new root
          no parameter   | suppressed | local      | suppressed
          null argument  | span       | local      | child of current
          null argument  | none       | local      | suppressed
          no key         | span       | local      | child of current
          no key         | none       | local      | suppressed
          no key         | suppressed | local      | suppressed
          null value     | span       | local      | child of current
          null value     | none       | local      | new root
          empty          | span       | local      | child of current
          empty          | none       | local      | new root
          empty          | suppressed | local      | suppressed
          invalid        | span       | local      | child of current
          invalid        | none       | local      | new root
          nonsense       | span       | local      | child of current
          nonsense       | none       | local      | new root
          valid          | span       | local      | child of carrier
          valid          | none       | local      | child of carrier
          valid          | suppressed | local      | suppressed

          no parameter   | span       | suppress   | suppressed
          no parameter   | none       | suppress   | suppressed
          null argument  | span       | suppress   | suppressed
          null argument  | none       | suppress   | suppressed
          no key         | span       | suppress   | suppressed
          no key         | none       | suppress   | suppressed
          empty          | span       | suppress   | new root
          empty          | none       | suppress   | new root
          empty          | suppressed | suppress   | new root
          invalid        | span       | suppress   | new root
          invalid        | none       | suppress   | new root
          valid          | span       | suppress   | child of carrier
          valid          | none       | suppress   | child of carrier
          valid          | suppressed | suppress   | child of carrier

          no parameter   | span       | root       | child of current
          no parameter   | none       | root       | new root
          null argument  | none       | root       | new root
          no key         | span       | root       | child of current
          no key         | none       | root       | new root
          no key         | suppressed | root       | suppressed
          empty          | none       | root       | new root
          invalid        | none       | root       | new root
          valid          | span       | root       | child of carrier
          valid          | none       | root       | child of carrier

          untraced       | span       | local      | suppressed
          untraced       | none       | local      | suppressed
          untraced       | none       | suppress   | suppressed
          untraced       | span       | root       | suppressed
          """,
      delimiter = '|')
  void call_becomesWhatTheTableSays(
      String carrier, String current, String noContext, String becomes) throws Exception {
    Calls worker = wovenWorker(noContext);
    Span outer = sdk.getTracer("application").spanBuilder("outer").startSpan();
    Context context =
        switch (current) {
          case "span" -> Context.root().with(outer);
          case "suppressed" -> TraceContext.suppress(Context.root());
          default -> Context.root();
        };

    try (Scope scope = context.makeCurrent()) {
      switch (carrier) {
        case "no parameter" -> worker.withoutCarrier();
        case "null argument" -> worker.withCarrier(null);
        case "untraced" -> worker.untraced(metaInfo("valid"));
        default -> worker.withCarrier(metaInfo(carrier));
      }
      assertThat(Context.current()).as("afterwards").isSameAs(context);
    }

    List<SpanData> spans = SPANS.getFinishedSpanItems();
    assertThat(inside).as("the body ran").isNotNull();
    if (becomes.equals("suppressed")) {
      assertThat(spans).isEmpty();
      assertThat(TraceContext.isSuppressed(inside)).isTrue();
      return;
    }
    assertThat(spans).hasSize(1);
    SpanData span = spans.get(0);
    assertThat(TraceContext.isSuppressed(inside)).isFalse();
    assertThat(Span.fromContext(inside).getSpanContext()).isEqualTo(span.getSpanContext());
    switch (becomes) {
      case "child of current" -> {
        assertThat(span.getParentSpanContext()).isEqualTo(outer.getSpanContext());
        assertThat(span.getTraceId()).isEqualTo(outer.getSpanContext().getTraceId());
      }
      case "child of carrier" -> {
        assertThat(span.getTraceId()).isEqualTo(CARRIER_TRACE);
        assertThat(span.getParentSpanId()).isEqualTo(CARRIER_SPAN);
      }
      case "new root" -> {
        assertThat(span.getParentSpanContext().isValid()).isFalse();
        assertThat(span.getTraceId())
            .isNotEqualTo(outer.getSpanContext().getTraceId())
            .isNotEqualTo(CARRIER_TRACE);
      }
      default -> throw new IllegalArgumentException(becomes);
    }
  }

  private static Map<String, Object> metaInfo(String carrier) {
    Map<String, Object> metaInfo = new HashMap<>();
    Object context =
        switch (carrier) {
          case "empty" -> new HashMap<String, String>();
          case "invalid" -> Map.of("traceparent", "00-zz-01");
          case "nonsense" -> 42;
          case "valid" -> Map.of("traceparent", "00-" + CARRIER_TRACE + "-" + CARRIER_SPAN + "-01");
          default -> null;
        };
    if (!carrier.equals("no key")) {
      metaInfo.put(TraceContext.KEY, context);
    }
    return metaInfo;
  }

  private static Calls wovenWorker(String noContext) throws Exception {
    Settings settings =
        Settings.read(
            null,
            Map.of(
                "ROLL_OTEL_NO_CONTEXT",
                noContext,
                "ROLL_OTEL_ROLE",
                "worker",
                "ROLL_OTEL_OUTPUT_DIR",
                directory.toString(),
                "ROLL_OTEL_RECORDER_BYTES",
                "0"));
    SdkTracing tracing = new SdkTracing(new Ledger(), ClassLoader.getSystemClassLoader());
    tracing.open(new SharedParts(new CurrentSettings(settings), () -> {}));
    tracing.applicationSet();
    TraceHook.connect(new Direct(tracing));
    return (Calls)
        new WeavingLoader()
            .loadClass(Worker.class.getName())
            .getConstructor(Runnable.class)
            .newInstance((Runnable) () -> inside = Context.current());
  }

  /** Loads the worker woven, and everything else from its parent. */
  private static final class WeavingLoader extends ClassLoader {

    WeavingLoader() {
      super(ContextTableTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals(Worker.class.getName())) {
        return super.loadClass(name, resolve);
      }
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] woven = new Weaver(MethodList.none(), new Ledger()).weave(this, in.readAllBytes());
        return defineClass(name, woven, 0, woven.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  /** Stands for {@code HookTarget}: here there is only one loader. */
  private record Direct(Tracing tracing) implements TraceHook.Target {

    @Override
    public MethodHandle start(MethodHandles.Lookup caller, MethodType type, String facts)
        throws Exception {
      return tracing.start(caller, type, WovenMethod.parse(facts));
    }

    @Override
    public MethodHandle dispatch(MethodHandles.Lookup caller, MethodType type, String facts)
        throws Exception {
      return tracing.dispatch(caller, type, WovenMethod.parse(facts));
    }

    @Override
    public @Nullable Object openTelemetry(Class<?> globalOpenTelemetry) {
      return null;
    }

    @Override
    public void openTelemetrySet(Class<?> globalOpenTelemetry) {}

    @Override
    public boolean configure(Map<String, String> settings) {
      return false;
    }

    @Override
    public void shutdown() {}

    @Override
    public String @Nullable [] currentTrace() {
      return tracing.currentTrace();
    }

    @Override
    public Map<String, String> workerEnvironment() {
      return Map.of();
    }

    @Override
    public @Nullable String runId() {
      return null;
    }

    @Override
    public boolean receivedFrom(@Nullable String runId) {
      return true;
    }

    @Override
    public boolean beforeExit(Runnable work) {
      return false;
    }

    @Override
    public void notBeforeExit(Runnable work) {}

    @Override
    public void warn(String line) {
      throw new AssertionError(line);
    }
  }
}
