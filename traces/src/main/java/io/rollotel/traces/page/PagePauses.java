package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.profile.Pause;
import io.rollotel.traces.profile.RunProfile;
import io.rollotel.traces.report.JsonRows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * When the processes of a run were paused: the longest pauses, as one column. For each worker with
 * pauses, its place and their number; for each pause, the time since the end of the previous one,
 * its duration, its activity and the place of its reason.
 */
final class PagePauses {

  /** The maximum for all processes together. */
  private static final int MOST = 20_000;

  private static final int MOST_REASONS = 500;
  private static final int REASON_TEXT = 100;

  /** A pause of the worker at a place of the page. */
  private record Mark(int worker, Pause pause) {
    long nanos() {
      return pause.nanos();
    }

    long start() {
      return pause.startEpochNanos();
    }
  }

  private final RunTotals run;
  private final List<Mark> shown;
  private final Map<String, Integer> reasons = new LinkedHashMap<>();
  private long leftOut;

  PagePauses(RunProfile profile, RunTotals run, PageNumbers numbers) {
    this(profile, run, numbers, MOST);
  }

  PagePauses(RunProfile profile, RunTotals run, PageNumbers numbers, int most) {
    this.run = run;
    PriorityQueue<Mark> longest = new PriorityQueue<>(Comparator.comparingLong(Mark::nanos));
    for (int process = 0; process < run.spans().processes().size(); process++) {
      int worker = numbers.worker(process);
      if (worker >= 0) {
        for (Pause pause : profile.pauses(process)) {
          if (isInRun(pause)) {
            longest.add(new Mark(worker, pause));
          }
          if (longest.size() > most) {
            longest.remove();
            leftOut++;
          }
        }
      }
    }
    this.shown = new ArrayList<>(longest);
    shown.sort(Comparator.comparingInt(Mark::worker).thenComparingLong(Mark::start));
    reason("");
  }

  private boolean isInRun(Pause pause) {
    return sinceStart(pause.endEpochNanos()) > 0
        && sinceStart(pause.startEpochNanos()) < run.wallNanos();
  }

  private long sinceStart(long epochNanos) {
    return epochNanos - run.startEpochNanos();
  }

  private int reason(String text) {
    String cut = reasons.size() < MOST_REASONS ? PageTags.cut(text, REASON_TEXT) : "";
    return reasons.computeIfAbsent(cut, none -> reasons.size());
  }

  void write(JsonRows json) {
    PageBytes column = new PageBytes();
    for (int from = 0; from < shown.size(); ) {
      int to = from;
      while (to < shown.size() && shown.get(to).worker == shown.get(from).worker) {
        to++;
      }
      worker(shown.subList(from, to), column);
      from = to;
    }
    json.object(
        "pauses",
        () ->
            json.put("count", shown.size())
                .put("leftOut", leftOut)
                .texts("reasons", reasons.keySet())
                .put("column", column.base64()));
  }

  private void worker(List<Mark> marks, PageBytes column) {
    column.add(marks.get(0).worker);
    column.add(marks.size());
    long reached = 0;
    for (Mark mark : marks) {
      long start = sinceStart(mark.start());
      column.addSigned(start - reached); // the first may have begun before the run
      column.add(mark.nanos());
      column.add(PageProfile.number(mark.pause.activity()));
      column.add(reason(mark.pause.why()));
      reached = start + mark.nanos();
    }
  }
}
