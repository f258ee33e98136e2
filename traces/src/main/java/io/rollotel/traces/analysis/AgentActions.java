package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The ended steps of an agent's runs that did the same.
 *
 * @param action {@code rlm.action_type}; empty if they have none
 * @param p95Nanos by nearest rank
 * @param errors how many of their spans failed
 * @param meanReward over those that have a reward; NaN if none has
 */
public record AgentActions(
    String action, long count, long totalNanos, long p95Nanos, long errors, double meanReward) {

  /** By action, the one with the most time first. */
  static List<AgentActions> of(List<AgentRuns.AgentRun> runs, Spans spans) {
    Map<String, List<AgentRuns.Step>> byAction = new HashMap<>();
    for (AgentRuns.AgentRun run : runs) {
      for (AgentRuns.Step step : run.steps()) {
        byAction.computeIfAbsent(step.action(), action -> new ArrayList<>()).add(step);
      }
    }
    return byAction.entrySet().stream()
        .map(entry -> of(entry.getKey(), entry.getValue(), spans))
        .sorted(
            Comparator.comparingLong(AgentActions::totalNanos)
                .reversed()
                .thenComparing(AgentActions::action))
        .toList();
  }

  private static AgentActions of(String action, List<AgentRuns.Step> steps, Spans spans) {
    long[] nanos = steps.stream().mapToLong(step -> spans.nanos(step.span())).sorted().toArray();
    long total = 0;
    for (long one : nanos) {
      total += one;
    }
    return new AgentActions(
        action,
        nanos.length,
        total,
        NameTotals.percentile(nanos, 95),
        steps.stream().filter(step -> spans.isError(step.span())).count(),
        // Sorted, so that the sum does not depend on the order of reading.
        steps.stream()
            .mapToDouble(AgentRuns.Step::reward)
            .filter(Double::isFinite)
            .sorted()
            .average()
            .orElse(Double.NaN));
  }
}
