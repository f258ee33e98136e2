package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which spans on the critical path wait inside themselves, and for what. Nothing recorded says so.
 * But if such a span ends shortly after one of another name, time after time, more often than
 * chance explains, it has waited for that one.
 */
final class WaitsFor {

  /** The names with at least this share of the path are looked at, */
  private static final double LEAST_PATH_SHARE = 0.05;

  /** but no more than this. */
  private static final int MOST_SUSPECTS = 5;

  /** The names that may have been waited for: those with the most time. */
  private static final int MOST_NAMES = 256;

  private static final int LEAST_WAITS = 5;

  /** An end is close if chance makes it as close with at most this probability, */
  static final double CLOSE = 0.05;

  /** and the gap is at most this part of the wait. */
  private static final int LARGEST_GAP_PART = 10;

  /** This share of the waits must be close to an end, */
  private static final double LEAST_CLOSE_SHARE = 0.8;

  /** and that must not be probable for any pair of names in the run. */
  private static final double SIGNIFICANCE = 0.01;

  /**
   * The waits must differ by this many times the gap. Two spans that begin together and always take
   * the same time also end together.
   */
  private static final int LEAST_VARIATION = 2;

  /** And they must have run for this share of the waits: otherwise it did something else. */
  private static final double LEAST_RUN_SHARE = 0.5;

  private final Spans spans;
  private final RunTotals run;
  private final SuspectedWaits waits;
  private final EndsDuringWaits ends;

  private WaitsFor(RunTotals run, SuspectedWaits waits, EndsDuringWaits ends) {
    this.spans = run.spans();
    this.run = run;
    this.waits = waits;
    this.ends = ends;
  }

  /** Those of a run, the name with the most time on the path first. */
  static List<Finding> of(RunTotals run, Findings.Traces traces) {
    List<Integer> suspects = suspects(run);
    BitSet names = names(run);
    if (suspects.isEmpty() || names.isEmpty()) {
      return List.of();
    }
    SuspectedWaits waits =
        SuspectedWaits.of(run.spans(), run.path().lastStretches(), suspects, names);
    return new WaitsFor(run, waits, traces.endsDuring(waits)).find(suspects);
  }

  /** If traces were sampled, the one that was waited for may be missing. */
  private static List<Integer> suspects(RunTotals run) {
    PathShares path = run.path();
    return run.isWeighted()
        ? List.of()
        : path.names().stream()
            .filter(share -> share.nanos() >= LEAST_PATH_SHARE * path.totalNanos())
            .map(PathShares.Share::number)
            .filter(name -> path.lastStretches().of(name).size() >= LEAST_WAITS)
            .limit(MOST_SUSPECTS)
            .toList();
  }

  /** Each wait is for another span, so rare names need not be looked at. */
  private static BitSet names(RunTotals run) {
    BitSet names = new BitSet();
    run.nameTotals().stream()
        .filter(totals -> totals.count() >= LEAST_CLOSE_SHARE * LEAST_WAITS)
        .limit(MOST_NAMES)
        .forEach(totals -> names.set(run.spans().names().find(totals.name())));
    return names;
  }

  /** What the waits of one name may have been for, and how close they are to its ends. */
  private static final class Candidate {
    final int name;

    /** The gaps of the close ones, by the number of the wait. */
    final Map<Integer, Long> gaps = new TreeMap<>();

    final Map<Integer, Integer> lastTimes = new HashMap<>();

    private final List<Double> runShares = new ArrayList<>();
    private final Set<Long> moments = new HashSet<>();

    Candidate(int name) {
      this.name = name;
    }

    void see(int number, SuspectedWaits.Wait wait, EndsDuringWaits.Ends ended) {
      long gapNanos = wait.toEpochNanos() - ended.lastEpochNanos();
      // Several waits that end together prove as much as one.
      if (gapNanos <= wait.nanos() / LARGEST_GAP_PART
          && ended.shareAfter(gapNanos, wait.nanos()) <= CLOSE
          && moments.add(ended.lastEpochNanos())) {
        gaps.put(number, gapNanos);
        runShares.add(ended.shareRun());
        lastTimes.merge(ended.lastProcess(), 1, Integer::sum);
      }
    }

    int close() {
      return gaps.size();
    }

    double medianRunShare() {
      return runShares.stream().sorted().toList().get((runShares.size() - 1) / 2);
    }

    long medianGapNanos() {
      return median(gaps.values().stream().mapToLong(Long::longValue).toArray());
    }
  }

  private List<Finding> find(List<Integer> suspects) {
    Map<Integer, List<Candidate>> candidates = new HashMap<>();
    suspects.forEach(name -> candidates.put(name, candidates(name)));
    int pairs = candidates.values().stream().mapToInt(List::size).sum();
    List<Finding> found = new ArrayList<>();
    for (int name : suspects) {
      int[] of = waits.of(name);
      long variationNanos = variationNanos(of);
      candidates.getOrDefault(name, List.of()).stream()
          .filter(one -> one.close() >= LEAST_CLOSE_SHARE * of.length)
          .filter(one -> atLeast(one.close(), of.length, CLOSE) <= SIGNIFICANCE / pairs)
          .filter(one -> one.medianRunShare() >= LEAST_RUN_SHARE)
          .filter(one -> variationNanos >= LEAST_VARIATION * one.medianGapNanos())
          .min(
              Comparator.comparingInt(Candidate::close)
                  .reversed()
                  .thenComparingLong(Candidate::medianGapNanos)
                  .thenComparing(one -> spans.names().text(one.name)))
          .ifPresent(best -> found.add(finding(name, of.length, best)));
    }
    return found;
  }

  private List<Candidate> candidates(int suspect) {
    Map<Integer, Candidate> byName = new TreeMap<>();
    for (int number : waits.of(suspect)) {
      ends.of(number)
          .forEach(
              (name, ended) -> {
                if (!ends.areKin(suspect, name)) {
                  byName
                      .computeIfAbsent(name, Candidate::new)
                      .see(number, waits.all().get(number), ended);
                }
              });
    }
    return List.copyOf(byName.values());
  }

  /** By how much the waits differ: the median over all pairs. */
  private long variationNanos(int[] of) {
    long[] differences = new long[of.length * (of.length - 1) / 2];
    int count = 0;
    for (int a = 0; a < of.length; a++) {
      for (int b = 0; b < a; b++) {
        differences[count++] =
            Math.abs(waits.all().get(of[a]).nanos() - waits.all().get(of[b]).nanos());
      }
    }
    return median(differences);
  }

  private static long median(long[] values) {
    Arrays.sort(values);
    return values.length == 0 ? 0 : values[(values.length - 1) / 2];
  }

  private Finding finding(int name, int of, Candidate best) {
    Integer last = last(best);
    List<Integer> evidence =
        best.gaps.entrySet().stream()
            .sorted(Map.Entry.comparingByValue())
            .map(entry -> waits.all().get(entry.getKey()).span())
            .limit(Findings.EVIDENCE)
            .toList();
    return new Finding(
        Finding.Kind.WAITS_FOR,
        name,
        last == null ? List.of() : List.of(last),
        "",
        List.of(),
        Finding.UNKNOWN,
        0,
        best.close(),
        of,
        evidence,
        new Finding.WaitedFor(
            best.name,
            best.medianGapNanos(),
            last == null ? 0 : best.lastTimes.getOrDefault(last, 0)));
  }

  /** The process that was the last one more often than chance explains; null if there is none. */
  private @Nullable Integer last(Candidate best) {
    long processes =
        run.workerSpans().stream().filter(worker -> worker.name() == best.name).count();
    return best.lastTimes.entrySet().stream()
        .min(
            Map.Entry.<Integer, Integer>comparingByValue()
                .reversed()
                .thenComparing(entry -> spans.processes().get(entry.getKey()), TracedProcess.ORDER))
        .filter(
            most ->
                processes == 1
                    || atLeast(most.getValue(), best.close(), 1.0 / processes)
                        <= SIGNIFICANCE / processes)
        .map(Map.Entry::getKey)
        .orElse(null);
  }

  /** The probability that at least so many of a number of independent events happen. */
  static double atLeast(int least, int number, double probability) {
    double logOfOne = number * Math.log1p(-probability);
    double sum = 0;
    for (int k = 0; k <= number; k++) {
      sum += k >= least ? Math.exp(logOfOne) : 0;
      logOfOne += Math.log((double) (number - k) / (k + 1) * probability / (1 - probability));
    }
    return Math.min(1, sum);
  }
}
