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
 * But if such a span ends when one of another name does, time after time, more often than chance
 * explains, it has waited for that one.
 */
final class WaitsFor {

  /** The names with at least this share of the path are looked at, */
  private static final double LEAST_PATH_SHARE = 0.05;

  /** but no more than this. */
  private static final int MOST_SUSPECTS = 5;

  /** The names that may have been waited for: those with the most time. */
  private static final int MOST_NAMES = 256;

  private static final int LEAST_WAITS = 5;

  /** An end is close if chance makes it as close with at most this probability. */
  static final double CLOSE = 0.05;

  /** This share of the waits must be close to an end, */
  private static final double LEAST_CLOSE_SHARE = 0.8;

  /** and that must not be probable for any pair of names in the run. */
  private static final double SIGNIFICANCE = 0.01;

  /**
   * The waits must differ by this many times as much as the gaps. Two spans that begin together and
   * always take about the same time also end together.
   */
  private static final int LEAST_VARIATION = 2;

  /**
   * Of the close ends, this share must come before those of the waits. Some come after it, since a
   * result may be handed on before its span ends. If all do, it may be the other one that waits.
   */
  private static final double LEAST_BEFORE_SHARE = 0.25;

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

    /**
     * Whether ends just after those of the waits count, too: a result may be handed on before its
     * span ends. Each name is looked at in both ways, since without that, less is a coincidence.
     */
    private final boolean isAlsoAfter;

    /**
     * By the number of the wait, of the close ones: how long before the end of the wait the other
     * one ended. Negative if it ended after it.
     */
    final Map<Integer, Long> leads = new TreeMap<>();

    final Map<Integer, Integer> lastTimes = new HashMap<>();

    private final List<Double> runShares = new ArrayList<>();
    private final Set<Long> moments = new HashSet<>();

    Candidate(int name, boolean isAlsoAfter) {
      this.name = name;
      this.isAlsoAfter = isAlsoAfter;
    }

    void see(int number, SuspectedWaits.Wait wait, EndsDuringWaits of, EndsDuringWaits.Ends ends) {
      EndsDuringWaits.Nearest nearest = ends.nearest(wait, isAlsoAfter);
      if (nearest == null || of.isCalledBy(number, nearest.process())) {
        return;
      }
      long leadNanos = wait.toEpochNanos() - nearest.epochNanos();
      // Several waits that end together prove as much as one.
      if (Math.abs(leadNanos) <= wait.largestGapNanos()
          && ends.shareNear(Math.abs(leadNanos), wait, isAlsoAfter) <= CLOSE
          && moments.add(nearest.epochNanos())) {
        leads.put(number, leadNanos);
        runShares.add(ends.shareRun());
        lastTimes.merge(nearest.process(), 1, Integer::sum);
      }
    }

    int close() {
      return leads.size();
    }

    boolean isBeforeOftenEnough() {
      long before = leads.values().stream().filter(lead -> lead >= 0).count();
      return before >= LEAST_BEFORE_SHARE * close();
    }

    double medianRunShare() {
      return LowerMedian.of(runShares.stream().mapToDouble(share -> share));
    }

    long medianGapNanos() {
      return LowerMedian.of(leads.values().stream().mapToLong(Math::abs));
    }

    long variationNanos() {
      return WaitsFor.variationNanos(leads.values().stream().mapToLong(lead -> lead).toArray());
    }
  }

  private List<Finding> find(List<Integer> suspects) {
    Map<Integer, List<Candidate>> candidates = new HashMap<>();
    suspects.forEach(name -> candidates.put(name, candidates(name)));
    int pairs = candidates.values().stream().mapToInt(List::size).sum();
    List<Finding> found = new ArrayList<>();
    for (int name : suspects) {
      int[] of = waits.of(name);
      long variationNanos =
          variationNanos(Arrays.stream(of).mapToLong(n -> waits.all().get(n).nanos()).toArray());
      candidates.getOrDefault(name, List.of()).stream()
          .filter(one -> one.close() >= LEAST_CLOSE_SHARE * of.length)
          .filter(
              one -> SlowProcesses.atLeast(one.close(), of.length, CLOSE) <= SIGNIFICANCE / pairs)
          .filter(one -> one.medianRunShare() >= LEAST_RUN_SHARE)
          .filter(Candidate::isBeforeOftenEnough)
          .filter(one -> variationNanos > LEAST_VARIATION * one.variationNanos())
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
    Map<Integer, List<Candidate>> byName = new TreeMap<>();
    for (int number : waits.of(suspect)) {
      SuspectedWaits.Wait wait = waits.all().get(number);
      ends.of(number)
          .forEach(
              (name, ended) -> {
                if (!ends.areKin(suspect, name)) {
                  byName
                      .computeIfAbsent(name, WaitsFor::inBothWays)
                      .forEach(candidate -> candidate.see(number, wait, ends, ended));
                }
              });
    }
    return byName.values().stream().flatMap(List::stream).toList();
  }

  private static List<Candidate> inBothWays(int name) {
    return List.of(new Candidate(name, false), new Candidate(name, true));
  }

  /** By how much some values differ: the median over all pairs. */
  private static long variationNanos(long[] values) {
    long[] differences = new long[values.length * (values.length - 1) / 2];
    int count = 0;
    for (int a = 0; a < values.length; a++) {
      for (int b = 0; b < a; b++) {
        differences[count++] = Math.abs(values[a] - values[b]);
      }
    }
    return LowerMedian.of(Arrays.stream(differences));
  }

  private Finding finding(int name, int of, Candidate best) {
    Integer last = last(best);
    List<Integer> evidence =
        best.leads.entrySet().stream()
            .sorted(Comparator.comparingLong(entry -> Math.abs(entry.getValue())))
            .map(entry -> waits.all().get(entry.getKey()).span())
            .limit(Findings.EVIDENCE)
            .toList();
    return new Finding(
        Finding.Kind.WAITS_FOR,
        name,
        Finding.Where.of(last == null ? List.of() : List.of(last)),
        List.of(),
        Finding.UNKNOWN,
        new Finding.Seen(0, best.close(), of),
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
                processes > 1
                    && SlowProcesses.atLeast(most.getValue(), best.close(), 1.0 / processes)
                        <= SIGNIFICANCE / processes)
        .map(Map.Entry::getKey)
        .orElse(null);
  }
}
