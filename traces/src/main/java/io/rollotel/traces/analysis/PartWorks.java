package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.LostParents;
import io.rollotel.traces.spans.RunJoins;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.VirtualTimes;
import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The work of {@link PartedRuns} on each part, pass by pass. */
final class PartWorks {

  private PartWorks() {}

  /**
   * Names, processes and runs.
   *
   * @param numbers no spans, but their numbers
   * @param used the ids of the runs that have spans
   */
  record Numbered(Spans numbers, Set<String> used) implements Serializable {
    Numbered(Spans numbers) {
      this(numbers, new HashSet<>());
    }
  }

  /** First: gives all names, processes and runs numbers. */
  record Numbering(CallJoins joins, List<Span> notEnded) implements PartWork<Numbered> {
    @Override
    public Numbered none() {
      return new Numbered(new Spans());
    }

    @Override
    public Numbered of(Spans spans) {
      Set<String> used = new HashSet<>();
      for (int span = 0; span < spans.size(); span++) {
        used.add(spans.runs().text(spans.run(span)));
      }
      spans.joinCalls(joins);
      LostParents.replace(spans, notEnded); // rows that stand for lost spans need numbers as well
      return new Numbered(Spans.withNumbersOf(spans), used);
    }

    @Override
    public void add(Numbered all, Numbered found) {
      all.numbers.takeNumbersOf(found.numbers);
      all.used.addAll(found.used);
    }
  }

  /** If there are several runs: when their members begin. */
  record Beginning(Spans numbers, CallJoins joins) implements PartWork<RunJoins> {
    @Override
    public RunJoins none() {
      return new RunJoins(numbers);
    }

    @Override
    public RunJoins of(Spans spans) {
      spans.joinCalls(joins);
      RunJoins found = none();
      found.begin(spans);
      return found;
    }

    @Override
    public void add(RunJoins all, RunJoins found) {
      all.addBegun(found);
    }
  }

  /**
   * If there are several runs: which members meet in traces.
   *
   * @param begun when all of them begin
   */
  record Meeting(Spans numbers, CallJoins joins, RunJoins begun) implements PartWork<RunJoins> {
    @Override
    public RunJoins none() {
      return new RunJoins(numbers);
    }

    @Override
    public RunJoins of(Spans spans) {
      spans.joinCalls(joins);
      RunJoins found = none();
      found.addBegun(begun);
      found.rank();
      found.meet(spans);
      return found;
    }

    @Override
    public void add(RunJoins all, RunJoins found) {
      all.addMet(found);
    }
  }

  /**
   * Dates, starts, and what counts as a step.
   *
   * @param known the dates found by the previous pass; none in the first one
   */
  record Looking(PartPreparation known, String stepName, boolean isClockCorrected)
      implements PartWork<PartFacts> {
    @Override
    public PartFacts none() {
      return new PartFacts(new ClockCorrection(known.numbers(), isClockCorrected));
    }

    @Override
    public PartFacts of(Spans spans) {
      PartFacts found = none();
      found.otherIds.putAll(known.join(spans));
      found.dates.see(spans);
      known.dates().undateIn(spans);
      LostParents.replace(spans, known.notEnded());
      if (!found.clocks.isOneHost()) {
        found.clocks.seeStarts(spans, SpanTree.rowsAbove(spans));
      }
      VirtualTimes.stretch(spans);
      found.see(spans, stepName);
      return found;
    }

    @Override
    public void add(PartFacts all, PartFacts found) {
      all.add(found);
    }
  }

  /**
   * For several hosts: facts about their clocks from the ends of spans.
   *
   * @param known with the facts about the clocks from the starts of spans
   */
  record Ending(PartPreparation known) implements PartWork<ClockCorrection> {
    @Override
    public ClockCorrection none() {
      return known.clocks().withStarts(known.numbers());
    }

    @Override
    public ClockCorrection of(Spans spans) {
      known.complete(spans);
      ClockCorrection found = none();
      found.seeEnds(spans, SpanTree.rowsAbove(spans));
      return found;
    }

    @Override
    public void add(ClockCorrection all, ClockCorrection found) {
      all.addEnds(found);
    }
  }

  /**
   * Analyses a run.
   *
   * @param open its spans that have not ended
   * @param visits how its path goes through its steps; null while that is unknown, or if each step
   *     has its own path
   */
  record Analysing(
      PartPreparation known,
      int run,
      RunShape shape,
      OpenSpans open,
      String stepName,
      @Nullable RunVisits visits)
      implements Serializable {
    RunAnalysis of(Spans spans) {
      return new RunAnalysis(spans, traces(spans), run, known.clocks().ofRun(run), open);
    }

    RunTraces traces(Spans spans) {
      known.prepare(spans);
      return new RunTraces(
          spans, new SpanTree(spans), run, stepName, shape, /* isWhole= */ false, visits);
    }
  }

  /** The sums of a run's traces. */
  record Adding(Analysing analysing, boolean isCompared, int mostExact)
      implements PartWork<RunTotals> {
    @Override
    public RunTotals none() {
      return totals(Findings.Traces.UNKNOWN);
    }

    /** Of no traces yet. */
    RunTotals totals(Findings.Traces traces) {
      PartPreparation known = analysing.known;
      return new RunTotals(
              known.numbers(),
              analysing.run,
              known.clocks().ofRun(analysing.run),
              analysing.shape,
              isCompared,
              mostExact,
              traces)
          .complete(isCompared);
    }

    @Override
    public RunTotals of(Spans spans) {
      return analysing.of(spans).totals().complete(isCompared);
    }

    @Override
    public void add(RunTotals all, RunTotals found) {
      all.add(found);
    }
  }

  /** For steps that overlap: the facts that determine how the run's path leads through them. */
  record Outlining(Analysing analysing, int mostRows) implements PartWork<StepOutlines> {
    @Override
    public StepOutlines none() {
      return new StepOutlines(analysing.known.numbers(), mostRows);
    }

    @Override
    public StepOutlines of(Spans spans) {
      StepOutlines found = none();
      found.add(spans, analysing.traces(spans));
      return found;
    }

    @Override
    public void add(StepOutlines all, StepOutlines found) {
      all.add(found);
    }
  }

  /**
   * For steps that overlap: the spans on the path of the run.
   *
   * @param visits how it goes through the steps
   */
  record Following(Analysing analysing, RunVisits visits) implements PartWork<PathShares> {
    @Override
    public PathShares none() {
      return PathShares.none(Spans.withNumbersOf(analysing.known.numbers()), /* isOfRun= */ true);
    }

    @Override
    public PathShares of(Spans spans) {
      RunTraces in = analysing.traces(spans);
      return PathShares.ofRun(
          spans, in.waits, in.shape, sink -> visits.follow(spans, in.steps(), in.path(), sink));
    }

    @Override
    public void add(PathShares all, PathShares found) {
      all.add(found, new RowCopies(found.spans(), all.spans()));
    }
  }

  /** The results of replays, and the spans that their answers name. */
  record Replayed(Spans spans, Replays replays) implements Serializable {}

  /**
   * How long a run would take if something were different.
   *
   * @param beside all work in the run, if its steps overlap
   */
  record Replaying(
      Analysing analysing, SlowProcesses slow, List<WhatIf> questions, @Nullable WorkBeside beside)
      implements PartWork<Replayed> {
    @Override
    public Replayed none() {
      Spans spans = Spans.withNumbersOf(analysing.known.numbers());
      return new Replayed(spans, new Replays(spans, questions.size()));
    }

    @Override
    public Replayed of(Spans spans) {
      return new Replayed(spans, analysing.of(spans).replay(slow, questions, beside));
    }

    @Override
    public void add(Replayed all, Replayed found) {
      all.replays.add(found.replays, new RowCopies(found.spans, all.spans));
    }
  }

  /** Which spans of a run ended during waits. */
  record Waiting(Analysing analysing, SuspectedWaits waits) implements PartWork<EndsDuringWaits> {
    @Override
    public EndsDuringWaits none() {
      return new EndsDuringWaits(Spans.withNumbersOf(analysing.known.numbers()));
    }

    @Override
    public EndsDuringWaits of(Spans spans) {
      EndsDuringWaits found = none();
      Clocks clocks = analysing.known.clocks().ofRun(analysing.run);
      found.see(analysing.traces(spans), spans, clocks, waits);
      return found;
    }

    @Override
    public void add(EndsDuringWaits all, EndsDuringWaits found) {
      all.add(found);
    }
  }

  /** Other work on a run's traces. */
  record Making<T>(Analysing analysing, RunWork<T> work) implements PartWork<T> {
    @Override
    public T none() {
      return work.none();
    }

    @Override
    public @Nullable SpanTags tags() {
      return work.tags();
    }

    @Override
    public T of(Spans spans) {
      return work.of(analysing.of(spans));
    }

    @Override
    public void add(T all, T found) {
      work.add(all, found);
    }
  }
}
