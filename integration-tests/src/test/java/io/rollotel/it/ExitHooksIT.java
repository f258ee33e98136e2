package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A signal stops a program inside a run, and the program has shutdown hooks of its own. */
@Timeout(600)
class ExitHooksIT {

  private @TempDir Path directory;

  private ProgramRun program(String hook) throws Exception {
    return ProgramRun.of(directory, StoppedAgent.class, hook)
        .telemetry()
        .openTelemetry(System.getProperty("opentelemetry.newest"), false)
        .environment("ROLL_OTEL_RUNS_ENABLED", "1");
  }

  /** A tool that the exit has cut off may be open, and no run or step. */
  private List<Span> spans() throws Exception {
    List<Span> spans = new ArrayList<>();
    TracesReader reader = new TracesReader();
    reader.read(directory.resolve("output/otlp"), spans::add);
    assertThat(reader.recordings())
        .allMatch(Recording::hasExited)
        .flatExtracting(Recording::open)
        .extracting(OpenSpan::name)
        .isSubsetOf("worker.tool");
    return spans;
  }

  @ParameterizedTest
  @ValueSource(strings = {"drains", "throws", "drains, then halts"})
  void hookThatFinishesTheRun_hasItWhole(String hook) throws Exception {
    List<String> lines;
    String err;
    try (LiveProgram program = program(hook).start()) {
      program.await("= ready");
      lines = program.stop();
      err = program.err();
    }
    assertThat(err.lines().filter(line -> line.contains("[roll-otel]"))).isEmpty();
    String completed = lines.get(lines.size() - 1);
    List<Span> spans = new ArrayList<>();
    TracesReader reader = new TracesReader();
    reader.read(directory.resolve("output/otlp"), spans::add);
    Map<String, List<Span>> named = spans.stream().collect(Collectors.groupingBy(Span::name));
    assertThat(completed).isEqualTo("completed " + named.get("rlm.run").size());
    assertThat(named.get("rlm.step")).hasSize(4 * named.get("rlm.run").size());
    assertThat(named.get("worker.tool")).hasSize(4 * named.get("rlm.run").size());
    assertThat(reader.recordings()).allMatch(recording -> recording.open().isEmpty());
    if (hook.contains("halts")) {
      return; // the spans of the last moment have no attributes
    }
    assertThat(reader.recordings()).isEmpty();
    assertThat(named.get("rlm.run"))
        .allSatisfy(
            run -> {
              assertThat(run.statusCode()).isEqualTo(1);
              assertThat(run.attributes())
                  .containsEntry("rlm.completed", true)
                  .containsEntry("rlm.total_steps", 4L)
                  .containsEntry("rlm.total_reward", 2.0);
            });
    assertThat(spans)
        .filteredOn(span -> span.parentSpanId().isEmpty())
        .allMatch(span -> span.name().equals("rlm.run"));
  }

  /** Several times, since the moment is random. */
  @ParameterizedTest
  @CsvSource({"none, ''", "names threads, threads []", "none, ''", "none, ''"})
  void programWithoutSuchAHook_hasItsRunClosedAndIsNotBlamed(String hook, String printed)
      throws Exception {
    try (LiveProgram program = program(hook).start()) {
      program.await("= ready");
      assertThat(String.join("\n", program.stop())).isEqualTo(printed);
      assertThat(program.err()).isEmpty();
    }
    List<Span> runs =
        spans().stream().filter(span -> span.name().equals("rlm.run")).collect(Collectors.toList());
    assertThat(runs).hasSizeGreaterThanOrEqualTo(2);
    assertThat(runs)
        .filteredOn(run -> Boolean.FALSE.equals(run.attributes().get("rlm.completed")))
        .hasSizeLessThanOrEqualTo(1)
        .allMatch(run -> run.statusCode() == 0);
  }
}
