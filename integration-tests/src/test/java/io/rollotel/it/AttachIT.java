package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What attaching does to a program that runs. */
class AttachIT extends AttachFixture {

  @Test
  void attach_tracesClassesThatAreLoadedAlready() throws Exception {
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      Answer attached = command("attach", program.pid(), "output.dir=traced", LISTED);

      assertThat(attached.out())
          .isEqualTo(
              program.pid()
                  + ": tracing is on: 3 loaded classes woven, others as they are loaded; traces go"
                  + " to "
                  + directory.resolve("traced")
                  + "\n");
      assertThat(attached.exitCode()).isZero();
      String before = program.ask("call");
      assertThat(program.ask("call")).isEqualTo(before);
      assertThat(command("detach", program.pid()).exitCode()).isZero();
      program.ask("call");
      program.end();
    }

    assertThat(Result.spans(directory.resolve("traced")))
        .as("the hidden class is traced by nobody")
        .extracting(Span::name)
        .containsExactlyInAnyOrder(
            "worker.train",
            "worker.play",
            "worker.score",
            "worker.listed",
            "worker.train",
            "worker.play",
            "worker.score",
            "worker.listed");
    assertThat(Result.spans(directory.resolve("traced")))
        .allMatch(span -> span.parentSpanId().equals(Payload.SPAN_ID));
    assertThat(directory.resolve("output")).doesNotExist();
  }

  @Tag("campaign")
  @Test
  void profileGivenToAttach_isRecordedUntilDetach() throws Exception {
    Path profiles = directory.resolve("output/otlp/profiles");
    try (LiveProgram program = worker().start()) {
      program.await("= ready");
      assertThat(command("attach", program.pid(), "profile=on").exitCode()).isZero();
      program.ask("call");
      Patience.until(() -> "recorded", () -> Files.isDirectory(profiles));
      program.ask("call");
      assertThat(command("detach", program.pid()).exitCode()).isZero();
      try (Stream<Path> recordings = Files.list(profiles)) {
        assertThat(RecordingFile.readAllEvents(recordings.findFirst().orElseThrow())).isNotEmpty();
      }
      program.end();
    }
    assertThat(Result.spans(directory.resolve("output/otlp")))
        .allMatch(span -> span.attributes().containsKey("thread.id"));
  }

  @Test
  void classThatCannotBeChanged_isOneLineAndCostsNoOther() throws Exception {
    Path fragile = fragile();
    try (LiveProgram program =
        ProgramRun.of(directory, AttachedWorker.class, fragile.toString())
            .withoutEnvironment("ROLL_OTEL_ENABLED")
            .withoutAgent()
            .jvmOptions(QUIET)
            .start()) {
      program.await("= ready");
      Answer attached = command("attach", program.pid());

      assertThat(attached.out()).contains("3 loaded classes woven");
      assertThat(attached.err().lines())
          .hasSize(2)
          .anyMatch(line -> line.matches(".*AttachedWorker[$]Hidden/\\S+ is left unchanged: .*"))
          .anyMatch(
              line -> line.contains(" Fragile is left unchanged: this JVM does not change it"));
      program.ask("call");
      assertThat(program.end())
          .as(
              "the same is said there; and that the test's compiler ran no processor, by those JVMs"
                  + " that show the agent the class before they refuse to change it")
          .hasSizeBetween(2, 3)
          .anyMatch(line -> line.contains("AttachedWorker$Hidden"))
          .anyMatch(line -> line.startsWith("[roll-otel] Fragile is left unchanged: "))
          .allMatch(line -> line.startsWith("[roll-otel] "));
    }
    assertThat(Result.spans(directory.resolve("output/otlp"))).hasSize(3);
  }

  static Stream<String> versions() {
    return Stream.of(System.getProperty("opentelemetry.oldest"), NEWEST);
  }

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("versions")
  void global_isTheAgentsWhileItIsAttachedAlone(String version) throws Exception {
    try (LiveProgram program = globalWorker("none", version).start()) {
      program.await("= ready");
      assertThat(program.ask("kept")).as("asked before").isEqualTo("false");
      command("attach", program.pid());
      assertThat(program.ask("call")).isEqualTo("1 injected []");
      assertThat(program.ask("kept")).as("a no-op for good").isEqualTo("false");
      program.ask("keep");
      assertThat(program.ask("kept")).isEqualTo("true");
      command("detach", program.pid());
      assertThat(program.ask("kept")).isEqualTo("false");
      assertThat(program.ask("call")).isEqualTo("1 injected []");
      command("attach", program.pid());
      assertThat(program.ask("call")).isEqualTo("1 injected []");
      assertThat(program.end()).isEmpty();
    }
    List<Span> spans = Result.spans(directory.resolve("output/otlp"));
    assertThat(spans)
        .extracting(Span::name)
        .containsExactlyInAnyOrder(
            "worker.generate", "by hand", "kept", "worker.generate", "by hand");
    Map<String, Span> byId = spans.stream().collect(Collectors.toMap(Span::spanId, s -> s));
    assertThat(spans)
        .filteredOn(span -> span.name().equals("by hand"))
        .allMatch(span -> byId.get(span.parentSpanId()).name().equals("worker.generate"));
  }

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("versions")
  void ownSdkSetBefore_getsTheWorkerSpans(String version) throws Exception {
    try (LiveProgram program = globalWorker("own", version).start()) {
      program.await("= ready");
      command("attach", program.pid());
      program.ask("call");
      command("detach", program.pid());
      program.ask("call");
      assertThat(program.end()).isEmpty();
      assertThat(program.said())
          .filteredOn(line -> line.startsWith("exported"))
          .containsExactly(
              "exported by hand of " + Payload.TRACE_ID,
              "exported worker.generate of " + Payload.TRACE_ID);
    }
    assertThat(directory.resolve("output")).as("nothing of ours was started").doesNotExist();
  }

  @Test
  void whatIsSaidWhenAttaching_isStrongerThanTheEnvironment() throws Exception {
    try (LiveProgram program =
        worker()
            .environment("ROLL_OTEL_ENABLED", "0")
            .environment("ROLL_OTEL_OUTPUT_DIR", "never")
            .environment("ROLL_OTEL_INSTANCE", "worker-7")
            .environment("ROLL_OTEL_RUN_IDD", "x")
            .start()) {
      program.await("= ready");
      Answer attached =
          command(
              "attach",
              program.pid(),
              "OUTPUT_DIR=50%, größer",
              "otel.resource.attributes=team=rl,tier=2");
      assertThat(attached.err())
          .isEqualTo(
              program.pid()
                  + ": unknown setting ROLL_OTEL_RUN_IDD; the nearest known one is"
                  + " ROLL_OTEL_RUN_ID\n");
      program.ask("call");
      command("detach", program.pid());
    }
    assertThat(Result.spans(directory.resolve("50%, größer")))
        .hasSize(3)
        .allSatisfy(
            span ->
                assertThat(span.resource().attributes())
                    .containsEntry("service.instance.id", "worker-7")
                    .containsEntry("team", "rl")
                    .containsEntry("tier", "2"));
    assertThat(directory.resolve("never")).doesNotExist();
  }

  @Tag("campaign")
  @Test
  void demoWorkerInTheMiddleOfARun_isTracedBelowTheDriversSpans() throws Exception {
    Path traces = directory.resolve("otlp");
    ProgramRun run =
        ProgramRun.of(directory, Object.class)
            .environment("ROLL_OTEL_OUTPUT_DIR", traces.toString())
            .jar(
                ProgramRun.ROOT.resolve("examples/target/roll-otel-examples.jar"),
                "--steps",
                "80",
                "--workers",
                "2");
    try (LiveProgram driver = run.start()) {
      driver.await("step   5/80");
      String pid = Long.toString(oneOf(driver.handle().children()).pid());
      assertThat(command("attach", pid).out()).contains("1 loaded class woven").contains("otlp");
      // Not by the steps, since their number depends on how fast the machine starts a command.
      Path file = traces.resolve("traces/traces.jsonl");
      awaitEqual(
          "true",
          driver,
          () -> String.valueOf(Files.readString(file).split("\"worker[.]").length > 20));
      assertThat(command("detach", pid).out()).contains("tracing is off");
      driver.await("mean return: first ");
      driver.end();

      List<Span> spans = Result.spans(traces);
      Map<String, Span> byId =
          spans.stream().collect(Collectors.toMap(Span::spanId, Function.identity()));
      List<Span> workers =
          spans.stream().filter(span -> span.name().startsWith("worker.")).toList();
      assertThat(workers)
          .as("those of some steps, not of all")
          .hasSizeBetween(20, 4 * 80 - 20)
          .allMatch(
              span -> span.resource().attributes().get("process.pid").equals(Long.valueOf(pid)))
          .allMatch(
              span ->
                  !byId.get(span.parentSpanId())
                      .resource()
                      .attributes()
                      .get("process.pid")
                      .equals(Long.valueOf(pid)));
      assertThat(workers)
          .extracting(span -> byId.get(span.parentSpanId()).name())
          .contains("rollout", "compute_rewards", "train", "model_update");
    }
  }
}
