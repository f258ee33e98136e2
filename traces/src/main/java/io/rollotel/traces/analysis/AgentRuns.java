package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.RunFacts;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The runs of an agent framework within a traced run, each with its steps, by their start. */
public final class AgentRuns implements Serializable {

  /** How a run ended. */
  public enum State {
    COMPLETED,
    FAILED,
    /** It was not ended, or its span is not in the file. */
    UNENDED;

    @Override
    public String toString() {
      return this == UNENDED ? "not ended" : name().toLowerCase(Locale.ROOT);
    }
  }

  /** A step; the reward is NaN if it has none. */
  public record Step(
      int span,
      long number,
      String action,
      double reward,
      double cumulativeReward,
      boolean isSuccess)
      implements Serializable {}

  /**
   * A run.
   *
   * @param span its span; -1 if it is not in the file
   * @param id empty if unknown: it has not ended, and none of its steps has
   * @param totalReward NaN if unknown
   * @param nanos if it is open, until its process's last sign of life
   * @param steps those that have ended
   * @param open its span if that has not ended, and a recorder file tells of it; otherwise null
   */
  public record AgentRun(
      int span,
      String id,
      String environment,
      String model,
      State state,
      double totalReward,
      long startEpochNanos,
      long nanos,
      List<Step> steps,
      @Nullable OpenRun open)
      implements Serializable {

    /** Its id; if that is unknown, the beginning of its span's id. */
    public String label() {
      return id.isEmpty() && open != null ? "span " + open.spanId().substring(0, 8) : id;
    }

    /** The mean of the steps that have a reward; NaN if none has. */
    public double meanReward() {
      return steps.stream()
          .mapToDouble(Step::reward)
          .filter(Double::isFinite)
          .average()
          .orElse(Double.NaN);
    }

    /** The step with the highest reward, the first of several; null if none has one. */
    @Nullable Step bestStep() {
      Step best = null;
      for (Step step : steps) {
        if (Double.isFinite(step.reward) && (best == null || step.reward > best.reward)) {
          best = step;
        }
      }
      return best;
    }

    public double bestReward() {
      Step best = bestStep();
      return best == null ? Double.NaN : best.reward;
    }
  }

  private final Spans spans;
  private final List<AgentRun> runs = new ArrayList<>();

  /**
   * Finds them.
   *
   * @param run the number of the run whose spans count
   * @param open its spans that have not ended
   */
  AgentRuns(Spans spans, SpanTree tree, int run, OpenAgentRuns open) {
    this.spans = spans;
    Map<Integer, RunFacts.OfRun> bySpan = new HashMap<>();
    Map<String, List<RunFacts.OfRun>> byId = new HashMap<>();
    for (RunFacts.OfRun facts : spans.runFacts().runs()) {
      if (isOf(run, facts.span())) {
        bySpan.put(facts.span(), facts);
        byId.computeIfAbsent(key(facts.span(), facts.id()), key -> new ArrayList<>()).add(facts);
      }
    }
    Map<Integer, List<RunFacts.OfStep>> stepsOf = new HashMap<>();
    Map<String, List<RunFacts.OfStep>> others = new HashMap<>();
    Map<OpenRun, List<RunFacts.OfStep>> stepsOfOpen = new HashMap<>();
    for (RunFacts.OfStep facts : spans.runFacts().steps()) {
      if (isOf(run, facts.span())) {
        String key = key(facts.span(), facts.runId());
        RunFacts.OfRun above = bySpan.get(tree.parent(facts.span()));
        OpenRun openAbove = above == null ? open.above(spans, facts.span()) : null;
        above = above != null || openAbove != null ? above : last(byId.get(key), facts.span());
        if (openAbove != null) {
          stepsOfOpen.computeIfAbsent(openAbove, span -> new ArrayList<>()).add(facts);
        } else if (above != null) {
          stepsOf.computeIfAbsent(above.span(), span -> new ArrayList<>()).add(facts);
        } else {
          others.computeIfAbsent(key, text -> new ArrayList<>()).add(facts);
        }
      }
    }
    bySpan.forEach((span, facts) -> runs.add(run(facts, stepsOf.getOrDefault(span, List.of()))));
    others.values().forEach(steps -> runs.add(unended(steps)));
    stepsOfOpen.forEach((span, facts) -> runs.add(open(facts.get(0).runId(), steps(facts), span)));
    sort();
  }

  /** None yet. */
  AgentRuns(Spans spans) {
    this.spans = spans;
  }

  /** Adds the open runs of which no step has ended; once, after all parts were added. */
  void addOpen(OpenAgentRuns open) {
    List<OpenRun> known = runs.stream().map(AgentRun::open).filter(Objects::nonNull).toList();
    open.without(known).forEach(run -> runs.add(open("", List.of(), run)));
    sort();
  }

  void add(AgentRuns part, RowCopies copies) {
    for (AgentRun run : part.runs) {
      List<Step> steps =
          run.steps.stream()
              .map(
                  step ->
                      new Step(
                          copies.of(step.span),
                          step.number,
                          step.action,
                          step.reward,
                          step.cumulativeReward,
                          step.isSuccess))
              .toList();
      runs.add(
          new AgentRun(
              copies.of(run.span),
              run.id,
              run.environment,
              run.model,
              run.state,
              run.totalReward,
              run.startEpochNanos,
              run.nanos,
              steps,
              run.open));
    }
    sort();
  }

  private void sort() {
    runs.sort(Comparator.comparingLong(AgentRun::startEpochNanos).thenComparing(AgentRun::id));
  }

  private boolean isOf(int run, int span) {
    return spans.run(span) == run && spans.isTimed(span);
  }

  /** The last of the runs that began before a step, otherwise the first. */
  private RunFacts.@Nullable OfRun last(@Nullable List<RunFacts.OfRun> runs, int step) {
    RunFacts.OfRun last = null;
    for (RunFacts.OfRun run : runs == null ? List.<RunFacts.OfRun>of() : runs) {
      boolean isLater = last != null && spans.compare(run.span(), last.span()) > 0;
      boolean isBefore = spans.start(run.span()) <= spans.start(step);
      boolean wasBefore = last != null && spans.start(last.span()) <= spans.start(step);
      if (last == null || (isBefore == wasBefore ? isLater == isBefore : isBefore)) {
        last = run;
      }
    }
    return last;
  }

  private String key(int span, String id) {
    return spans.trace(span) + " " + id;
  }

  private AgentRun run(RunFacts.OfRun facts, List<RunFacts.OfStep> known) {
    List<Step> steps = steps(known);
    int span = facts.span();
    State state =
        Boolean.TRUE.equals(facts.isCompleted())
            ? State.COMPLETED
            : spans.isError(span) ? State.FAILED : State.UNENDED;
    return new AgentRun(
        span,
        facts.id(),
        facts.environment(),
        facts.model(),
        state,
        Double.isFinite(facts.totalReward()) ? facts.totalReward() : total(steps),
        spans.start(span),
        spans.nanos(span),
        steps,
        null);
  }

  private AgentRun open(String id, List<Step> steps, OpenRun open) {
    long start = open.startEpochNanos();
    long end = steps.stream().mapToLong(step -> spans.end(step.span)).max().orElse(start);
    long nanos = Math.max(open.ageNanos(), end - start);
    return new AgentRun(-1, id, "", "", State.UNENDED, total(steps), start, nanos, steps, open);
  }

  private AgentRun unended(List<RunFacts.OfStep> known) {
    List<Step> steps = steps(known);
    long start = spans.start(steps.get(0).span);
    long end = steps.stream().mapToLong(step -> spans.end(step.span)).max().orElse(start);
    return new AgentRun(
        -1,
        known.get(0).runId(),
        "",
        "",
        State.UNENDED,
        total(steps),
        start,
        end - start,
        steps,
        null);
  }

  /** By start. If a step does not state the reward gained so far, it is summed up. */
  private List<Step> steps(List<RunFacts.OfStep> known) {
    List<RunFacts.OfStep> sorted = new ArrayList<>(known);
    sorted.sort(
        Comparator.<RunFacts.OfStep>comparingLong(step -> spans.start(step.span()))
            .thenComparingLong(RunFacts.OfStep::number)
            .thenComparingInt(RunFacts.OfStep::span));
    List<Step> steps = new ArrayList<>(sorted.size());
    double gained = 0;
    for (RunFacts.OfStep step : sorted) {
      gained += Double.isFinite(step.reward()) ? step.reward() : 0;
      gained = Double.isFinite(step.cumulativeReward()) ? step.cumulativeReward() : gained;
      steps.add(
          new Step(
              step.span(), step.number(), step.action(), step.reward(), gained, step.isSuccess()));
    }
    return List.copyOf(steps);
  }

  private static double total(List<Step> steps) {
    return steps.isEmpty() ? Double.NaN : steps.get(steps.size() - 1).cumulativeReward;
  }

  /** By their start. */
  public List<AgentRun> all() {
    return runs;
  }

  /** Their steps by what they did, the action with the most time first. */
  public List<AgentActions> actions() {
    return AgentActions.of(runs, spans);
  }

  public long count(State state) {
    return runs.stream().filter(run -> run.state == state).count();
  }

  public long steps() {
    return runs.stream().mapToLong(run -> run.steps.size()).sum();
  }

  /** The run with the highest total reward, the first of several; null if none has one. */
  public @Nullable AgentRun best() {
    AgentRun best = null;
    for (AgentRun run : runs) {
      if (Double.isFinite(run.totalReward)
          && (best == null || run.totalReward > best.totalReward)) {
        best = run;
      }
    }
    return best;
  }

  /** How many have a total reward, completed or not. */
  public long rewarded() {
    return runs.stream().filter(run -> Double.isFinite(run.totalReward())).count();
  }

  /** The mean of the runs' total rewards; NaN if none has one. */
  public double meanTotalReward() {
    return runs.stream()
        .mapToDouble(AgentRun::totalReward)
        .filter(Double::isFinite)
        .average()
        .orElse(Double.NaN);
  }
}
