package io.rollotel.traces.report;

import static io.rollotel.traces.kit.Requests.failed;
import static io.rollotel.traces.kit.Requests.span;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunReportTest {

  /** 2026-11-21 13:57:02 UTC. */
  private static final long START = 1_795_269_422_000_000_000L;

  private static final long MS = 1_000_000;

  @TempDir Path dir;

  @Test
  void plantedRun_isShownWithItsExactNumbers() throws Exception {
    plantedRun();
    assertThat(report(null))
        .isEqualTo(
            """
            Run 5f3a9c1e, started 2026-11-21 13:57:02 UTC, took 3.50 s
              2 traces, 24 spans, 3 processes, 2 errors
              1 span whose parent is not in the file

            Where is the time spent? 2 steps, 3.50 s together, median 500 ms, 34.29 a minute:
               1.1%  39.0 ms   worker.generate
               0.0%  789 µs    worker.update_model
                99%  3.46 s    unattributed: in no child of the step

            What is the critical path? Time on the critical path of the steps, by span:
                99%  3.46 s    pipeline_step
               1.1%  38.0 ms   worker.generate
               0.0%  789 µs    worker.update_model
              and by process:
                99%  3.46 s    driver d:1
               1.1%  38.0 ms   worker w:9 (rank 9)
               0.0%  789 µs    worker w:10 (rank 10)

            Which step or worker is the bottleneck?
              pipeline_step's own work, in no child span, is 99% of the critical path: trace its parts
              the step of trace 00000000000000000000000000000001 took longest: 3.00 s, 6.0 times the median
              2 workers were idle for 99% of step time, most of all
                worker w:10 (rank 10), for 100%

              service  instance  host   rank  spans     busy  bubble  on path
              driver   d:1       node1            2        -       -      99%
              worker   w:9       node2     9     21  39.0 ms     99%     1.1%
              worker   w:10      node2    10      1   789 µs    100%     0.0%

              span                 count    total     self     mean      p50      p95      p99      max
              pipeline_step            2   3.50 s   3.46 s   1.75 s   500 ms   3.00 s   3.00 s   3.00 s
              worker.generate         20   210 ms   210 ms  10.5 ms  10.0 ms  19.0 ms  20.0 ms  20.0 ms
              worker.update_model      1   789 µs   789 µs   789 µs   789 µs   789 µs   789 µs   789 µs
              late                     1  1.00 µs  1.00 µs  1.00 µs  1.00 µs  1.00 µs  1.00 µs  1.00 µs

              span                 worker                 count     mean  mean self      p95
              pipeline_step        driver d:1                 2   1.75 s     1.73 s   3.00 s
              worker.generate      worker w:9 (rank 9)       20  10.5 ms    10.5 ms  19.0 ms
              worker.update_model  worker w:10 (rank 10)      1   789 µs     789 µs   789 µs
              late                 worker w:9 (rank 9)        1  1.00 µs    1.00 µs  1.00 µs

            The slowest steps:
              step    took  unattributed  longest phase        it took  trace
              -     3.00 s        2.96 s  worker.generate      39.0 ms  00000000000000000000000000000001
              -     500 ms        499 ms  worker.update_model   789 µs  00000000000000000000000000000002

              slowest spans       took  on                   trace
              worker.generate  20.0 ms  worker w:9 (rank 9)  00000000000000000000000000000001
              worker.generate  19.0 ms  worker w:9 (rank 9)  00000000000000000000000000000001
              worker.generate  18.0 ms  worker w:9 (rank 9)  00000000000000000000000000000001
              worker.generate  17.0 ms  worker w:9 (rank 9)  00000000000000000000000000000001
              worker.generate  16.0 ms  worker w:9 (rank 9)  00000000000000000000000000000001

              errors  of                   reason
              1       worker.generate      -
              1       worker.update_model  -
            """);
  }

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

  private static String[] process(String service, String runId, String host) {
    return new String[] {
      "service.name", service, "service.instance.id", runId, "host.name", host, "roll.run_id", runId
    };
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

  @Test
  void troubleInTheFiles_isReported() throws Exception {
    byte[] request = Requests.of(List.of(span(1, 1, 0, "a", START, MS)));
    write("traces.jsonl", request);
    write("traces.jsonl", request);
    Files.writeString(
        dir.resolve("traces.jsonl"), "garbage\n{\"resourceSp", StandardOpenOption.APPEND);
    assertThat(report(null))
        .contains(
            """
            All files: 1 duplicate span left out; 1 truncated line and 1 unreadable line skipped
              traces.jsonl, line 3: Unrecognized token 'garbage'""");
  }

  @Test
  void clockThatGoesBackwards_isReportedAndCountedAsZero() throws Exception {
    write("traces.jsonl", Requests.of(List.of(span(1, 1, 0, "a", START, -5))));
    assertThat(report(null))
        .contains("took 0 ns\n")
        .contains("  1 span that ends before the start, counted as 0 ns\n");
  }

  @Test
  void spansWithoutTimes_haveNone() throws Exception {
    write("traces.jsonl", Requests.of(List.of(span(1, 1, 0, "a", 0, 0))));
    assertThat(report(null)).startsWith("Run -, started unknown, took 0 ns\n");
  }

  @Test
  void hostileNames_stayWithinTheirColumns() throws Exception {
    String name = "\u001b]0;title\u0007\n" + "x".repeat(500);
    write(
        "traces.jsonl",
        Requests.of(
            List.of(span(1, 1, 0, name, START, 59 * 60_000 * MS)),
            "service.name",
            name,
            "service.instance.id",
            name,
            "host.name",
            name,
            "process.pid",
            name,
            "roll.rank",
            name,
            "roll.run_id",
            name));
    assertThat(report(null).split("\n"))
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(100))
        .allSatisfy(line -> assertThat(line).doesNotContainPattern("\\p{Cntrl}"));
  }

  @ParameterizedTest
  @CsvSource({"3, 2, 6, 0", "20, 3, 60, 0", "30, 3, 60, 30", "100, 2, 64, 136"})
  void workersBySpan_areShownNameByNameUpToSoMany(int workers, int names, int rows, int more)
      throws Exception {
    for (int worker = 0; worker < workers; worker++) {
      List<Span> spans = new ArrayList<>();
      for (int name = 0; name < names; name++) {
        spans.add(
            span(1, 1 + names * worker + name, 0, "f" + name, START, (9 - name) * MS + worker));
      }
      write("traces.jsonl", Requests.of(spans, process("w", "w" + worker, "node", "1")));
    }
    String report = report(null);
    String table = report.substring(report.indexOf("  span  worker")).split("\n\n")[0];
    assertThat(table.lines().filter(line -> line.matches("  f\\d .*"))).hasSize(rows);
    assertThat(table.lines().skip(1)).first().asString().contains("w w" + (workers - 1) + " ");
    assertThat(table.contains("and " + more + " more spans of workers (--json has them)"))
        .isEqualTo(more > 0);
  }

  @ParameterizedTest
  @CsvSource({
    "1, Not ended:, false",
    "0, not ended:, true",
  })
  void traceWithOpenSpans_namesThem(long trace, String text, boolean hasEnded) {
    Planted planted = new Planted().inUnitsOf(MS);
    planted.span(0, 0, "pipeline_step", "driver@a", 0, 100);
    Spans spans = new Spans();
    planted.spans().forEach(spans::add);
    OpenSpans open =
        new OpenSpans(
            List.of(
                planted.recording(
                    "w1@b",
                    false,
                    50,
                    planted.open(0, 8, 1, "generate", 10),
                    planted.open(1, 9, 0, "generate", 50))));
    StringWriter printed = new StringWriter();
    assertThat(
            RunReport.ofNewest(List.of(), ReportOptions.latestRun(), spans, open)
                .printTrace(String.format("%032x", trace), new ReportWriter(printed)))
        .isTrue();
    assertThat(printed.toString().contains("Trace ")).isEqualTo(hasEnded);
    assertThat(printed.toString())
        .contains(
            text
                + " generate for "
                + (hasEnded ? "40.0 ms" : "< 500 ms")
                + " on w w1 (rank 1), which has died\n");
  }

  @Test
  void deadProcessWithOpenSpans_isAmongTheFirstLines() {
    Planted planted = new Planted().inUnitsOf(MS);
    planted.span(1, 0, "pipeline_step", "driver@a", 0, 100);
    Spans spans = new Spans();
    planted.spans().forEach(spans::add);
    List<Recording> recordings = new ArrayList<>();
    recordings.add(planted.recording("w0@b", true, 50, planted.open(1, 8, 0, "alive", 10)));
    recordings.add(planted.recording("w1@b", false, 50));
    for (int worker = 2; worker < 9; worker++) {
      recordings.add(
          planted.recording(
              "w" + worker + "@b",
              false,
              50,
              planted.open(1, 10 * worker, 0, "com.acme.rl.workers.ActorWorker.generate", 30),
              planted.open(1, 10 * worker + 1, 0, "rollout", 10)));
    }
    RunReport report =
        RunReport.ofNewest(List.of(), ReportOptions.latestRun(), spans, new OpenSpans(recordings));
    assertThat(text(report).lines().skip(2).limit(2))
        .containsExactly(
            "  w w2 (rank 2), pid 4711, died with 2 spans open: c.a.r.w.ActorWorker.generate for 20.0 ms,"
                + " rollout",
            "      for 40.0 ms");
    assertThat(text(report).lines().limit(13))
        .filteredOn(line -> line.contains(", died with 2 spans open: "))
        .hasSize(5);
    assertThat(text(report))
        .contains("  and 2 other processes ended or died with spans open\n")
        .containsPattern("alive +40.0 ms +w w0 \\(rank 0\\) +alive");
  }

  @Test
  void droppedSpans_areAmongTheFirstLines() {
    Planted planted = new Planted();
    planted.span(1, 0, "pipeline_step", "driver@a", 0, 100);
    Spans spans = new Spans();
    planted.spans().forEach(spans::add);
    List<Recording> recordings = new ArrayList<>();
    recordings.add(planted.recording("w0@b", true, 50));
    for (int worker = 1; worker < 8; worker++) {
      recordings.add(planted.dropped("w" + worker + "@b", worker));
    }
    RunReport report =
        RunReport.ofNewest(List.of(), ReportOptions.latestRun(), spans, new OpenSpans(recordings));
    assertThat(text(report).replaceAll("\\s+", " "))
        .contains(
            " 28 spans were dropped, so that counts and times are too low: by w w7 (rank 7) (7),"
                + " w w6 (rank 6) (6), w w5 (rank 5) (5), w w4 (rank 4) (4), w w3 (rank 3) (3) and 2"
                + " other processes; their stderr says why ");
  }

  @ParameterizedTest
  @CsvSource({
    "true, 400, has been open for 4.00 s on w w1 (rank 1)",
    "false, 400, was still open after 4.00 s when w w1 (rank 1) died",
    "true, 1700, ''",
    "false, 1700, ''"
  })
  void callThatIsOpenForLong_isABottleneck(boolean isAlive, int longest, String said) {
    Planted planted = new Planted().inUnitsOf(MS);
    for (int call = 1; call <= 5; call++) {
      planted.span(
          call, 0, "worker.handle", "w1@b", 100 * call, 100 * call + (call == 3 ? longest : 40));
    }
    Spans spans = new Spans();
    planted.spans().forEach(spans::add);
    Recording worker =
        planted.recording(
            "w1@b",
            isAlive,
            6000,
            planted.open(6, 91, 90, "worker.handle", 2000),
            planted.open(6, 90, 0, "worker.handle", 1000));
    RunReport report =
        RunReport.ofNewest(
            List.of(), ReportOptions.latestRun(), spans, new OpenSpans(List.of(worker)));
    String words = text(report).replaceAll("\\s+", " ");
    if (said.isEmpty()) {
      assertThat(words).doesNotContain(" that have ended took ");
      return;
    }
    assertThat(words)
        .contains(
            "bottleneck? worker.handle "
                + said
                + ", in trace 00000000000000000000000000000006: the longest of the 5 that have ended"
                + " took 400 ms ");
  }

  @Test
  void severalCallsThatAreOpenForLong_theOneThatExceedsItsNameMostIsABottleneck() {
    Planted planted = new Planted().inUnitsOf(MS);
    for (int call = 1; call <= 5; call++) {
      planted.span(call, 0, "worker.slow", "w1@b", 100 * call, 100 * call + 900);
      planted.span(10 + call, 0, "worker.quick", "w1@b", 100 * call, 100 * call + 10);
    }
    Spans spans = new Spans();
    planted.spans().forEach(spans::add);
    Recording worker =
        planted.recording(
            "w1@b",
            true,
            9000,
            planted.open(31, 91, 0, "worker.slow", 6000),
            planted.open(30, 90, 0, "worker.quick", 5000));
    RunReport report =
        RunReport.ofNewest(
            List.of(), ReportOptions.latestRun(), spans, new OpenSpans(List.of(worker)));
    assertThat(text(report))
        .contains("  worker.quick has been open for 4.00 s on ")
        .doesNotContain("worker.slow has been open");
  }

  @ParameterizedTest
  @CsvSource({"true, false", "false, true"})
  void stepInWhichAProcessDied_saysSo(boolean isAlive, boolean isSaid) {
    Planted planted = new Planted().inUnitsOf(MS);
    for (int step = 1; step <= 5; step++) {
      planted.span(
          step, 0, "pipeline_step", "driver@a", 1000 * step, 1000 * step + (step == 5 ? 900 : 100));
    }
    Spans spans = new Spans();
    planted.spans().forEach(spans::add);
    Recording worker =
        planted.recording("w2@b", isAlive, 5600, planted.open(5, 90, 0, "worker.generate", 5100));
    RunReport report =
        RunReport.ofNewest(
            List.of(), ReportOptions.latestRun(), spans, new OpenSpans(List.of(worker)));
    assertThat(
            text(report)
                .replaceAll("\\s+", " ")
                .contains(
                    "took longest: 900 ms, 9.0 times the median; w w2 (rank 2) died in it, in worker.generate"))
        .isEqualTo(isSaid);
  }

  @Test
  void noSpans_saysWhereItLookedAndWhatToDo() throws Exception {
    RunReport report = read(null);
    assertThat(report.isEmpty()).isTrue();
    assertThat(text(report))
        .startsWith(
            "No spans found in " + dir + ".\nThere is no file *.jsonl, *.jsonl.gz or *.parquet")
        .contains("ROLL_OTEL_ENABLED=1");
    Files.writeString(dir.resolve("empty.jsonl"), "{}\n");
    assertThat(report(null)).contains("Read 1 file, the first: " + dir.resolve("empty.jsonl"));
  }

  @Test
  void filesThatCannotBeRead_areNamedBeforeAnyGuess() throws Exception {
    Files.writeString(dir.resolve("traces.jsonl"), "no JSON at all\n{}\n");
    String report = report(null);
    assertThat(report)
        .containsSubsequence("No spans found", "traces.jsonl, line 1: ", "\n\nWas the program");
  }

  @ParameterizedTest
  @CsvSource({
    "1971-03-01T00:00:00Z, 1",
    "2200-01-01T00:00:00Z, 1",
    "2026-11-21T13:57:00Z, 7300000"
  })
  void spanOfAnotherCentury_costsANoticeAndNotTheTimeline(Instant start, long minutes)
      throws Exception {
    long minute = 60_000_000_000L;
    List<Span> spans = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      spans.add(span(1 + i, 1, 0, "pipeline_step", START + i * minute, minute));
    }
    long astray = start.getEpochSecond() * 1_000_000_000;
    spans.add(span(1, 2, 1, "astray", astray, minutes * minute));
    List<Span> older = List.of(span(99, 1, 0, "before", START - 600 * minute, minute));
    write("traces.jsonl", Requests.of(spans, "roll.run_id", "r"));
    write("traces.jsonl", Requests.of(older, "roll.run_id", "older"));
    assertThat(report(null))
        .startsWith("Run r, started 2026-11-21 13:57:02 UTC, took 1h 00m")
        .contains("  1 span is years away from the others, counted as 0 ns\n")
        .doesNotContain("without times");
    ReportContents.Header header = read(null).contents().header();
    assertThat(header.startEpochNanos()).isEqualTo(START);
    assertThat(header.wallNanos()).isEqualTo(60 * minute);
  }

  @Test
  void missingDirectory_isAnException() {
    assertThatThrownBy(
            () -> RunReport.read(List.of(dir.resolve("none")), ReportOptions.latestRun()))
        .isInstanceOf(NoSuchFileException.class);
  }

  /** Two steps on the driver, twenty-two calls of two workers, one of them without its parent. */
  private void plantedRun() throws Exception {
    write(
        "traces.jsonl",
        Requests.of(
            List.of(
                span(1, 1, 0, "pipeline_step", START, 3000 * MS),
                span(2, 2, 0, "pipeline_step", START + 3000 * MS, 500 * MS)),
            process("driver", "d:1", "node1", "10")));
    List<Span> generate = new ArrayList<>();
    for (int i = 1; i <= 20; i++) {
      Span span = span(1, 100 + i, 1, "worker.generate", START + i * MS, i * MS);
      generate.add(i == 20 ? failed(span) : span);
    }
    generate.add(span(2, 300, 999, "late", START + MS, 1000));
    write("traces.jsonl", Requests.of(generate, process("worker", "w:9", "node2", "20", "9")));
    write(
        "w-10.jsonl",
        Requests.of(
            List.of(failed(span(2, 200, 2, "worker.update_model", START + 3009 * MS, 789_000))),
            process("worker", "w:10", "node2", "21", "10")));
  }

  private static String[] process(
      String service, String instance, String host, String pid, String... rank) {
    List<String> attributes =
        new ArrayList<>(
            List.of(
                "service.name", service,
                "service.instance.id", instance,
                "host.name", host,
                "process.pid", pid,
                "roll.run_id", "5f3a9c1e"));
    if (rank.length != 0) {
      attributes.addAll(List.of("roll.rank", rank[0]));
    }
    return attributes.toArray(String[]::new);
  }

  private void write(String file, byte[] request) throws Exception {
    PlantedFile.write(dir.resolve(file), request);
  }

  private RunReport read(@Nullable String runId) throws IOException {
    return RunReport.read(List.of(dir), ReportOptions.latestRun().withRun(runId));
  }

  private String report(@Nullable String runId) throws IOException {
    return text(read(runId));
  }

  private static String text(RunReport report) {
    StringWriter text = new StringWriter();
    report.print(new ReportWriter(text));
    return text.toString().replace(System.lineSeparator(), "\n");
  }
}
