package io.rollotel.traces.report;

import io.rollotel.traces.analysis.SlowerWorkers;
import io.rollotel.traces.spans.TracedProcess;
import java.util.List;

/** Workers that got slower from one run to another while others did not, in words and as JSON. */
final class SlowerWorkersRows {

  private static final int NAME_COLUMNS = 40;
  private static final int PROCESS_COLUMNS = 40;
  private static final int NAMED = 3;
  private static final int MOST_SENTENCES = 3;

  private final List<SlowerWorkers> all;

  SlowerWorkersRows(List<SlowerWorkers> all) {
    this.all = all;
  }

  /** Prints those of the largest excess. */
  void print(ReportWriter out) {
    if (!all.isEmpty()) {
      out.println();
      all.stream().limit(MOST_SENTENCES).forEach(one -> out.wrapped(sentence(one)));
      if (all.size() > MOST_SENTENCES) {
        out.println("  and " + (all.size() - MOST_SENTENCES) + " more (--json has them)");
      }
    }
  }

  /** A sentence for each. */
  List<String> sentences() {
    return all.stream().map(SlowerWorkersRows::sentence).toList();
  }

  private static String sentence(SlowerWorkers one) {
    String others = TextFormat.count(one.others(), "other", "others");
    String before = TextFormat.duration(one.beforeNanos());
    String after = TextFormat.duration(one.afterNanos());
    String othersAfter = TextFormat.duration(one.othersAfterNanos());
    String where =
        TextFormat.spanName(one.name(), NAME_COLUMNS)
            + " got slower on "
            + workers(one)
            + (one.areAlone() ? " alone: " : " most of all: ");
    return one.areMatched()
        ? where
            + (before + " -> " + after + "; on " + others + " ")
            + (TextFormat.duration(one.othersBeforeNanos()) + " -> " + othersAfter)
        : where
            + (after + ", on " + others + " " + othersAfter)
            + ("; before, the slowest worker took " + before);
  }

  private static String workers(SlowerWorkers one) {
    List<TracedProcess> workers = one.workers();
    if (!one.host().isEmpty()) {
      return "host "
          + TextFormat.text(one.host(), PROCESS_COLUMNS)
          + " (all of its "
          + workers.size()
          + " workers)";
    }
    List<String> named =
        workers.stream()
            .limit(NAMED)
            .map(worker -> TextFormat.process(worker, PROCESS_COLUMNS))
            .toList();
    int rest = workers.size() - named.size();
    if (workers.size() == 1) {
      return named.get(0);
    }
    String last = rest > 0 ? rest + " more" : named.get(named.size() - 1);
    List<String> first = rest > 0 ? named : named.subList(0, named.size() - 1);
    return String.join(", ", first) + " and " + last;
  }

  /** Writes them as an array. */
  void write(JsonRows json) {
    json.rows("slowerWorkers", all, one -> row(json, one));
  }

  private static void row(JsonRows json, SlowerWorkers one) {
    CommonFields common = new CommonFields(new TraceUrlTemplate(null), json);
    json.put("name", one.name()).rows("workers", one.workers(), common::process);
    if (!one.host().isEmpty()) {
      json.put("host", one.host());
    }
    json.put("matched", one.areMatched())
        .put("medianBeforeNanos", one.beforeNanos())
        .put("medianAfterNanos", one.afterNanos())
        .put("spansInStep", one.spansInStep())
        .put("others", one.others())
        .put("othersMedianBeforeNanos", one.othersBeforeNanos())
        .put("othersMedianAfterNanos", one.othersAfterNanos())
        .put("alone", one.areAlone())
        .put("pValue", one.pValue())
        .put("text", sentence(one));
  }
}
