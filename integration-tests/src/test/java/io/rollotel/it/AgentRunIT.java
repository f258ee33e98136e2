package io.rollotel.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.FileSpans;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.it.kit.SpanEvents;
import io.rollotel.traces.page.HtmlPage;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.ReportWriter;
import io.rollotel.traces.report.RunReport;
import java.io.ByteArrayOutputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent loop among the examples: its runs, its steps, and records that lead to them. */
class AgentRunIT {

  private static final int EPISODES = 6;

  private @TempDir Path directory;

  @Test
  void agentLoop_leavesRunsStepsAndRecordsThatNameThem() throws Exception {
    Result result = example().environment("ROLL_OTEL_RUNS_ENABLED", "1").run().isClean();

    FileSpans spans = new FileSpans(result);
    Map<String, FileSpans.Entry> steps =
        spans.all().stream()
            .filter(span -> span.name().equals("rlm.step"))
            .collect(Collectors.toMap(FileSpans.Entry::spanId, span -> span));
    List<String> records = Files.readAllLines(directory.resolve("episodes.jsonl"));
    assertThat(records).hasSameSizeAs(steps.values()).hasSizeGreaterThan(EPISODES);
    for (String line : records) {
      Map<?, ?> record = (Map<?, ?>) SpanEvents.parse(line);
      FileSpans.Entry step = steps.get(record.get("span_id"));
      assertThat(step.traceId()).isEqualTo(record.get("trace_id"));
      assertThat(step.attributes())
          .containsEntry("rlm.step", Long.valueOf((String) record.get("step")))
          .containsEntry("rlm.reward", Double.valueOf((String) record.get("reward")));
      assertThat(spans.below(step))
          .singleElement()
          .satisfies(worker -> assertThat(worker.name()).isEqualTo("worker.expand"));
    }
    for (int episode = 1; episode <= EPISODES; episode++) {
      FileSpans.Entry run = spans.with("rlm.run", "rlm.run_id", "episode-" + episode);
      assertThat(run.status()).isEqualTo("OK");
      assertThat(run.events().toString()).contains("123/456/780");
    }
    theReportShowsThem(records.size());
  }

  /** As a table, and on the page. */
  private void theReportShowsThem(int steps) throws Exception {
    Path output = directory.resolve("output/otlp");
    RunReport report = RunReport.read(List.of(output), ReportOptions.latestRun());
    StringWriter text = new StringWriter();
    report.print(new ReportWriter(text));
    assertThat(text.toString())
        .contains("Runs of an agent: " + EPISODES + " of " + EPISODES + " completed, " + steps)
        .containsPattern("episode-1 +completed +\\d+ +0 +\\d+\\.\\d\\d ");
    ByteArrayOutputStream page = new ByteArrayOutputStream();
    HtmlPage.read(List.of(output), ReportOptions.latestRun()).write(page);
    assertThat(page.toString(UTF_8))
        .contains("\"agentRuns\":{\"count\":" + EPISODES + ",\"completed\":" + EPISODES)
        .contains("\"steps\":" + steps, "\"id\":\"episode-1\"", "[\"search\",");
  }

  @Test
  void withoutTheAgent_theSamePuzzlesAreSolvedInTheSameWay() throws Exception {
    Result traced = example().environment("ROLL_OTEL_RUNS_ENABLED", "1").run();
    Result plain = example().withoutAgent().withoutEnvironment("ROLL_OTEL_ENABLED").run().isClean();
    assertThat(plain.out()).isEqualTo(traced.out());
    assertThat(plain.lines()).hasSize(EPISODES);
    assertThat(Files.readString(directory.resolve("episodes.jsonl"))).doesNotContain("trace_id");
  }

  private ProgramRun example() throws Exception {
    Path target = ProgramRun.ROOT.resolve("examples/target");
    ProgramRun program =
        ProgramRun.of(directory, Object.class)
            .onlyClassPath(target.resolve("classes"))
            .classPath(ProgramRun.ROOT.resolve("annotations/target/classes"))
            .telemetry()
            .openTelemetry(System.getProperty("opentelemetry.newest"), false);
    return program.main("io.rollotel.examples.agentrun.AgentRun", Integer.toString(EPISODES), "7");
  }
}
