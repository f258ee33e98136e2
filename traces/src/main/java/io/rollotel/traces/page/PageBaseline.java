package io.rollotel.traces.page;

import io.rollotel.traces.analysis.Comparison;
import io.rollotel.traces.report.ComparisonReport;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.RunReport;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * The run with which a page compares another one: the changes since, and its timeline.
 *
 * @param comparison of the page's run against this one
 */
record PageBaseline(RunReport report, ComparisonReport comparison) {

  private static final int CHANGES = 500;
  private static final int NAMES = 100;
  private static final int TEXT = 500;
  private static final int SENTENCES = 3;

  void write(JsonRows json, JsonGenerator generator, PageText out) {
    Comparison found = comparison.comparison();
    List<Comparison.Change> changes = found.byEffect();
    List<String> slowerWorkers = comparison.slowerWorkersInWords();
    int sentences = Math.min(SENTENCES, slowerWorkers.size());
    json.put("changesLeftOut", Math.max(0, changes.size() - CHANGES))
        .rows(
            "changes",
            changes.subList(0, Math.min(CHANGES, changes.size())),
            change -> {
              json.put("kind", change.kind().name())
                  .put("name", PageTags.cut(change.name(), TEXT))
                  .put("before", change.before())
                  .put("after", change.after())
                  .put("medianBefore", change.beforeNanos())
                  .put("medianAfter", change.afterNanos())
                  .putFinite("ratio", change.ratio())
                  .putFinite("low", change.interval().low())
                  .putFinite("high", change.interval().high())
                  .put("confidence", change.interval().confidence())
                  .put("verdict", change.verdict().name());
              String cause = comparison.causeInWords(change);
              if (cause != null) {
                json.put("cause", PageTags.cut(cause, TEXT));
              }
            })
        .texts("slowerWorkers", cut(slowerWorkers.subList(0, sentences)))
        .put("slowerWorkersLeftOut", slowerWorkers.size() - sentences)
        .texts("newNames", cut(found.newNames()))
        .texts("goneNames", cut(found.goneNames()))
        .object(
            "baseline", () -> PageJson.writeBaseline(report, PageLimits.BASELINE, generator, out));
  }

  private static List<String> cut(List<String> names) {
    return names.stream().limit(NAMES).map(name -> PageTags.cut(name, TEXT)).toList();
  }
}
