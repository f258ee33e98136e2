package io.rollotel.traces.report;

import static io.rollotel.traces.report.TextFormat.count;

import io.rollotel.traces.analysis.FoundRun;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.spans.Spans;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Signs, at the top of a report, that its run is not all that the user looks for, or is several.
 */
final class MixedRunsText {

  private static final int NAME_COLUMNS = 40;

  private final ReportContents contents;
  private final ReportContents.StepSummary steps;
  private final ReportWriter out;

  MixedRunsText(ReportContents contents, ReportWriter out) {
    this.contents = contents;
    this.steps = contents.steps();
    this.out = out;
  }

  void print() {
    otherRuns();
    mixedRuns();
  }

  /** Where the run is probably not all that the user looks for. */
  private void otherRuns() {
    ReportContents.Header header = contents.header();
    List<FoundRun> others = contents.otherRuns();
    Optional<FoundRun> withSteps =
        others.stream().filter(run -> run.hasSteps() && run.spans() > 0).findFirst();
    if (steps.areTraces() && withSteps.isPresent()) {
      out.sentence(
          "  these files have a run with steps as well, of %s: --run %s shows it",
          count(withSteps.get().spans(), "span", "spans"),
          TextFormat.text(withSteps.get().id(), FilesText.RUN_ID_COLUMNS));
      return;
    }
    long start = header.startEpochNanos();
    Optional<FoundRun> later =
        others.stream()
            .filter(run -> run.spans() == 0 && run.startEpochNanos() > start + header.wallNanos())
            .findFirst();
    if (later.isPresent()) {
      out.sentence(
          "  a later run has only open spans: --run %s shows it",
          TextFormat.text(later.get().id(), FilesText.RUN_ID_COLUMNS));
    }
    long during =
        others.stream()
            .filter(run -> !run.hasSteps() && run.spans() > 0 && run.startEpochNanos() > start)
            .filter(run -> run.startEpochNanos() <= start + header.wallNanos())
            .count();
    if (!steps.areTraces() && during > 0) {
      out.sentence(
          "  %s without steps began during it: named at the end of this report",
          count(during, "run", "runs"));
    }
  }

  /** Where steps count from their first label again, as those of a second run without an id do. */
  private void mixedRuns() {
    List<String> labels = steps.all().stream().map(Steps.Step::label).toList();
    if (severalDrivers()
        || steps.areTraces()
        || labels.size() < 4
        || labels.get(0).equals(labels.get(1))) {
      return;
    }
    List<String> first = labels.subList(0, 2);
    boolean isAgain =
        IntStream.range(2, labels.size() - 1)
            .anyMatch(at -> labels.subList(at, at + 2).equals(first));
    if (isAgain) {
      out.sentence(
          "  its steps begin again at step %s: an epoch, a restart, or several runs without a run id"
              + " of their own (docs/roll.md)",
          TextFormat.text(first.get(0), NAME_COLUMNS));
    }
  }

  /**
   * Where two processes that made steps at the same time have one with the same label: one run for
   * each was probably intended. A driver that continues another's steps comes after it.
   *
   * @return whether it was printed
   */
  private boolean severalDrivers() {
    Spans spans = contents.totals().spans();
    Map<String, Integer> firsts = new HashMap<>();
    for (Steps.Step step : steps.areTraces() ? List.<Steps.Step>of() : steps.all()) {
      if (step.label().isEmpty() || spans.isVirtual(step.span())) {
        continue;
      }
      Integer first = firsts.putIfAbsent(step.label(), step.span());
      if (first != null && areBesideEachOther(spans.process(first), spans.process(step.span()))) {
        out.sentence(
            "  two processes have a step %s, %s and %s: unless they are one pipeline, give each its own"
                + " output directory",
            TextFormat.text(step.label(), NAME_COLUMNS),
            TextFormat.process(spans.processOf(first), NAME_COLUMNS),
            TextFormat.process(spans.processOf(step.span()), NAME_COLUMNS));
        return true;
      }
    }
    return false;
  }

  /** Whether the steps of one process began before those of another had ended, and vice versa. */
  private boolean areBesideEachOther(int one, int other) {
    return one != other && start(one) < end(other) && start(other) < end(one);
  }

  private long start(int process) {
    return spansOf(process).mapToLong(contents.totals().spans()::start).min().orElse(0);
  }

  private long end(int process) {
    return spansOf(process).mapToLong(contents.totals().spans()::end).max().orElse(0);
  }

  private IntStream spansOf(int process) {
    Spans spans = contents.totals().spans();
    return steps.all().stream()
        .mapToInt(Steps.Step::span)
        .filter(step -> !spans.isVirtual(step) && spans.process(step) == process);
  }
}
