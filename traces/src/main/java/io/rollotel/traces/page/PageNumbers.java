package io.rollotel.traces.page;

import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.spans.LostParents;
import java.util.Arrays;
import java.util.List;

/**
 * The numbers by which the page's rows name things: span names and workers by their place among
 * those on the page, spans by their item on the timeline.
 */
final class PageNumbers {

  private final PageSpans placed;
  private final int[] names;
  private final int[] workers;

  /**
   * Numbers what a report names.
   *
   * @param maxNames how many names are listed; all others have this number
   */
  PageNumbers(ReportContents contents, PageSpans placed, int maxNames) {
    this.placed = placed;
    this.names = new int[contents.run().spans().names().size()];
    Arrays.fill(names, maxNames);
    List<ReportContents.NameRow> listed = contents.names();
    for (int i = 0; i < Math.min(listed.size(), maxNames); i++) {
      names[listed.get(i).name().number()] = i;
    }
    int lost = contents.run().spans().names().find(LostParents.NOT_THERE);
    if (lost >= 0) {
      names[lost] = -1;
    }
    this.workers = new int[contents.run().spans().processes().size()];
    Arrays.fill(workers, -1);
    for (int i = 0; i < contents.workers().size(); i++) {
      workers[contents.workers().get(i).worker().processNumber()] = i;
    }
  }

  /** The place of a span name among those on the page, -1 for spans that are missing. */
  int name(int number) {
    return names[number];
  }

  /** The place of a process among the workers, -1 where no span of it has ended in this run. */
  int worker(int process) {
    return process < 0 ? -1 : workers[process];
  }

  /** The item that shows a span, -1 where none does. */
  int item(int span) {
    return placed.item(span);
  }
}
