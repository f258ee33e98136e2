package io.rollotel.traces.analysis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** Calls to several workers that their sender could have sent earlier, as far as times show. */
final class SendFindings {

  /** Fewer cases prove nothing. */
  private static final int LEAST_TIMES = 3;

  /** Each is a replay of all steps. */
  private static final int MOST = 3;

  /**
   * A finding, once its saving is known.
   *
   * @param kind its kind
   * @param sends the calls
   */
  record Candidate(Finding.Kind kind, FanOutSends.Totals sends) {

    WhatIf question() {
      return isLate() ? WhatIf.sentAtOnce(sends) : WhatIf.runAtOnce(sends);
    }

    private boolean isLate() {
      return kind == Finding.Kind.LATE_SENDS;
    }

    private List<Integer> processes() {
      return !isLate() ? sends.processes() : sends.last() < 0 ? List.of() : List.of(sends.last());
    }

    /** From the first call to the last, in all cases. */
    private long spreadNanos() {
      return isLate() ? sends.late() * sends.spreadNanos() : sends.serialNanos();
    }

    private long times() {
      return isLate() ? sends.late() : sends.serial();
    }

    Finding finding(Replays replays, int answer) {
      return finding(replays, answer, replays.saved(answer));
    }

    private Finding finding(Replays replays, int answer, long savesNanos) {
      return new Finding(
          kind,
          sends.name(),
          Finding.Where.of(processes()),
          List.of(),
          savesNanos,
          new Finding.Seen(isLate() ? 0 : sends.atOnce(), times(), sends.seen()),
          replays.evidence(answer),
          sends);
    }
  }

  private SendFindings() {}

  /**
   * The findings of a run whose steps overlap. A sender may also have waited for another step
   * there, so this must be impossible in most cases. No saving is known, as the run may wait
   * elsewhere.
   *
   * @param ask answers questions about the run
   */
  static List<Finding> besideOtherSteps(RunTotals run, Function<List<WhatIf>, Replays> ask) {
    double leastNanos = Findings.LEAST_SHARE * run.steps().wallNanos();
    List<Candidate> all =
        of(run).stream()
            .filter(one -> one.sends.seen() <= run.steps().all().size())
            .filter(one -> one.spreadNanos() >= leastNanos)
            .toList();
    if (all.isEmpty()) {
      return List.of();
    }
    Replays answers = ask.apply(all.stream().map(Candidate::question).toList());
    List<Finding> found = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      if (answers.undisturbed(i) >= FanOuts.MOSTLY * all.get(i).times()) {
        found.add(all.get(i).finding(answers, i, Finding.UNKNOWN));
      }
    }
    return found;
  }

  /** Those that may save most. */
  static List<Candidate> of(RunTotals run) {
    List<FanOutSends.Totals> all = run.sends();
    List<Candidate> found = new ArrayList<>();
    all.stream()
        .filter(sends -> isRule(sends.late(), sends.serial(), sends.seen()))
        .sorted(Comparator.comparingDouble(sends -> -(double) sends.late() * sends.spreadNanos()))
        .limit(MOST)
        .forEach(sends -> found.add(new Candidate(Finding.Kind.LATE_SENDS, sends)));
    // If there are more than one in a step, these may be an agent's turns, each of which needs the
    // result of the one before; and a service's replicas may get them in turn.
    all.stream()
        .filter(sends -> !run.steps().areTraces() && sends.seen() <= run.steps().all().size())
        .filter(sends -> isRule(sends.serial(), sends.late(), sends.seen()))
        .sorted(Comparator.comparingLong(sends -> -sends.serialNanos()))
        .limit(MOST)
        .forEach(sends -> found.add(new Candidate(Finding.Kind.SERIAL_CALLS, sends)));
    return found;
  }

  /** Whether something is, and more often than the other, which is much alike. */
  private static boolean isRule(long times, long others, long of) {
    return times >= LEAST_TIMES && times > others && times + others >= FanOuts.MOSTLY * of;
  }
}
