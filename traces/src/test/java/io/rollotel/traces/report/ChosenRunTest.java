package io.rollotel.traces.report;

import static io.rollotel.traces.kit.Requests.span;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.Requests;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which of several runs a report shows, and what belongs to it. */
class ChosenRunTest extends RunReportFixture {

  @Test
  void severalRuns_theLatestIsShownAndTheOthersNamed() throws Exception {
    write("other.jsonl", Requests.of(List.of(span(7, 1, 0, "old", START - 9000 * MS, MS))));
    write(
        "third.jsonl",
        Requests.of(List.of(span(8, 1, 0, "older", 5, MS)), "roll.run_id", "0ld\u001b[1m"));
    plantedRun();
    assertThat(report(null))
        .startsWith("Run 5f3a9c1e, ")
        .endsWith(
            """

            Other runs there (--run ID shows one):
              -, started 2026-11-21 13:56:53 UTC, 1 span
              0ld?[1m, started 1970-01-01 00:00:00 UTC, 1 span
            """);
  }

  /** A worker that got no context from its pipeline begins a trace under a run id of its own. */
  @ParameterizedTest
  @CsvSource({
    "50, 'Run a, ', '  1 run without steps began during it: named at the end of this report\n'",
    "5000, 'Run b, ', '  these files have a run with steps as well, of 3 spans: --run a shows it\n'"
  })
  void runWithoutStepsBesideOneWithSteps_isShownOnlyIfItCameLater(
      long afterMillis, String start, String line) throws Exception {
    List<Span> steps = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      steps.add(span(i, 1, 0, "pipeline_step", START + 100 * i * MS, 90 * MS));
    }
    write("a.jsonl", Requests.of(steps, process("driver", "a", "h")));
    Span stray = span(9, 1, 0, "worker.score", START + (100 + afterMillis) * MS, 10 * MS);
    write("b.jsonl", Requests.of(List.of(stray), process("reward", "b", "h")));
    assertThat(report(null)).startsWith(start).contains(line);
  }

  @Test
  void wantedRun_isShown() throws Exception {
    write("other.jsonl", Requests.of(List.of(span(7, 1, 0, "old", START - 9000 * MS, MS))));
    plantedRun();
    assertThat(report("-"))
        .startsWith("Run -, started 2026-11-21 13:56:53 UTC, took 1.00 ms\n")
        .contains("5f3a9c1e, started 2026-11-21 13:57:02 UTC, 24 spans");
  }

  @Test
  void wantedRunThatIsNotThere_isSaidAndTheOthersNamed() throws Exception {
    plantedRun();
    RunReport report = read("nope");
    assertThat(report.isEmpty()).isTrue();
    assertThat(text(report))
        .isEqualTo(
            """
            No run nope in %s.

            Other runs there (--run ID shows one):
              5f3a9c1e, started 2026-11-21 13:57:02 UTC, 24 spans
            """
                .formatted(dir));
  }

  @Test
  void manyRuns_theTenLatestAreNamed() throws Exception {
    for (int i = 0; i < 15; i++) {
      write(
          "traces.jsonl",
          Requests.of(List.of(span(7 + i, 1, 0, "x", START + i * MS, MS)), "roll.run_id", "r" + i));
    }
    assertThat(report(null)).startsWith("Run r14,").contains("  r4,").doesNotContain("  r3,");
    assertThat(report(null)).endsWith("  and 4 older\n");
  }

  @Test
  void parentInAnotherRun_isNoOrphanAndTheRunsAreOne() throws Exception {
    write(
        "driver.jsonl", Requests.of(List.of(span(1, 1, 0, "step", START, MS)), "roll.run_id", "a"));
    write(
        "other.jsonl",
        Requests.of(List.of(span(1, 2, 1, "worker", START + 1, MS)), "roll.run_id", "b"));
    assertThat(report("b"))
        .isEqualTo(report("a"))
        .startsWith("Run a, ")
        .contains("1 trace, 2 spans", "\n  with b, whose processes share its traces: 1 process on")
        .doesNotContain("parent", "no root", "Other runs");
  }

  @Test
  void workersOfAPythonDriver_areItsRunWhateverTheirIds() throws Exception {
    List<Span> driver = new ArrayList<>();
    List<Span> one = new ArrayList<>();
    List<Span> two = new ArrayList<>();
    for (int i = 1; i <= 4; i++) {
      long start = START + 1000 * i * MS;
      driver.add(span(i, 1, 0, "pipeline_step", start, 100 * MS));
      one.add(span(i, 2, 1, "generate", start, 90 * MS));
      two.add(span(i, 3, 1, "generate", start, 50 * MS));
      two.add(span(i, 4, 1, "train", start + 91 * MS, 5 * MS));
    }
    write("p.jsonl", Requests.of(driver, "service.name", "py", "host.name", "a"));
    write("1.jsonl", Requests.of(one, process("w", "r1", "b")));
    write("2.jsonl", Requests.of(two, process("w", "r2", "b")));
    assertThat(report(null))
        .startsWith("Run r1, ")
        .contains("4 traces, 16 spans, 3 processes")
        .contains("  with r2, whose processes share its traces: 3 processes on 2 hosts\n")
        .contains("  w r1 was last in 4 of 4 fan-outs of generate, always,\n")
        .contains("waited 160 ms for it")
        .doesNotContain("Other runs");
    assertThat(report("r2")).isEqualTo(report(null));
    StringWriter json = new StringWriter();
    read("r2").writeJson(new PrintWriter(json));
    assertThat(json.toString())
        .contains("\"run\":\"r1\"", "\"joinedRuns\":[\"r2\"],\"hosts\":[\"a\",\"b\"]")
        .contains("\"spans\":16,\"with\":[\"r2\"]");
    assertThat(read(null).hasRun("r2")).isTrue();
    assertThat(read(null).hasRun("r3")).isFalse();
  }

  @Test
  void lostDriver_isNamedAndTheQuestionsAreAnswered() throws Exception {
    for (int rank = 0; rank < 4; rank++) {
      List<Span> spans = new ArrayList<>();
      for (int i = 1; i <= 10; i++) {
        long took = rank == 3 ? 100 : 80 + rank;
        spans.add(span(i, 10 + rank, 1, "generate", START + 1000 * i * MS, took * MS));
      }
      write(
          rank + ".jsonl",
          Requests.of(spans, process("actor", "a:" + rank, "node", "1", "" + rank)));
    }
    assertThat(report(null))
        .contains(
            """
              10 traces, 40 spans, 4 processes, 0 errors
              10 traces have no root: it had not ended, or was lost
              10 traces without a root are each only as long as what was read of it
              40 spans whose parent is not in the file
            """)
        .contains("10 traces, 1.00 s together, median 100 ms:\n   100%  1.00 s    generate")
        .contains("by span:\n   100%  1.00 s    generate")
        .contains("actor a:3 (rank 3) was last in 10 of 10 fan-outs of generate, always")
        .contains("waited 180 ms for it (18% of");
    StringWriter json = new StringWriter();
    read(null).writeJson(new PrintWriter(json));
    assertThat(json.toString())
        .contains("\"virtualSteps\":10", "\"spanId\":\"0000000000000001\"")
        .contains("\"nanos\":100000000,\"virtual\":true,")
        .contains("\"unendedTraces\":10,\"orphanSpans\":40,");
  }

  @Test
  void spansWithoutARun_belongToThatOfTheirTrace() throws Exception {
    write(
        "driver.jsonl", Requests.of(List.of(span(1, 1, 0, "step", START, MS)), "roll.run_id", "a"));
    write("python.jsonl", Requests.of(List.of(span(1, 2, 1, "worker", START, MS))));
    assertThat(report(null))
        .startsWith("Run a, ")
        .contains("1 trace, 2 spans")
        .doesNotContain("Other runs");
  }

  @Test
  void severalDirectories_areOneReport() throws Exception {
    Path first = Files.createDirectory(dir.resolve("first"));
    Path second = Files.createDirectory(dir.resolve("second"));
    write("first/traces.jsonl", Requests.of(List.of(span(1, 1, 0, "step", START, MS))));
    write(
        "second/traces.jsonl",
        Requests.of(List.of(span(1, 1, 0, "step", START, MS), span(1, 2, 1, "a", START, MS))));
    Files.writeString(second.resolve("traces.jsonl"), "garbage\n{}\n", StandardOpenOption.APPEND);
    RunReport report = RunReport.read(List.of(first, second), ReportOptions.latestRun());
    assertThat(text(report))
        .contains("1 trace, 2 spans")
        .contains("1 duplicate span left out; 0 truncated lines and 1 unreadable line")
        .contains("traces.jsonl, line 2: Unrecognized token 'garbage'");
  }
}
