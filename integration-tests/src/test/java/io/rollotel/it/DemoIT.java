package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./demo} runs, in short: a driver and three workers, traced and untraced. */
class DemoIT {

  private static final int STEPS = 12;

  private @TempDir Path directory;

  @Test
  void run_isOneTracePerStepOverAllProcesses() throws Exception {
    train("first", true);

    List<Span> spans = ProgramRun.Result.spans(directory.resolve("otlp"));
    Map<String, Span> byId = spans.stream().collect(Collectors.toMap(Span::spanId, span -> span));
    assertThat(processes(spans)).as("driver and three workers").hasSize(4);

    List<Span> steps = spans.stream().filter(span -> span.parentSpanId().isEmpty()).toList();
    assertThat(steps).hasSize(STEPS).allMatch(span -> span.name().equals("pipeline_step"));
    assertThat(steps.stream().map(Span::traceId)).doesNotHaveDuplicates();
    assertThat(steps.stream().map(span -> span.attributes().get("global_step")))
        .doesNotHaveDuplicates();
    assertThat(spans.stream().map(Span::traceId).distinct()).hasSize(STEPS);

    assertThat(spans.stream().filter(span -> !span.parentSpanId().isEmpty()))
        .as("every other span's parent is in the file")
        .allMatch(span -> byId.containsKey(span.parentSpanId()));

    String driver = steps.get(0).resource().text("service.instance.id");
    List<Span> workers = spans.stream().filter(span -> span.name().startsWith("worker.")).toList();
    assertThat(workers)
        .isNotEmpty()
        .noneMatch(span -> span.resource().text("service.instance.id").equals(driver))
        .allMatch(
            span ->
                byId.get(span.parentSpanId())
                    .resource()
                    .text("service.instance.id")
                    .equals(driver));
    assertThat(spans.stream().map(Span::name).collect(Collectors.toSet()))
        .contains(
            "pipeline_step",
            "rollout",
            "compute_rewards",
            "train",
            "model_update",
            "validation",
            "worker.generate",
            "worker.trainStep");
    // Per step a root, four phases and three workers in each; one validation among twelve steps.
    assertThat(spans).hasSize(STEPS * (1 + 4 + 4 * 3) + 1 + 3);
    assertThat(directory.resolve("otlp/traces/traces.jsonl")).exists();
  }

  @Tag("campaign")
  @Test
  void sameSeed_givesTheSameReturnsWithAndWithoutTracing() throws Exception {
    String traced = train("traced", true);
    String untraced = train("untraced", false);

    assertThat(traced).isEqualTo(untraced);
    assertThat(traced.lines()).hasSize(STEPS);
  }

  @Tag("campaign")
  @Test
  void rolloutsOnPools_areBelowTheCallsThatHandedThemOver() throws Exception {
    String pooled = train("pooled", true, "--threads", "4");

    List<Span> spans = ProgramRun.Result.spans(directory.resolve("otlp"));
    Map<String, Span> byId = spans.stream().collect(Collectors.toMap(Span::spanId, span -> span));
    assertThat(spans.stream().filter(span -> !byId.containsKey(span.parentSpanId())))
        .as("no orphan: only the steps have no parent in the file")
        .hasSize(STEPS)
        .allMatch(span -> span.name().equals("pipeline_step") && span.parentSpanId().isEmpty());
    assertThat(spans.stream().filter(span -> span.name().equals("worker.playPart")))
        .hasSize(STEPS * 3 * 4)
        .allSatisfy(
            span -> {
              Span parent = byId.get(span.parentSpanId());
              assertThat(parent.name()).isEqualTo("worker.generate");
              assertThat(parent.resource()).isEqualTo(span.resource());
            });
    assertThat(pooled).as("the same returns as on one thread").isEqualTo(train("one", false));
  }

  @Tag("campaign")
  @Test
  void slowWorker_takesSoManyTimesAsLongAndTheReturnsAreTheSame() throws Exception {
    String slow = train("slow", true, "--slow", "1=4");

    Map<String, Long> nanosOfRank =
        ProgramRun.Result.spans(directory.resolve("otlp")).stream()
            .filter(span -> span.name().startsWith("worker."))
            .collect(
                Collectors.groupingBy(
                    span -> span.resource().text("roll.rank"),
                    Collectors.summingLong(span -> span.endEpochNanos() - span.startEpochNanos())));
    assertThat(nanosOfRank.get("1"))
        .isGreaterThan(2 * Math.max(nanosOfRank.get("0"), nanosOfRank.get("2")));
    assertThat(slow).as("the same returns").isEqualTo(train("usual", false));
  }

  @Test
  void slowRankThatIsNotThere_isWrongUsage() throws Exception {
    ProcessBuilder demo = new ProcessBuilder(ProgramRun.ROOT + "/demo", "--slow", "3=2");
    Launched.clean(demo);
    demo.environment().put("ROLL_OTEL_OUTPUT_DIR", directory.toString());
    Finished finished = Finished.of(demo.redirectErrorStream(true));
    assertThat(finished.exitCode()).isEqualTo(2);
    assertThat(finished.out()).contains("--slow needs a rank from 0 to 2, not 3");
  }

  /** The browser is a script that records what it was asked to open. */
  @Tag("campaign")
  @Test
  void pageOfTheRun_isPrintedAndOpenedWhileItIsOn() throws Exception {
    Path opened = directory.resolve("opened");
    Path browser = Files.createDirectory(directory.resolve("bin")).resolve("xdg-open");
    Files.writeString(browser, "#!/bin/sh\necho \"$1\" > '" + opened + "'\n");
    assertThat(browser.toFile().setExecutable(true)).isTrue();
    ProcessBuilder demo =
        new ProcessBuilder(ProgramRun.ROOT + "/demo", "--open", "--steps", "" + STEPS);
    Launched.clean(demo);
    demo.environment().put("ROLL_OTEL_OUTPUT_DIR", directory.resolve("otlp").toString());
    demo.environment().merge("PATH", "", (path, none) -> browser.getParent() + ":" + path);
    Finished finished = Finished.of(demo.redirectErrorStream(true));
    assertThat(finished.out())
        .containsPattern("Watch the run: http://127\\.0\\.0\\.1:\\d+/\n")
        .contains("Where is the time spent?");
    assertThat(finished.out()).contains("Watch the run: " + Files.readString(opened).trim());
  }

  @Test
  void pageOfAnUntracedRun_isWrongUsage() throws Exception {
    ProcessBuilder demo = new ProcessBuilder(ProgramRun.ROOT + "/demo", "--open", "--no-trace");
    Launched.clean(demo);
    Finished finished = Finished.of(demo.redirectErrorStream(true));
    assertThat(finished.exitCode()).isEqualTo(2);
    assertThat(finished.out()).contains("--open does not go with --no-trace");
  }

  /** Bash 3.2 has none of these, and compares the times of files by whole seconds. */
  @Test
  void scriptsOfUsers_runWithTheBashOfMacOs() throws IOException {
    for (String script : List.of("demo", "engines/ray/cluster.sh", "engines/setup")) {
      assertThat(Files.readString(ProgramRun.ROOT.resolve(script)))
          .as(script)
          .doesNotContainPattern("\\b(mapfile|readarray|coproc)\\b|(declare|local) -[An]|wait -n")
          .doesNotContainPattern("exec \\{|\\$\\{\\w+(,|\\^)| -[no]t ");
    }
  }

  @Test
  void rayMissing_isSaidAtOnceWithWhatToDo() throws Exception {
    ProcessBuilder demo = new ProcessBuilder(ProgramRun.ROOT + "/demo", "--ray");
    Launched.clean(demo);
    demo.environment().put("ROLL_OTEL_ENGINES", directory.toString());
    demo.environment().put("ROLL_OTEL_OUTPUT_DIR", directory.toString());
    Finished finished = Finished.of(demo.redirectErrorStream(true));
    assertThat(finished.exitCode()).isEqualTo(1);
    assertThat(finished.out())
        .startsWith("Ray is not in " + directory)
        .contains("to fetch", "on disk", "run engines/setup ray, or ./demo --ray --install-ray")
        .doesNotContain("Building");
    assertThat(directory).isEmptyDirectory();
  }

  @Tag("campaign")
  @Test
  void secondRun_isTheOneReported() throws Exception {
    train("first", true);
    Set<String> first = runs();
    train("second", true);
    Set<String> second = runs();
    second.removeAll(first);

    String report = report();
    assertThat(first).hasSize(1);
    assertThat(second).hasSize(1);
    assertThat(report.lines().limit(3).collect(Collectors.joining()))
        .contains(second.iterator().next());
    assertThat(report).contains(first.iterator().next()).contains("worker.generate");
  }

  private Set<String> runs() throws IOException {
    return ProgramRun.Result.spans(directory.resolve("otlp")).stream()
        .map(span -> span.resource().text("roll.run_id"))
        .collect(Collectors.toSet());
  }

  private static Set<String> processes(List<Span> spans) {
    return spans.stream()
        .map(span -> span.resource().text("service.instance.id"))
        .collect(Collectors.toSet());
  }

  /** Trains for a few steps; gives each step's mean return. */
  private String train(String name, boolean traced, String... options)
      throws IOException, InterruptedException {
    Path returns = directory.resolve(name + ".returns");
    List<String> command = new ArrayList<>();
    String workers = "-Dworker.jvm.options=-Xmx256m";
    if (traced) {
      command.add("-javaagent:" + ProgramRun.AGENT);
      workers += " -javaagent:\"" + ProgramRun.AGENT + "\"";
    }
    command.add(workers);
    command.add("-jar");
    command.add(ProgramRun.ROOT.resolve("examples/target/roll-otel-examples.jar").toString());
    command.addAll(List.of("--steps", Integer.toString(STEPS), "--returns", returns.toString()));
    command.addAll(List.of(options));
    String said = java(command, traced);
    assertThat(said).doesNotContain("[roll-otel]");
    return Files.readString(returns);
  }

  private String report() throws IOException, InterruptedException {
    return java(
        List.of(
            "-jar", ProgramRun.AGENT.toString(), "report", directory.resolve("otlp").toString()),
        false);
  }

  private String java(List<String> arguments, boolean traced)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(Finished.jdk("java"), "-Xmx512m"));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Launched.clean(builder);
    if (traced) {
      builder.environment().put("ROLL_OTEL_ENABLED", "1");
      builder.environment().put("ROLL_OTEL_OUTPUT_DIR", directory.resolve("otlp").toString());
    }
    return Finished.of(builder).isWell().out();
  }
}
