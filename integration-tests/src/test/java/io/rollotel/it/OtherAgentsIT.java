package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.LoadingObserver;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.collector.CollectorSettings;
import io.rollotel.traces.collector.EmbeddedCollector;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.tools.ExecFileLoader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Other agents on the same command line, before ours and after it. */
class OtherAgentsIT {

  private static final String NEWEST = System.getProperty("opentelemetry.newest");
  private static final Path OTHERS =
      ProgramRun.ROOT.resolve("integration-tests/target/other-agents");
  private static final String OURS = "-javaagent:" + ProgramRun.AGENT;
  private static final String JAVAAGENT =
      "-javaagent:" + OTHERS.resolve("opentelemetry-javaagent.jar");

  private @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void javaagent_makesOneTreeOfItsSpansOursAndThoseByHand(boolean oursFirst) throws Exception {
    List<Span> spans =
        collected(
            agents(
                ProgramRun.of(directory, JoinedWorker.class).openTelemetry(NEWEST, false),
                oursFirst));

    assertThat(tree(spans))
        .containsExactly(
            "by hand < worker.generate",
            "request < step",
            "step",
            "worker.generate < step",
            "worker.score < by hand",
            "worker.store < step");
    assertThat(around(spans)).containsExactly("worker.store in request");
    assertThat(spans).extracting(Span::traceId).containsOnly(spans.get(0).traceId());
    assertThat(named(spans, "worker.generate").attributes())
        .as("set on Span.current()")
        .containsEntry("seen", true)
        .containsEntry("code.function.name", JoinedWorker.class.getName() + ".generate");
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void javaagentWithoutAnyApi_makesOneTreeOfItsSpansAndOurs(boolean oursFirst) throws Exception {
    List<Span> spans = collected(agents(ProgramRun.of(directory, ToolWorker.class), oursFirst));

    assertThat(tree(spans))
        .as("none of the suppressed call and its request, except where a payload has a sender")
        .containsExactly(
            "GET / < GET",
            "GET < worker.generate",
            "worker.generate < sender",
            "worker.score < worker.generate",
            "worker.serve < GET /",
            "worker.store < sender",
            "worker.store < sender");
    assertThat(around(spans))
        .as("no span is around the other one")
        .containsExactly("worker.store in GET /");
    assertThat(spans).extracting(Span::traceId).containsOnly(Payload.TRACE_ID);
  }

  @Test
  void jacoco_coversTheSameAsWithoutUs() throws Exception {
    Map<String, List<Object>> alone =
        covered(ProgramRun.of(directory, PlainWorker.class).jvmOptions(jacoco("alone")), "alone");
    assertThat(alone).containsKey("io/rollotel/it/PlainWorker");

    for (String order : List.of("first", "second")) {
      ProgramRun run =
          ProgramRun.of(Files.createDirectory(directory.resolve(order)), PlainWorker.class);
      run =
          order.equals("first")
              ? run.jvmOptions(OURS, jacoco(order))
              : run.jvmOptions(jacoco(order), OURS);
      Map<String, List<Object>> covered = covered(run, order);

      assertThat(tree(Result.spans(directory.resolve(order).resolve("output/otlp"))))
          .containsExactly("worker.fail < sender", "worker.train < sender");
      assertThat(covered.keySet())
          .as("what we bring is left alone but for the few classes that the class path sees")
          .noneMatch(
              name ->
                  name.matches(
                      "io/(opentelemetry|rollotel/(bytebuddy|traces|agent/(export|link|metrics|sdk|span)))/.*"));
      covered.keySet().retainAll(alone.keySet());
      assertThat(covered).as("ours " + order).isEqualTo(alone);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void agentThatLoadsTheClassesItLooksAt_changesNothing(boolean oursFirst) throws Exception {
    String other = "-javaagent:" + LoadingObserver.jar(directory);
    Result result =
        ProgramRun.of(directory, PlainWorker.class)
            .withoutAgent()
            .jvmOptions(oursFirst ? OURS : other, oursFirst ? other : OURS)
            .run();

    result.isCleanBut();
    assertThat(tree(result.spans()))
        .containsExactly("worker.fail < sender", "worker.train < sender");
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void secondCopyOfOurs_isIgnoredWithOneLine(boolean copied) throws Exception {
    Path second = ProgramRun.AGENT;
    if (copied) {
      second = Files.copy(ProgramRun.AGENT, directory.resolve("copy.jar"));
    }
    Result result =
        ProgramRun.of(directory, PlainWorker.class).jvmOptions("-javaagent:" + second).run();

    result.isCleanBut("a second -javaagent of roll-otel on this command line is ignored");
    assertThat(tree(result.spans()))
        .containsExactly("worker.fail < sender", "worker.train < sender");
  }

  private static ProgramRun agents(ProgramRun run, boolean oursFirst) {
    return run.withoutAgent()
        .jvmOptions("-XX:TieredStopAtLevel=1") // it starts in half the time
        .jvmOptions(oursFirst ? OURS : JAVAAGENT, oursFirst ? JAVAAGENT : OURS)
        .environment("OTEL_METRICS_EXPORTER", "none")
        .environment("OTEL_LOGS_EXPORTER", "none")
        .environment("OTEL_JAVAAGENT_LOGGING", "none");
  }

  /** Runs the program and returns what arrives at the endpoint, from any agent. */
  private List<Span> collected(ProgramRun run) throws Exception {
    List<String> trouble = new ArrayList<>();
    Path collected = Files.createDirectory(directory.resolve("collected"));
    try (EmbeddedCollector collector =
        EmbeddedCollector.start(
            collected.toFile(), "", CollectorSettings.ofDriver(), trouble::add)) {
      Result result =
          run.environment("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint().toString()).run();
      assertThat(result.exitCode()).as(result.err()).isZero();
      assertThat(result.lines()).endsWith("done");
      assertThat(result.said()).isEmpty();
    }
    assertThat(trouble).isEmpty();
    assertThat(directory.resolve("output")).as("nothing of ours was started").doesNotExist();
    return Result.spans(collected);
  }

  /** Each span with its parent's name, sorted. */
  private static List<String> tree(List<Span> spans) {
    Map<String, String> names = new TreeMap<>(Map.of(Payload.SPAN_ID, "sender"));
    spans.forEach(span -> names.put(span.spanId(), span.name()));
    return spans.stream()
        .map(
            span ->
                span.parentSpanId().isEmpty()
                    ? span.name()
                    : span.name() + " < " + names.get(span.parentSpanId()))
        .sorted()
        .toList();
  }

  /** The spans that name one around them. */
  private static List<String> around(List<Span> spans) {
    Map<Object, String> names = new TreeMap<>();
    spans.forEach(span -> names.put(span.spanId(), span.name()));
    return spans.stream()
        .filter(span -> span.attributes().containsKey("roll.around"))
        .map(span -> span.name() + " in " + names.get(span.attributes().get("roll.around")))
        .toList();
  }

  private static Span named(List<Span> spans, String name) {
    return spans.stream().filter(span -> span.name().equals(name)).findFirst().orElseThrow();
  }

  private String jacoco(String name) {
    return "-javaagent:"
        + OTHERS.resolve("org.jacoco.agent-runtime.jar")
        + "=destfile="
        + directory.resolve(name + ".exec");
  }

  /** The ids of the classes that were covered, and which of their probes were. */
  private Map<String, List<Object>> covered(ProgramRun run, String name)
      throws IOException, InterruptedException {
    run.withoutAgent().run().isClean();
    ExecFileLoader loader = new ExecFileLoader();
    loader.load(directory.resolve(name + ".exec").toFile());
    return loader.getExecutionDataStore().getContents().stream()
        .collect(
            Collectors.toMap(
                ExecutionData::getName,
                data -> List.of(data.getId(), Arrays.toString(data.getProbes()))));
  }
}
