package io.rollotel.traces.page;

import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.spans.LostParents;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that the page's rows use: span names and workers by their place among those on the
 * page, spans by their item on the timeline.
 */
final class PageNumbers implements Serializable {

  private final int[] names;
  private final int[] workers;

  /** Null if no caller asks for items. */
  private final transient @Nullable IntUnaryOperator items;

  /**
   * Numbers the names and workers of a report.
   *
   * @param maxNames how many names are listed; all others have this number
   */
  PageNumbers(ReportContents contents, PageSpans placed, int maxNames) {
    this(contents, maxNames, placed::item);
  }

  /** The same without items. */
  PageNumbers(ReportContents contents, int maxNames) {
    this(contents, maxNames, (IntUnaryOperator) null);
  }

  /**
   * The same if the timeline does not show the spans of the contents.
   *
   * @param items the item of each span of the contents, or -1
   */
  PageNumbers(ReportContents contents, int maxNames, @Nullable IntUnaryOperator items) {
    this.items = items;
    this.names = new int[contents.totals().spans().names().size()];
    Arrays.fill(names, maxNames);
    List<ReportContents.NameRow> listed = contents.names();
    for (int i = 0; i < Math.min(listed.size(), maxNames); i++) {
      names[listed.get(i).name().number()] = i;
    }
    int lost = contents.totals().spans().names().find(LostParents.NOT_THERE);
    if (lost >= 0) {
      names[lost] = -1;
    }
    this.workers = new int[contents.totals().spans().processes().size()];
    Arrays.fill(workers, -1);
    for (int i = 0; i < contents.workers().size(); i++) {
      workers[contents.workers().get(i).worker().processNumber()] = i;
    }
  }

  /** The number of span names, including those that are not on the page. */
  int names() {
    return names.length;
  }

  /** The place of a span name among those on the page, -1 for spans that are missing. */
  int name(int number) {
    return names[number];
  }

  /** The place of a process among the workers, -1 if none of its spans has ended in this run. */
  int worker(int process) {
    return process < 0 ? -1 : workers[process];
  }

  /** The item that shows a span of the report's contents, -1 if there is none. */
  int item(int span) {
    return items == null ? -1 : items.applyAsInt(span);
  }
}
