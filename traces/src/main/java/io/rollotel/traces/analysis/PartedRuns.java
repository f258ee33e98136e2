package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.RunDates;
import io.rollotel.traces.spans.RunJoins;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs whose spans do not fit into memory: their traces are read in parts, a few at a time. The
 * results equal those of {@link RunAnalysis} on all traces at once.
 *
 * <p>Some facts about all traces are needed before one of them can be analysed: numbers for names
 * and processes, which runs are one, which dates are plausible, how far clocks differ, what counts
 * as a step. So the parts are processed several times.
 */
public final class PartedRuns {

  /**
   * How runs are analysed.
   *
   * @param stepName the name of the spans that are steps
   * @param isClockCorrected whether times may be put on one clock
   * @param isCompared whether totals will be compared with others, which takes memory
   * @param threads how many parts are in memory at once
   * @param mostExact if there are more durations of a kind than this, percentiles are estimated
   * @param progress told after each part that was worked on
   */
  public record Options(
      String stepName,
      boolean isClockCorrected,
      boolean isCompared,
      int threads,
      int mostExact,
      Progress progress) {}

  /** Receives the progress of the work. */
  public interface Progress {
    /**
     * Reports how often parts have been processed, of the number currently known to be needed.
     *
     * @param of grows if more work turns out to be needed
     */
    void worked(long done, long of);
  }

  private final PartPasses passes;
  private final CallJoins joins;
  private final OpenSpans open;
  private final List<Span> notEnded;
  private final Options options;

  /** The numbers of all names, processes and runs, without spans. */
  private final Spans numbers = new Spans();

  private final RunJoins runJoins;
  private final PartFacts facts;

  /** The totals of the parts, once all facts are known. */
  private final PartPreparation known;

  /** By run: how its path goes through its steps, if {@link #totals} has found one. */
  private final Map<Integer, RunVisits> visits = new HashMap<>();

  /**
   * Looks through all traces, in threads of this JVM.
   *
   * @param joins the receivers' traces that belong to their senders' traces
   * @param open spans that have not ended
   * @throws IOException if a part cannot be read
   */
  public PartedRuns(TraceParts parts, CallJoins joins, OpenSpans open, Options options)
      throws IOException {
    this(new ThreadPasses(parts, options.threads, options.progress), joins, open, options);
  }

  /**
   * Reads all traces, wherever they are.
   *
   * @param options whose threads and progress are not used
   * @throws IOException if a part cannot be read
   */
  public PartedRuns(PartPasses passes, CallJoins joins, OpenSpans open, Options options)
      throws IOException {
    this.passes = passes;
    this.joins = joins;
    this.open = open;
    this.notEnded = open.asSpans();
    this.options = options;
    BitSet used = number();
    this.runJoins = new RunJoins(numbers);
    if (used.cardinality() > 1) {
      passes.more(2);
      join();
    }
    this.facts = facts();
    this.known = preparation(facts.dates, facts.clocks);
    findClocks();
    runJoins.addOthers(facts.otherIds);
    numbers.joinedRuns(runJoins);
  }

  private PartPreparation preparation(RunDates dates, ClockCorrection clocks) {
    return new PartPreparation(numbers, joins, notEnded, runJoins, dates, clocks);
  }

  // ---- facts about all traces

  /** Gives all names, processes and runs numbers; returns the runs that have spans. */
  private BitSet number() throws IOException {
    PartWorks.Numbered found = new PartWorks.Numbered(numbers);
    passes.each(new Spans(), new PartWorks.Numbering(joins, notEnded), found);
    BitSet used = new BitSet();
    found.used().forEach(run -> used.set(numbers.runs().find(run)));
    return used;
  }

  private void join() throws IOException {
    passes.each(numbers, new PartWorks.Beginning(numbers, joins), runJoins);
    runJoins.rank();
    passes.each(numbers, new PartWorks.Meeting(numbers, joins, runJoins), runJoins);
    runJoins.unite();
  }

  private PartFacts facts() throws IOException {
    PartFacts found = facts(new RunDates());
    if (found.dates.areAllTrue()) {
      return found;
    }
    passes.more(1);
    return facts(found.dates);
  }

  private PartFacts facts(RunDates dates) throws IOException {
    ClockCorrection none = new ClockCorrection(numbers, options.isClockCorrected);
    PartWorks.Looking looking =
        new PartWorks.Looking(preparation(dates, none), options.stepName, options.isClockCorrected);
    PartFacts all = looking.none();
    passes.each(numbers, looking, all);
    return all;
  }

  private void findClocks() throws IOException {
    if (facts.clocks.isOneHost()) {
      return;
    }
    passes.more(1);
    passes.each(numbers, new PartWorks.Ending(known), facts.clocks);
    facts.clocks.conclude();
    facts.shapes.forEach(
        (run, shape) -> {
          Clocks clocks = facts.clocks.ofRun(run);
          shape.setBack(process -> clocks.shiftNanos(numbers.processes().get(process).host()));
        });
  }

  // ---- results

  /** All runs, the latest first. */
  public List<FoundRun> runs() {
    return facts.extents.entrySet().stream()
        .map(
            run ->
                new FoundRun(
                    run.getKey(),
                    numbers.runs().text(run.getKey()),
                    startEpochNanos(run.getKey(), run.getValue()),
                    endEpochNanos(run.getKey(), run.getValue()),
                    run.getValue().spans,
                    !facts.shape(run.getKey()).areTraces(),
                    numbers.joinedRuns(run.getKey())))
        .sorted(FoundRun.LATEST_FIRST)
        .toList();
  }

  private long endEpochNanos(int run, PartFacts.Extent extent) {
    Clocks clocks = facts.clocks.ofRun(run);
    return extent.ends.entrySet().stream()
        .mapToLong(
            end -> end.getValue() - clocks.shiftNanos(numbers.processes().get(end.getKey()).host()))
        .max()
        .orElse(0);
  }

  private long startEpochNanos(int run, PartFacts.Extent extent) {
    Clocks clocks = facts.clocks.ofRun(run);
    return extent.starts.entrySet().stream()
        .mapToLong(
            start ->
                start.getValue()
                    - clocks.shiftNanos(numbers.processes().get(start.getKey()).host()))
        .min()
        .orElse(0);
  }

  /**
   * The sums of all traces of a run.
   *
   * @throws IOException if a part cannot be read
   */
  public RunTotals totals(int run) throws IOException {
    PartWorks.Adding adding =
        new PartWorks.Adding(analysing(run), options.isCompared, options.mostExact);
    RunTotals all = adding.totals(new TracesOf(run));
    passes.each(numbers, adding, all);
    all.addOpen(openOf(run));
    if (all.steps().hasPathOfRun()) {
      findPath(run, all);
    }
    return all;
  }

  /** If steps overlap: the one path of all of them, unless there are too many steps. */
  private void findPath(int run, RunTotals all) throws IOException {
    passes.more(2);
    PartWorks.Outlining outlining = new PartWorks.Outlining(analysing(run), StepOutlines.MOST_ROWS);
    StepOutlines outlines = outlining.none();
    passes.each(numbers, outlining, outlines);
    RunVisits found = outlines.visits();
    if (found == null) {
      return;
    }
    visits.put(run, found);
    PartWorks.Following following = new PartWorks.Following(analysing(run), found);
    PathShares path = PathShares.none(all.spans(), /* isOfRun= */ true);
    path.addBetween(found.betweenNanos());
    passes.each(numbers, following, path);
    all.takePathOfRun(path);
  }

  /**
   * The traces whose ids begin with some digits, also those of other runs. Reads all parts.
   *
   * @throws IOException if a part cannot be read
   */
  public FoundTraces find(int run, String prefix) throws IOException {
    FoundTraces found = new FoundTraces(prefix, run);
    for (int part = 0; part < passes.parts(); part++) {
      Spans spans = passes.read(part, numbers);
      known.join(spans);
      found.look(spans);
    }
    return found;
  }

  /**
   * The part of a run that has a trace.
   *
   * @param traceId 32 hex digits
   * @return null if the run has no such trace
   * @throws IOException if a part cannot be read
   */
  public @Nullable RunAnalysis withTrace(int run, String traceId) throws IOException {
    PartWorks.Analysing analysing = analysing(run);
    for (int part = 0; part < passes.parts(); part++) {
      Spans spans = passes.read(part, numbers);
      RunAnalysis analysis = analysing.of(spans);
      if (analysis.findTrace(traceId) != null) {
        return analysis;
      }
    }
    return null;
  }

  /**
   * The result of some work on all traces of a run.
   *
   * @throws IOException if a part cannot be read
   */
  public <T> T each(int run, RunWork<T> work) throws IOException {
    passes.more(1);
    T all = work.none();
    passes.each(numbers, new PartWorks.Making<>(analysing(run), work), all);
    return all;
  }

  /**
   * Chosen traces of a run, together in memory. Names, processes and runs have the numbers that
   * they have in {@link #totals}.
   *
   * @param traceIds as the analysis of a part has them
   * @param tags receives the attributes of their spans
   * @throws IOException if a part cannot be read
   */
  public RunAnalysis traces(int run, Set<String> traceIds, SpanTags tags) throws IOException {
    Spans spans = Spans.withNumbersOf(numbers, tags);
    passes.read(traceIds, joins, spans::add);
    return analysing(run).of(spans);
  }

  /** All traces of a run. */
  private final class TracesOf implements Findings.Traces {
    private final int run;

    TracesOf(int run) {
      this.run = run;
    }

    @Override
    public Replays replay(RunTotals totals, SlowProcesses slow, List<WhatIf> questions) {
      Replays all = new Replays(totals.spans(), questions.size());
      if (!questions.isEmpty()) {
        boolean areOverlapping = totals.steps().hasPathOfRun();
        WorkBeside beside = areOverlapping ? new WorkBeside(totals.workers()) : null;
        each(
            new PartWorks.Replaying(analysing(run), slow, questions, beside),
            new PartWorks.Replayed(totals.spans(), all));
      }
      return all;
    }

    @Override
    public EndsDuringWaits endsDuring(SuspectedWaits waits) {
      passes.more(1);
      PartWorks.Waiting waiting = new PartWorks.Waiting(analysing(run), waits);
      EndsDuringWaits all = waiting.none();
      each(waiting, all);
      return all;
    }

    private <T> void each(PartWork<T> work, T all) {
      try {
        passes.each(numbers, work, all);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private PartWorks.Analysing analysing(int run) {
    return new PartWorks.Analysing(
        known, run, facts.shape(run), openOf(run), options.stepName, visits.get(run));
  }

  private OpenSpans openOf(int run) {
    Set<String> ids = new HashSet<>(numbers.joinedRuns(run));
    ids.add(numbers.runs().text(run));
    return open.ofRuns(ids);
  }
}
