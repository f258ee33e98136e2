package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

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
   * @param ratio how many calls run at once, if they do not all
   */
  record Candidate(
      Finding.Kind kind, WhatIf question, List<Integer> processes, int ratio, long times, long of) {

    Finding finding(Replays replays, int answer) {
      return new Finding(
          kind,
          question.name(),
          processes,
          "",
          List.of(),
          replays.saved(answer),
          ratio,
          times,
          of,
          replays.evidence(answer));
    }
  }

  private SendFindings() {}

  /** Those that may save most. */
  static List<Candidate> of(RunTotals run) {
    List<FanOutSends.Totals> all = run.sends();
    List<Candidate> found = new ArrayList<>();
    all.stream()
        .filter(sends -> isRule(sends.late(), sends.serial(), sends.seen()))
        .sorted(Comparator.comparingDouble(sends -> -(double) sends.late() * sends.spreadNanos()))
        .limit(MOST)
        .forEach(sends -> found.add(late(sends)));
    // If there are more than one in a step, these may be an agent's turns, each of which needs the
    // result of the one before; and a service's replicas may get them in turn.
    all.stream()
        .filter(sends -> !run.steps().areTraces() && sends.seen() <= run.steps().all().size())
        .filter(sends -> isRule(sends.serial(), sends.late(), sends.seen()))
        .sorted(Comparator.comparingLong(sends -> -sends.serialNanos()))
        .limit(MOST)
        .forEach(sends -> found.add(serial(run, sends)));
    return found;
  }

  private static Candidate late(FanOutSends.Totals sends) {
    return new Candidate(
        Finding.Kind.LATE_SENDS,
        WhatIf.sentAtOnce(sends.name(), sends.processes()),
        sends.last() < 0 ? List.of() : List.of(sends.last()),
        0,
        sends.late(),
        sends.seen());
  }

  private static Candidate serial(RunTotals run, FanOutSends.Totals sends) {
    List<Integer> workers =
        sends.processes().stream()
            .boxed()
            .sorted(Comparator.comparing(run.spans().processes()::get, TracedProcess.ORDER))
            .toList();
    return new Candidate(
        Finding.Kind.SERIAL_CALLS,
        WhatIf.runAtOnce(sends.name(), sends.processes()),
        workers,
        sends.mostAtOnce(),
        sends.serial(),
        sends.seen());
  }

  /** Whether something is, and more often than the other, which is much alike. */
  private static boolean isRule(long times, long others, long of) {
    return times >= LEAST_TIMES && times > others && times + others >= FanOuts.MOSTLY * of;
  }
}
