package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Cases;
import io.rollotel.traces.kit.SerializedPasses;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.RunParts;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/** Runs in random parts, on one or several threads or in other JVMs. */
abstract class PartedRunsFixture {

  static final int EXACT = Integer.MAX_VALUE;

  static LongStream seeds() {
    return LongStream.range(0, Cases.of(500));
  }

  /** Spans in as many parts as there are lists; those of a trace are in one. */
  record Lists(List<List<Span>> parts) implements TraceParts {
    @Override
    public int count() {
      return parts.size();
    }

    @Override
    public void read(int part, Spans spans) {
      parts.get(part).forEach(spans::add);
    }

    @Override
    public List<Span> read(int part, Predicate<String> isWanted) {
      return parts.get(part).stream().filter(span -> isWanted.test(span.traceId())).toList();
    }
  }

  static Lists parts(List<Span> spans, CallJoins joins, Random random) {
    Map<String, List<Span>> byTrace = new TreeMap<>();
    for (Span span : spans) {
      byTrace.computeIfAbsent(joins.traceId(span.traceId()), trace -> new ArrayList<>()).add(span);
    }
    int count = 1 + random.nextInt(4);
    List<List<Span>> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      parts.add(new ArrayList<>());
    }
    byTrace.values().forEach(trace -> parts.get(random.nextInt(count)).addAll(trace));
    parts.forEach(part -> Collections.shuffle(part, random));
    return new Lists(parts);
  }

  static PartedRuns.Options options(Random random, int mostExact) {
    return new PartedRuns.Options(
        RunAnalysis.PIPELINE_STEP,
        /* isClockCorrected= */ true,
        /* isCompared= */ true,
        /* threads= */ 1 + random.nextInt(3),
        mostExact,
        (done, of) -> assertThat(done).isPositive().isLessThanOrEqualTo(of));
  }

  static PartedRuns inThreads(
      List<Span> spans, CallJoins joins, OpenSpans open, Random random, int mostExact)
      throws IOException {
    return new PartedRuns(parts(spans, joins, random), joins, open, options(random, mostExact));
  }

  static PartedRuns elsewhere(
      List<Span> spans, CallJoins joins, OpenSpans open, Random random, int mostExact)
      throws IOException {
    PartPasses passes = new SerializedPasses(parts(spans, joins, random), random);
    return new PartedRuns(passes, joins, open, options(random, mostExact));
  }

  static RunReport whole(List<Span> spans, CallJoins joins, OpenSpans open) {
    Spans all = new Spans();
    spans.forEach(all::add);
    all.joinCalls(joins);
    return RunReport.ofNewest(List.of(), ReportOptions.latestRun(), all, open);
  }

  static void assertSame(List<Span> spans, OpenSpans open, Random random) throws IOException {
    CallJoins joins = new CallJoins();
    spans.forEach(joins::see);
    RunReport whole = whole(spans, joins, open);
    assertSame(whole, inThreads(spans, joins, open, random, EXACT));
    if (random.nextInt(5) == 0) { // takes about ten times as long
      assertSame(whole, elsewhere(spans, joins, open, random, EXACT));
    }
  }

  static void assertSame(RunReport whole, PartedRuns parted) throws IOException {
    assertThat(parted.runs()).hasSize(whole.allRuns().rows().size());
    for (FoundRun run : parted.runs()) {
      RunAnalysis known = whole.ofRun(run.id()).analysis();
      assertThat(run.spans()).isEqualTo(known.members().length);
      assertThat(run.startEpochNanos()).isEqualTo(known.startEpochNanos());
      assertThat(TotalsInWords.of(parted.totals(run.number())))
          .isEqualTo(TotalsInWords.of(known.totals()));
      assertThat(TotalsInWords.of(alone(known).totals()))
          .isEqualTo(TotalsInWords.of(known.totals()));
    }
  }

  /** The run without the spans of others. */
  private static RunAnalysis alone(RunAnalysis run) {
    Spans spans = new RunParts(run.spans()).of(run.run());
    return new RunAnalysis(
        spans, new SpanTree(spans), run.run(), RunAnalysis.PIPELINE_STEP, run.clocks(), run.open());
  }

  /** How often each reason is there, and how it is shown. */
  static List<String> failures(RunTotals totals) {
    Spans spans = totals.spans();
    return totals.problems().failures().stream()
        .map(
            row ->
                row.count()
                    + " "
                    + spans.failureText(row.failure())
                    + (row.isVaried() ? ", varied" : ""))
        .toList();
  }
}
