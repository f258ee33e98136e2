package io.rollotel.traces.report;

import static io.rollotel.traces.kit.Requests.span;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.Spans;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the text says of a planted run. */
class RunReportTest extends RunReportFixture {

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

            What would save time? Estimated savings for all steps (they overlap):
                49%  1.73 s    the steps spend 99% of their time in no child span: this is saved if it becomes
                                 half of that; trace its parts to learn more

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
}
