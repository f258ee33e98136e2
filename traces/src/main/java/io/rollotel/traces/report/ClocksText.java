package io.rollotel.traces.report;

import io.rollotel.traces.analysis.ClockSkew;
import io.rollotel.traces.analysis.Clocks;
import java.util.List;
import java.util.stream.Collectors;

/** Clocks in a report: at its top, and beside the numbers that depend on them. */
final class ClocksText {

  private static final int HOST_COLUMNS = 16;
  private static final int LISTED = 5;

  private final Clocks clocks;
  private final ReportWriter out;

  ClocksText(Clocks clocks, ReportWriter out) {
    this.clocks = clocks;
    this.out = out;
  }

  /** The lines at the top. */
  void print() {
    List<Clocks.Shift> corrected = clocks.corrected();
    corrected.stream().limit(LISTED).forEach(shift -> out.wrapped("  clocks: " + inWords(shift)));
    more(corrected.size(), "hosts whose times are corrected");
    List<ClockSkew.Hosts> disagreeing = clocks.disagreeing();
    disagreeing.stream().limit(LISTED).forEach(hosts -> out.wrapped("  clocks: " + inWords(hosts)));
    more(disagreeing.size(), "pairs of hosts whose times are not");
  }

  private void more(int number, String what) {
    if (number > LISTED) {
      out.sentence("  clocks: and %d more %s (--json has them)", number - LISTED, what);
    }
  }

  private static String inWords(Clocks.Shift shift) {
    return name(shift.host())
        + " was "
        + (shift.isAtLeast() ? "at least " : "")
        + TextFormat.duration(Math.abs(shift.nanos()))
        + (shift.nanos() > 0 ? " ahead of " : " behind ")
        + name(shift.reference())
        + (shift.isAtLeast() ? "" : " (±" + TextFormat.duration(shift.uncertaintyNanos()) + ")")
        + "; its times are corrected";
  }

  private String inWords(ClockSkew.Hosts hosts) {
    if (hosts.isSkewed() && clocks.correctionNanos(hosts) == 0) {
      long low = Math.abs(hosts.lowNanos());
      long high = Math.abs(hosts.highNanos());
      return name(hosts.ahead())
          + " is "
          + (hosts.isCorrectable()
              ? "about "
                  + TextFormat.duration(Math.abs(hosts.estimateNanos()))
                  + " ahead of "
                  + name(hosts.behind())
                  + " (±"
                  + TextFormat.duration(hosts.uncertaintyNanos())
                  + ")"
              : TextFormat.duration(Math.min(low, high))
                  + " to "
                  + TextFormat.duration(Math.max(low, high))
                  + " ahead of "
                  + name(hosts.behind())
                  + ", or nobody waited for its work")
          + "; no time is corrected";
    }
    return "the calls between "
        + name(hosts.first())
        + " and "
        + name(hosts.second())
        + (hosts.isContradictory() ? " contradict each other" : " contradict those of other hosts")
        + "; their clocks cannot be compared";
  }

  /** Notes that the preceding text depends on clocks that do not agree, if so. */
  void uncertain(boolean isAboutThem) {
    if (isAboutThem && !clocks.doubtful().isEmpty()) {
      out.wrapped("  uncertain: " + doubt());
    }
  }

  /** Printed below a table that contains a {@link #mark}. */
  void legend(boolean isMarked) {
    if (isMarked) {
      out.wrapped("  ?: " + doubt());
    }
  }

  /** A table's cell. */
  static String mark(String cell, boolean isDoubtful) {
    return isDoubtful ? cell + " ?" : cell;
  }

  private String doubt() {
    List<String> hosts = clocks.doubtful().stream().sorted().map(ClocksText::name).toList();
    return (hosts.size() == 1 ? "the clock of " : "the clocks of ")
        + hosts.stream().limit(LISTED).collect(Collectors.joining(", "))
        + (hosts.size() > LISTED ? " and " + (hosts.size() - LISTED) + " other hosts" : "")
        + (hosts.size() == 1 ? " does" : " do")
        + " not fit the others'";
  }

  private static String name(String host) {
    return TextFormat.name(host, HOST_COLUMNS);
  }
}
