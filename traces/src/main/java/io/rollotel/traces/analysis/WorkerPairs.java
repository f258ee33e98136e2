package io.rollotel.traces.analysis;

import io.rollotel.traces.analysis.WorkerSamples.Sample;
import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The workers of a later run, each beside the one of an earlier run that has its place.
 *
 * <p>Process ids, and the ids of Ray's workers, differ between runs. A worker's place is its
 * service with its rank, or otherwise with its instance, or otherwise with its host: the first of
 * these by which half of the workers, in the run that has fewer, are found again. Processes that
 * have a place one after the other, such as those of a worker that was restarted, are one worker.
 * If no place fits, each worker is beside the slowest of the earlier run, compared with its peers:
 * a worker that is slower than that one is one that the earlier run did not have.
 *
 * @param areMatched whether both of a pair have the same place
 * @param after the workers of the later run, including those that are in no pair
 */
record WorkerPairs(boolean areMatched, List<Sample> after, List<Pair> pairs) {

  /** Of their steps; processes that share more of them are different workers. */
  private static final double MOST_SHARED = 0.1;

  /** Two workers that are compared. */
  record Pair(Sample before, Sample after) {}

  private static final List<Function<TracedProcess, String>> PLACES =
      List.of(TracedProcess::rank, TracedProcess::instanceId, TracedProcess::host);

  static WorkerPairs of(List<Sample> before, List<Sample> after) {
    for (Function<TracedProcess, String> place : PLACES) {
      List<Sample> workersBefore = joined(before, place);
      List<Sample> workersAfter = joined(after, place);
      Map<List<String>, Sample> earlier = byPlace(workersBefore, place);
      List<Pair> pairs = new ArrayList<>();
      byPlace(workersAfter, place)
          .forEach(
              (key, sample) -> {
                Sample same = earlier.get(key);
                if (same != null) {
                  pairs.add(new Pair(same, sample));
                }
              });
      int fewest = Math.min(workersBefore.size(), workersAfter.size());
      if (pairs.size() > 1 && 2 * pairs.size() >= fewest) {
        return new WorkerPairs(true, workersAfter, List.copyOf(pairs));
      }
    }
    // Of far more workers, one is slower than those few by chance.
    if (before.isEmpty() || after.size() > 2 * before.size()) {
      return new WorkerPairs(false, after, List.of());
    }
    Sample slowest =
        before.stream().max(Comparator.comparingLong(Sample::medianRatio)).orElseThrow();
    List<Pair> pairs = after.stream().map(sample -> new Pair(slowest, sample)).toList();
    return new WorkerPairs(false, after, pairs);
  }

  /** One sample for the processes that have a place one after the other. */
  private static List<Sample> joined(List<Sample> samples, Function<TracedProcess, String> place) {
    Map<List<String>, List<Sample>> byPlace = new LinkedHashMap<>();
    samples.forEach(
        sample ->
            byPlace.computeIfAbsent(key(sample, place), key -> new ArrayList<>()).add(sample));
    List<Sample> joined = new ArrayList<>();
    byPlace.forEach(
        (key, of) -> {
          // One step may have spans of a process that failed and of the one that took its place.
          boolean areOne =
              MOST_SHARED * Sample.allSteps(of) >= Sample.sharedSteps(of) && !key.get(1).isEmpty();
          joined.addAll(areOne && of.size() > 1 ? List.of(Sample.joined(of)) : of);
        });
    return joined;
  }

  private static List<String> key(Sample sample, Function<TracedProcess, String> place) {
    return List.of(sample.process().serviceName(), place.apply(sample.process()));
  }

  /** Without places that are unknown, or that several workers have. */
  private static Map<List<String>, Sample> byPlace(
      List<Sample> samples, Function<TracedProcess, String> place) {
    Map<List<String>, Sample> byPlace = new HashMap<>();
    Set<List<String>> taken = new HashSet<>();
    for (Sample sample : samples) {
      List<String> key = key(sample, place);
      if (!key.get(1).isEmpty() && byPlace.put(key, sample) != null) {
        taken.add(key);
      }
    }
    byPlace.keySet().removeAll(taken);
    return byPlace;
  }
}
