package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The causes of lost time in a run, each with the time that the steps would save without it, the
 * largest saving first, then the longest phase, then facts without a saving. Savings do not add up:
 * two of them may concern the same time.
 */
final class Findings {

  /** How many spans are kept as evidence of a finding. */
  static final int EVIDENCE = 5;

  /** A saving of less than this share of the steps' time is not reported. */
  static final double LEAST_SHARE = 0.01;

  /** A phase, or time in none, of a smaller share of the steps' time is not reported. */
  static final double LEAST_PHASE_SHARE = 0.2;

  /**
   * If the single savings are less than this share of the common one, no single process or host is
   * to blame.
   */
  private static final double ALONE = 0.8;

  /** If there are more slow workers and hosts, their single savings are not computed. */
  private static final int MOST_ALONE = 8;

  private static final int MOST_QUEUES = 3;

  /** A process has more calls than others from this many times an even share on. */
  private static final double MORE_CALLS = 1.1;

  /** The traces of a run, for what its totals do not tell. */
  interface Traces {
    /** Used where no findings are needed. */
    Traces UNKNOWN =
        new Traces() {
          @Override
          public Replays replay(RunTotals totals, SlowProcesses slow, List<WhatIf> questions) {
            throw new IllegalStateException("only the totals of all traces have findings");
          }

          @Override
          public EndsDuringWaits endsDuring(SuspectedWaits waits) {
            throw new IllegalStateException("only the totals of all traces have findings");
          }
        };

    /**
     * Replays the steps.
     *
     * @param totals the sums of the run, whose spans the answers name
     * @param slow the processes of the first questions
     */
    Replays replay(RunTotals totals, SlowProcesses slow, List<WhatIf> questions);

    /** Looks for spans that ended during waits. */
    EndsDuringWaits endsDuring(SuspectedWaits waits);
  }

  private final RunTotals run;
  private final Spans spans;
  private final Steps steps;
  private final SlowProcesses slow;
  private final List<Finding> found = new ArrayList<>();

  // The questions to replay, and their answers.
  private final List<WhatIf> questions = new ArrayList<>();
  private Replays replays;

  private Findings(RunTotals run, PeerTimes times) {
    this.run = run;
    this.spans = run.spans();
    this.steps = run.steps();
    this.slow = new SlowProcesses(spans, times, !steps.areTraces());
    this.replays = new Replays(spans, 0);
  }

  /** For a run whose processes took these times in fan-outs. */
  static List<Finding> of(RunTotals run, PeerTimes times, Traces traces) {
    Findings findings = new Findings(run, times);
    // Each step is replayed by itself, because for overlapping steps the end of the run would mean
    // nothing.
    if (!run.steps().hasPathOfRun()) {
      findings.find(traces);
    } else {
      findings.found.addAll(
          SendFindings.besideOtherSteps(
              run, questions -> traces.replay(run, findings.slow, questions)));
    }
    findings.found.addAll(WaitsFor.of(run, traces));
    findings.found.addAll(FactFindings.of(run));
    findings.found.sort(
        Comparator.comparing(Findings::precision)
            .thenComparing(Finding::savesNanos, Comparator.reverseOrder())
            .thenComparing(Finding::kind));
    return List.copyOf(findings.found);
  }

  /**
   * Causes come first: in every run, some phase takes longest, or no phase does, and half of it is
   * often more than any cause costs. Nor does a queue behind a busy worker tell why that one has so
   * many calls.
   */
  private static int precision(Finding finding) {
    if (finding.savesNanos() == Finding.UNKNOWN) {
      return 2;
    }
    boolean isBehindOthers = finding.kind() == Finding.Kind.QUEUE_WAIT && finding.ratio() >= 0.5;
    return isBehindOthers
            || finding.kind() == Finding.Kind.PHASE
            || finding.kind() == Finding.Kind.UNATTRIBUTED
        ? 1
        : 0;
  }

  private void find(Traces traces) {
    List<Runnable> whenReplayed =
        List.of(
            slowProcesses(),
            longTail(),
            imbalance(),
            sends(),
            failedCalls(),
            queueWaits(),
            longestPhase());
    replays = traces.replay(run, slow, questions);
    whenReplayed.forEach(Runnable::run);
    UnattributedTime.of(run).ifPresent(this::add);
    // If some steps were not sampled, the gaps between the others mean nothing.
    if (!steps.areTraces() && !run.isWeighted()) {
      StepFindings.of(steps.all()).stream()
          .filter(finding -> !isTrendOfAWorker(finding))
          .map(finding -> StepFindings.withStraggler(run, finding))
          .forEach(this::add);
    }
  }

  /** The index of its answer. */
  private int ask(WhatIf question) {
    questions.add(question);
    return questions.size() - 1;
  }

  private void add(Finding finding) {
    if (finding.savesNanos() >= Math.max(1, LEAST_SHARE * steps.wallNanos())) {
      found.add(finding);
    }
  }

  // ---- slow workers and hosts

  private Runnable slowProcesses() {
    BitSet all = slow.processes();
    if (all.isEmpty()) {
      return () -> {};
    }
    List<BitSet> suspects = slowHosts();
    int hosts = suspects.size();
    BitSet others = (BitSet) all.clone();
    suspects.forEach(others::andNot);
    others.stream().mapToObj(Findings::only).forEach(suspects::add);
    int together = ask(WhatIf.asFastAsPeers(all));
    boolean areFew = suspects.size() <= MOST_ALONE;
    if (areFew) {
      suspects.forEach(processes -> ask(WhatIf.asFastAsPeers(processes)));
    }
    return () -> {
      long sum = 0;
      for (int i = 1; areFew && i <= suspects.size(); i++) {
        sum += replays.saved(together + i);
      }
      if (sum < ALONE * replays.saved(together)) {
        List<String> names =
            suspects.stream()
                .limit(hosts)
                .map(host -> spans.processes().get(host.nextSetBit(0)).host())
                .toList();
        add(slowWorkers(Finding.Kind.SLOW_WORKER, all, replays.saved(together), names));
        return;
      }
      for (int i = 1; i <= suspects.size(); i++) {
        Finding.Kind kind = i <= hosts ? Finding.Kind.SLOW_HOST : Finding.Kind.SLOW_WORKER;
        add(slowWorkers(kind, suspects.get(i - 1), replays.saved(together + i), List.of()));
      }
    };
  }

  private static BitSet only(int process) {
    BitSet one = new BitSet();
    one.set(process);
    return one;
  }

  /**
   * Hosts whose processes are all slow, of those that have peers, while processes on other hosts
   * are not.
   */
  private List<BitSet> slowHosts() {
    Map<String, BitSet> byHost = new TreeMap<>();
    slow.compared().stream()
        .forEach(
            process ->
                byHost
                    .computeIfAbsent(spans.processes().get(process).host(), host -> new BitSet())
                    .set(process));
    List<BitSet> hosts = new ArrayList<>();
    byHost.forEach(
        (host, processes) -> {
          BitSet fast = (BitSet) processes.clone();
          fast.andNot(slow.processes());
          if (!host.isEmpty()
              && byHost.size() > 1
              && processes.cardinality() > 1
              && fast.isEmpty()) {
            hosts.add(processes);
          }
        });
    return hosts;
  }

  private Finding slowWorkers(
      Finding.Kind kind, BitSet processes, long saves, List<String> slowHosts) {
    List<SlowProcesses.Slow> all =
        slow.all().stream().filter(one -> processes.get(one.process())).toList();
    SlowProcesses.Slow worst = processes.cardinality() == 1 ? all.get(0) : worst(all);
    List<Integer> numbers = all.stream().map(SlowProcesses.Slow::process).distinct().toList();
    Set<String> hosts = new HashSet<>();
    numbers.forEach(process -> hosts.add(spans.processes().get(process).host()));
    return new Finding(
        kind,
        worst.name(),
        new Finding.Where(numbers, hosts.size() == 1 ? hosts.iterator().next() : "", slowHosts),
        SlowProcesses.since(spans, steps, processes.cardinality() == 1 ? List.of(worst) : all),
        saves,
        new Finding.Seen(worst.ratio(), worst.slow(), worst.fanOuts()),
        all.stream().map(SlowProcesses.Slow::worst).limit(EVIDENCE).toList(),
        worst.below());
  }

  /** The slowest process in the name that the processes lose most time with. */
  private static SlowProcesses.Slow worst(List<SlowProcesses.Slow> all) {
    Map<Integer, Long> byName = new LinkedHashMap<>();
    all.forEach(one -> byName.merge(one.name(), one.excessNanos(), Long::sum));
    int name = Collections.max(byName.entrySet(), Map.Entry.comparingByValue()).getKey();
    return all.stream()
        .filter(one -> one.name() == name)
        .max(Comparator.comparingDouble(SlowProcesses.Slow::ratio))
        .orElseThrow();
  }

  /** A worker that became slow explains why later steps are longer. */
  private boolean isTrendOfAWorker(Finding finding) {
    return finding.kind() == Finding.Kind.TREND
        && found.stream()
            .anyMatch(
                one ->
                    !one.processes().isEmpty()
                        && !one.steps().isEmpty()
                        && one.savesNanos() >= ALONE * finding.savesNanos());
  }

  // ---- other changes

  /** In most fan-outs of a name, of those the most expensive. */
  private Runnable longTail() {
    Optional<FanOuts.Totals> most = run.fanOuts().stream().filter(Findings::isTailed).findFirst();
    if (most.isEmpty()) {
      return () -> {};
    }
    FanOuts.Totals totals = most.get();
    int without = ask(WhatIf.withoutTail(totals.name()));
    return () ->
        add(
            new Finding(
                Finding.Kind.LONG_TAIL,
                totals.name(),
                Finding.Where.ANYWHERE,
                List.of(),
                replays.saved(without),
                new Finding.Seen(
                    (double) totals.tails().lastNanos()
                        / Math.max(1, totals.tails().typicalNanos()),
                    totals.tails().count(),
                    totals.seen()),
                replays.evidence(without)));
  }

  private static boolean isTailed(FanOuts.Totals totals) {
    return 2 * totals.tails().count() > totals.seen();
  }

  private Runnable imbalance() {
    if (run.fanOutProcesses().isEmpty()) {
      return () -> {};
    }
    int blamed = slow.all().isEmpty() ? -1 : ask(WhatIf.asFastAsPeers(slow.processes()));
    int even = ask(WhatIf.evenly());
    return () -> {
      Replays.Uneven most = replays.mostUneven().orElse(null);
      if (most == null) {
        return;
      }
      long saves = replays.saved(even) - (blamed < 0 ? 0 : replays.saved(blamed));
      if (run.fanOuts().stream().noneMatch(one -> one.name() == most.name && isTailed(one))) {
        add(uneven(most, Math.max(0, saves)));
      }
    };
  }

  /** Names the process that has the most work more often than chance would have it. */
  private Finding uneven(Replays.Uneven uneven, long saves) {
    Map.Entry<Integer, Replays.Most> mostOften = uneven.mostOften(spans);
    Replays.Most most = mostOften.getValue();
    double evenShare = 1 / uneven.processes();
    boolean isNamed =
        SlowProcesses.atLeast(most.fanOuts, uneven.fanOuts, evenShare)
            <= SlowProcesses.SIGNIFICANCE * evenShare;
    boolean hasMoreCalls = most.shareOfCalls() >= MORE_CALLS * evenShare;
    return new Finding(
        Finding.Kind.IMBALANCE,
        uneven.name,
        Finding.Where.of(isNamed ? List.of(mostOften.getKey()) : List.of()),
        List.of(),
        saves,
        new Finding.Seen(hasMoreCalls ? most.shareOfCalls() : 0, most.fanOuts, uneven.fanOuts),
        List.of(uneven.worst()));
  }

  private Runnable sends() {
    List<SendFindings.Candidate> all = SendFindings.of(run);
    int first = questions.size();
    all.forEach(one -> ask(one.question()));
    return () -> {
      for (int i = 0; i < all.size(); i++) {
        add(all.get(i).finding(replays, first + i));
      }
    };
  }

  /** Of steps that did not fail; the name of most of their time on the paths. */
  private Runnable failedCalls() {
    List<PathShares.Share> failed = run.path().failed();
    long nanos = failed.stream().mapToLong(PathShares.Share::nanos).sum();
    if (nanos < Math.max(1, LEAST_SHARE * steps.wallNanos())) {
      return () -> {};
    }
    int name = failed.get(0).number();
    int without = ask(WhatIf.withoutFailures());
    return () -> {
      NameTotals of =
          run.nameTotals().stream()
              .filter(totals -> totals.name().equals(spans.names().text(name)))
              .findFirst()
              .orElse(null);
      add(
          new Finding(
              Finding.Kind.FAILED_CALLS,
              name,
              Finding.Where.ANYWHERE,
              List.of(),
              replays.saved(without),
              new Finding.Seen(
                  (double) nanos / steps.wallNanos(),
                  of == null ? 0 : of.errors(),
                  of == null ? 0 : of.count()),
              replays.evidence(without)));
    };
  }

  private Runnable queueWaits() {
    Map<Integer, List<PathShares.QueueShare>> byName = new LinkedHashMap<>();
    for (PathShares.QueueShare share : run.path().queuesOfRunning()) {
      byName.computeIfAbsent(share.name(), name -> new ArrayList<>()).add(share);
    }
    List<List<PathShares.QueueShare>> longest =
        byName.values().stream()
            .sorted(Comparator.comparingLong(Findings::nanos).reversed())
            .limit(MOST_QUEUES)
            .filter(shares -> nanos(shares) >= LEAST_SHARE * steps.wallNanos())
            .toList();
    int first = questions.size();
    longest.forEach(shares -> ask(WhatIf.withoutQueue(shares.get(0).name())));
    return () -> {
      for (int i = 0; i < longest.size(); i++) {
        List<PathShares.QueueShare> shares = longest.get(i);
        int name = shares.get(0).name();
        add(
            new Finding(
                Finding.Kind.QUEUE_WAIT,
                name,
                Finding.Where.of(shares.size() == 1 ? List.of(shares.get(0).process()) : List.of()),
                List.of(),
                replays.saved(first + i),
                new Finding.Seen((double) run.path().nanosBehind(name) / nanos(shares), 0, 0),
                replays.evidence(first + i)));
      }
    };
  }

  private static long nanos(List<PathShares.QueueShare> shares) {
    return shares.stream().mapToLong(PathShares.QueueShare::nanos).sum();
  }

  /** The one with the most time, twice as fast. */
  private Runnable longestPhase() {
    List<Steps.Phase> phases = steps.phases();
    if (phases.isEmpty() || phases.get(0).totalNanos() < LEAST_PHASE_SHARE * steps.wallNanos()) {
      return () -> {};
    }
    Steps.Phase phase = phases.get(0);
    int half = ask(WhatIf.halfThePhase(phase.name()));
    return () ->
        add(
            new Finding(
                Finding.Kind.PHASE,
                phase.name(),
                Finding.Where.ANYWHERE,
                List.of(),
                replays.saved(half),
                new Finding.Seen(
                    (double) phase.totalNanos() / steps.wallNanos(), phase.steps(), steps.count()),
                replays.evidence(half)));
  }
}
