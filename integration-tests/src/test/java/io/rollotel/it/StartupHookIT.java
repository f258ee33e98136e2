package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The application's code that shapes tracing: startup hook, SPI; and where its spans go. */
class StartupHookIT {

  private static final String EXPORTED = "exported worker.train of " + Payload.TRACE_ID;

  private @TempDir Path directory;

  /** The agent's API alone, and each that it joins. */
  static Stream<String> versions() {
    return Stream.concat(Stream.of("none"), ProgramRun.openTelemetryVersions().stream());
  }

  @Test
  void plainHook_runsBeforeMain() throws Exception {
    Result result = hooked("plain").run().isClean();

    assertThat(result.lines()).containsExactly("hook", "main", "not set");
    assertThat(result.span("worker.train").parentSpanId()).isEqualTo(Payload.SPAN_ID);
  }

  @Test
  void hookWithItsOwnSdk_getsTheWorkerSpans() throws Exception {
    Result result =
        hooked("ownSdk")
            .openTelemetry(System.getProperty("opentelemetry.newest"), true)
            .run()
            .isClean();

    assertThat(result.lines()).containsExactly("hook", "main", EXPORTED, "not set");
    assertThat(directory.resolve("output")).as("nothing of ours was started").doesNotExist();
  }

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("versions")
  void customizingHook_addsToTheAgentsSdk(String version) throws Exception {
    ProgramRun run = hooked("customize");
    if (!version.equals("none")) {
      run.openTelemetry(version, true);
    }
    Result result = run.run().isClean();

    assertThat(result.lines()).containsExactly("hook", "main", EXPORTED, "set by the hook");
    Span worker = result.span("worker.train");
    assertThat(worker.parentSpanId()).isEqualTo(Payload.SPAN_ID);
    assertThat(worker.resource().attributes())
        .containsEntry("hooked", true)
        .containsKeys("service.instance.id", "roll.run_id");
  }

  @Test
  void redactionOfTheDocumentation_removesUserDataAndMessages() throws Exception {
    String source =
        Files.readString(
            ProgramRun.ROOT.resolve(
                "integration-tests/src/main/java/io/rollotel/it/Redaction.java"));
    assertThat(Files.readString(ProgramRun.ROOT.resolve("docs/production.md")))
        .contains(source.substring(source.indexOf("import ")));

    Path traces = directory.resolve("output/otlp/traces/traces.jsonl");
    ProgramRun.of(directory, HookedApplication.class).run().isClean();
    ProgramRun.of(directory, PlainWorker.class).run().isClean();
    assertThat(traces).content().contains("user.name", "ruth", "no gradient");
    Files.delete(traces);

    String hook = "io.rollotel.it.Redaction::setup";
    run(hook).run().isClean();
    ProgramRun.of(directory, PlainWorker.class)
        .environment("ROLL_OTEL_STARTUP_HOOK", hook)
        .run()
        .isClean();
    assertThat(traces)
        .content()
        .contains("HookedApplication.train", "\"code\":2", "java.lang.IllegalStateException")
        .doesNotContain("user.name", "ruth", "no gradient");
  }

  @Test
  void exporterOfTheHook_takesThePlaceOfTheAgents() throws Exception {
    Result result = hooked("replaceExporter").run().isClean();

    assertThat(result.lines()).contains("main", EXPORTED);
    assertThat(result.spans()).isEmpty();
  }

  @Test
  void providerOfTheHook_takesThePlaceOfTheAgentsAndKeepsToSuppression() throws Exception {
    Result result = hooked("replaceProvider").run().isClean();

    assertThat(result.lines()).containsExactly("main", EXPORTED, "not set");
    assertThat(result.spans()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "io.rollotel.it.Hooks::throwing, java.lang.IllegalStateException: no tracing today",
    "io.rollotel.it.Hooks::throwingLater, java.lang.IllegalStateException: no sampler today",
    "io.rollotel.it.Hooks::notStatic, the method is not static",
    "io.rollotel.it.Hooks::other, the method must take no argument",
    "io.rollotel.it.Hooks::absent, the class has no such method",
    "com.acme.Tracing::setup, there is no such class on the class path",
    "com.acme.Tracing#setup, is not understood; it takes a class and a static method",
  })
  void hookThatFails_isOneLineAndTheDefaultsHold(String hook, String line) throws Exception {
    Result result = run(hook).run();

    assertThat(result.exitCode()).isZero();
    assertThat(result.err().lines()).hasSize(1).allMatch(said -> said.contains(line));
    assertThat(result.lines()).contains("main");
    assertThat(result.span("worker.train").resource().attributes()).doesNotContainKey("hooked");
  }

  @ParameterizedTest
  @CsvSource({"ray.util.tracing.setup_local_tmp_tracing:setup_tracing", "roll_otel_ray::setup"})
  void hookOfPython_isIgnored(String hook) throws Exception {
    assertThat(run(hook).run().isClean().spans()).hasSize(1);
  }

  @Test
  void customizerProviderOfTheClassPath_addsToTheAgentsSdk() throws Exception {
    Path services = Files.createDirectories(directory.resolve("services/META-INF/services"));
    Files.writeString(
        services.resolve(
            "io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider"),
        PrintingCustomizer.class.getName() + "\ncom.acme.Absent\n");

    Result result =
        ProgramRun.of(directory, HookedApplication.class)
            .classPath(directory.resolve("services"))
            .run()
            .isCleanBut("an AutoConfigurationCustomizerProvider failed");

    assertThat(result.lines()).containsExactly("main", EXPORTED, "not set");
    assertThat(result.span("worker.train").traceId()).isEqualTo(Payload.TRACE_ID);
  }

  @ParameterizedTest
  @CsvSource({"'', 1", "replaceExporter, 0"})
  void exporterFile_keepsEachProcessToItsOwnFile(String hook, int spans) throws Exception {
    ProgramRun run =
        hook.isEmpty() ? ProgramRun.of(directory, HookedApplication.class) : hooked(hook);
    Result result =
        run.environment("ROLL_OTEL_EXPORTER", "file")
            .environment("ROLL_OTEL_INSTANCE", "host:1")
            .run()
            .isClean();

    assertThat(result.lines().contains(EXPORTED)).isEqualTo(spans == 0);
    Path traces = directory.resolve("output/otlp/traces");
    assertThat(traces.resolve("traces.jsonl")).doesNotExist();
    assertThat(Files.exists(traces.resolve("host-1.jsonl"))).isEqualTo(spans > 0);
    assertThat(result.spans()).hasSize(spans);
  }

  @Test
  void exporterFile_isStrongerThanAnEndpoint() throws Exception {
    Result result =
        ProgramRun.of(directory, HookedApplication.class)
            .environment("ROLL_OTEL_EXPORTER", "file")
            // Port 9 is the discard service: nothing listens there.
            .environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
            .run()
            .isClean();

    assertThat(result.spans()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"auto, 0", "always, 1"})
  void execAlways_givesEachCallRollsShape(String exec, int children) throws Exception {
    Result result =
        ProgramRun.of(directory, PlainWorker.class)
            .environment("ROLL_OTEL_EXEC", exec)
            .run()
            .isClean();

    for (String name : List.of("worker.train", "worker.fail")) {
      Span worker = result.span(name);
      List<Span> inside =
          result.spans().stream().filter(s -> s.parentSpanId().equals(worker.spanId())).toList();
      assertThat(inside).hasSize(children).allMatch(span -> span.name().equals("exec"));
      assertThat(inside).allMatch(span -> span.endEpochNanos() <= worker.endEpochNanos());
    }
    assertThat(result.spans()).hasSize(2 + 2 * children);
  }

  private ProgramRun hooked(String method) {
    return run(Hooks.class.getName() + "::" + method);
  }

  private ProgramRun run(String hook) {
    return ProgramRun.of(directory, HookedApplication.class)
        .environment("ROLL_OTEL_STARTUP_HOOK", hook);
  }
}
