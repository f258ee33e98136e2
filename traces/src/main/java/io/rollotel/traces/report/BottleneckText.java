package io.rollotel.traces.report;

import static io.rollotel.traces.report.TextFormat.count;

import io.rollotel.traces.analysis.Finding;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.report.ReportContents.RootRow;
import io.rollotel.traces.spans.SpanRow;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The third question of a report in words: which step or worker is the bottleneck? */
final class BottleneckText {

  /** Less than this many times the median counts as usual. */
  static final double STANDS_OUT = 1.1;

  /**
   * Waits in queues, and for the last worker, are mentioned from this share of the steps' time on.
   */
  private static final double LEAST_COST = 0.01;

  /** A name or a process dominates the critical path from this share on. */
  private static final double DOMINATES = 0.4;

  /** An open call hangs if it is open for this many times the longest ended one of its name, */
  private static final int HANGS = 3;

  /** at least this long, */
  private static final long LEAST_HANGING_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** and so many of the name have ended. */
  private static final int LEAST_ENDED = 5;

  private static final int NAME_COLUMNS = 40;

  private final ReportContents contents;
  private final ReportContents.StepSummary steps;
  private final ReportWriter out;

  BottleneckText(ReportContents contents, ReportWriter out) {
    this.contents = contents;
    this.steps = contents.steps();
    this.out = out;
  }

  void print() {
    out.wrapped(
        ReportWriter.Colour.HEADING,
        steps.areTraces()
            ? "Which trace or process is the bottleneck?"
            : "Which step or worker is the bottleneck?");
    hanging(true);
    hanging(false);
    dominant();
    waits();
    slowestStep();
    straggler();
    slowWorker();
    if (!steps.areTraces()) {
      bubble(); // between requests, a service is idle
    }
    queue();
    overlapped();
    new ClocksText(contents.clocks(), out).uncertain(true);
  }

  /**
   * The call that probably hangs, or hung until its process ended. Of the trace with the call that
   * has been open for most times the longest ended call of its name, the last started such call: it
   * is the innermost.
   */
  private void hanging(boolean isAlive) {
    Map<String, ReportContents.NameRow> ended = new HashMap<>();
    contents.names().stream()
        .filter(row -> row.count() >= LEAST_ENDED)
        .forEach(row -> ended.put(row.name().text(), row));
    List<OpenSpans.Row> open =
        contents.open().rows().stream()
            .filter(row -> row.recording().isAlive() == isAlive)
            .filter(row -> timesUsual(row, ended) > HANGS)
            .toList();
    if (open.isEmpty()) {
      return;
    }
    String traceId =
        Collections.max(open, Comparator.comparingDouble(row -> timesUsual(row, ended)))
            .span()
            .traceId();
    OpenSpans.Row last =
        open.stream()
            .filter(row -> row.span().traceId().equals(traceId))
            .max(Comparator.comparingLong(row -> row.span().startEpochNanos()))
            .orElseThrow();
    ReportContents.NameRow ofName = ended.get(last.name());
    String process = TextFormat.process(last.process(), NAME_COLUMNS);
    String age = TextFormat.duration(last.ageNanos());
    out.sentence(
        "  %s %s, in trace %s: the longest of the %d that have ended took %s",
        TextFormat.spanName(last.name(), NAME_COLUMNS),
        isAlive
            ? "has been open for " + age + " on " + process
            : "was still open after "
                + age
                + " when "
                + process
                + (last.recording().hasDied() ? " died" : " ended"),
        last.span().traceId(),
        ofName == null ? 0 : ofName.count(),
        TextFormat.duration(ofName == null ? 0 : ofName.maxNanos()));
  }

  /**
   * How many times the longest ended call of its name a call has been open; 0 if it may be well.
   */
  private static double timesUsual(
      OpenSpans.Row row, Map<String, ReportContents.NameRow> endedByName) {
    ReportContents.NameRow ended = endedByName.get(row.name());
    return ended == null || row.ageNanos() < LEAST_HANGING_NANOS
        ? 0
        : (double) row.ageNanos() / Math.max(1, ended.maxNanos());
  }

  /** The name or the process that has much of the critical path, and more than the other lines. */
  private void dominant() {
    ReportContents.Path path = contents.path();
    if (!path.names().isEmpty() && isWait(path.names().get(0).name())) {
      return; // the next line has it
    }
    double told =
        Math.max(stragglerShare(), ContentsBuilder.share(path.waitNanos(), path.totalNanos()));
    double least = Math.max(DOMINATES, told);
    if (!path.names().isEmpty() && path.names().get(0).share() >= least) {
      ReportContents.NameShare first = path.names().get(0);
      out.sentence(
          isUnattributed(first.name())
              ? "  %s's own work, in no child span, is %s of the critical path: trace its parts"
              : "  %s takes %s of the critical path",
          name(first.name()),
          TextFormat.percent(first.share()));
    } else if (path.processes().size() > 1 && path.processes().get(0).share() >= least) {
      out.sentence(
          "  %s takes %s of the critical path",
          TextFormat.process(path.processes().get(0).process(), NAME_COLUMNS),
          TextFormat.percent(path.processes().get(0).share()));
    }
  }

  /** Whether spans of that name only wait for others. */
  private boolean isWait(ReportContents.NameRef name) {
    return contents.findings().stream()
        .map(FindingRow::finding)
        .anyMatch(one -> one.kind() == Finding.Kind.WAITS_FOR && one.name() == name.number());
  }

  /** Whether it is the name of steps or roots that have children. */
  private boolean isUnattributed(ReportContents.NameRef name) {
    return !steps.slowest().isEmpty()
        && !steps.phases().isEmpty()
        && contents.span(steps.slowest().get(0).span()).name().equals(name.text());
  }

  /** A name in a sentence. */
  private static String name(ReportContents.NameRef name) {
    return TextFormat.spanName(name.text(), NAME_COLUMNS);
  }

  private void slowestStep() {
    if (steps.slowest().isEmpty()) {
      out.println("  nothing that has a time was recorded");
      return;
    }
    Steps.Step slowest = steps.slowest().get(0);
    if (steps.count() == 1) {
      out.sentence(
          "  nothing to compare: there is only one %s, which took %s",
          steps.areTraces() ? "trace" : "step", TextFormat.duration(slowest.wallNanos()));
      return;
    }
    RootRow root = rootOf(slowest);
    double timesMedian =
        root == null || root.p50Nanos() == 0
            ? steps.slowestTimesMedian()
            : (double) slowest.wallNanos() / root.p50Nanos();
    if (timesMedian < STANDS_OUT) {
      out.sentence(
          "  no %s stands out: the longest took %s",
          steps.areTraces() ? "trace" : "step", TextFormat.duration(slowest.wallNanos()));
      return;
    }
    String traceId = contents.span(slowest.span()).traceId();
    String which =
        steps.areTraces()
            ? "trace " + traceId
            : slowest.label().isEmpty()
                ? "the step of trace " + traceId
                : "step " + TextFormat.text(slowest.label(), NAME_COLUMNS);
    out.sentence(
        "  %s took longest: %s, %.1f times the median%s%s%s",
        which,
        TextFormat.duration(slowest.wallNanos()),
        timesMedian,
        root == null ? "" : " of " + name(root.name()),
        mostOfIt(),
        diedIn(contents.span(slowest.span())));
  }

  /** Whether a process ended in the trace without ending its calls: that may be why it was slow. */
  private String diedIn(SpanRow step) {
    long end = step.startEpochNanos() + step.nanos();
    return contents.open().rows().stream()
        .filter(row -> row.recording().hasDied())
        .filter(row -> row.span().traceId().equals(step.traceId()))
        .filter(row -> row.span().startEpochNanos() <= end)
        .filter(row -> row.recording().lastSignEpochNanos() >= step.startEpochNanos())
        .findFirst()
        .map(
            row ->
                "; "
                    + TextFormat.process(row.process(), NAME_COLUMNS)
                    + " died in it, in "
                    + TextFormat.spanName(row.name(), NAME_COLUMNS))
        .orElse("");
  }

  /** A trace is compared with those of its own root; null for a step. */
  private @Nullable RootRow rootOf(Steps.Step slowest) {
    String name = contents.span(slowest.span()).name();
    return contents.roots().stream()
        .filter(root -> root.name().text().equals(name))
        .findFirst()
        .orElse(null);
  }

  /** The phase that makes the slowest step so long. */
  private String mostOfIt() {
    Steps.PhaseTime most = steps.whySlowest();
    return most == null
        ? ""
        : "; "
            + TextFormat.duration(most.nanos())
            + " of it in "
            + TextFormat.spanName(contents.name(most.name()), NAME_COLUMNS);
  }

  private void straggler() {
    if (stragglerShare() < LEAST_COST) {
      return;
    }
    ReportContents.FanOutRow worst = contents.fanOuts().get(0);
    String tail = contents.longTail(worst.name());
    if (!tail.isEmpty()) {
      out.wrapped("  " + tail); // any worker may get such a call
      return;
    }
    ReportContents.StragglerRow first = worst.stragglers().get(0);
    boolean isOneOfSeveral = isOneOfSeveral(worst);
    out.sentence(
        "  %s was last in %d of %s%s of %s%s,%n    and %s waited %s for it (%s of %s time)%s",
        TextFormat.process(first.process(), NAME_COLUMNS),
        first.times(),
        first.fanOuts() < worst.fanOuts() ? "its " : "",
        count(first.fanOuts(), "fan-out", "fan-outs"),
        name(worst.name()),
        first.isAlways() ? ", always" : "",
        isOneOfSeveral ? "half of the workers" : "the other workers",
        TextFormat.duration(isOneOfSeveral ? worst.lagNanos() : first.costNanos()),
        TextFormat.percent(stragglerShare()),
        steps.areTraces() ? "trace" : "step",
        first.lateNanos() == 0
            ? ""
            : String.format(
                Locale.ROOT,
                ":%n    its calls are sent last, %s after the first",
                TextFormat.duration(first.lateNanos())));
  }

  /** A slow worker or host that is not the straggler, such as one that others wait for inside. */
  private void slowWorker() {
    FindingRow slow = contents.slowBesideStraggler(stragglerShare() >= LEAST_COST);
    if (slow != null) {
      out.sentence(
          "  %s: that costs %s of %s time",
          slow.slowInWords(contents.name(slow.finding().name())),
          TextFormat.percent(slow.share()),
          steps.areTraces() ? "trace" : "step");
    }
  }

  /**
   * What spans wait for that seem to be the work, on the path and in the step that took longest;
   * and calls that are sent later than needed, where nobody can tell what that costs.
   */
  private void waits() {
    contents.findings().stream()
        .filter(FindingRow::isToldWithoutSaving)
        .forEach(row -> out.sentence("  %s", row.text()));
  }

  /** The next to last was almost as late, and half of them had ended long before. */
  private static boolean isOneOfSeveral(ReportContents.FanOutRow row) {
    return row.isAlwaysTheSame() && 10 * row.costNanos() < row.lagNanos();
  }

  /** The share of the steps' time for which others waited for the costliest straggler. */
  private double stragglerShare() {
    if (contents.fanOuts().isEmpty()) {
      return 0;
    }
    ReportContents.FanOutRow worst = contents.fanOuts().get(0);
    return isOneOfSeveral(worst)
        ? ContentsBuilder.share(worst.lagNanos(), steps.wallNanos())
        : worst.stragglers().get(0).share();
  }

  private void bubble() {
    Workers.Idle idle = contents.idleWorkers();
    if (idle == null) {
      return;
    }
    if (idle.workers() == 1) {
      out.sentence(
          "  the only worker was idle for %s of step time", TextFormat.percent(idle.share()));
      return;
    }
    out.sentence(
        "  %s were idle for %s of step time, most of all%n    %s, for %s",
        count(idle.workers(), "worker", "workers"),
        TextFormat.percent(idle.share()),
        TextFormat.process(idle.idlest().process(), NAME_COLUMNS),
        TextFormat.percent(idle.idlest().bubbleShare()));
  }

  private void queue() {
    if (contents.queues().isEmpty()) {
      return;
    }
    ReportContents.QueueRow longest = contents.queues().get(0);
    if (longest.delayNanos() < LEAST_COST * steps.wallNanos()) {
      return;
    }
    out.sentence(
        "  calls of %s waited %s in queues before they worked %s",
        name(longest.name()),
        TextFormat.duration(longest.totals().waitNanos()),
        TextFormat.duration(longest.totals().workNanos()));
  }

  private void overlapped() {
    if (contents.overlapped().isEmpty()) {
      return;
    }
    ReportContents.WorkRow most = contents.overlapped().get(0);
    out.sentence(
        "  %s of %s (%s) outlived their callers, and are not on the path%s",
        count(most.count(), "span", "spans"),
        name(most.name()),
        TextFormat.duration(most.totalNanos()),
        contents.findings().stream()
            .map(FindingRow::finding)
            .filter(
                one -> one.waitedFor() != null && one.waitedFor().name() == most.name().number())
            .findFirst()
            .map(
                one ->
                    ", but "
                        + TextFormat.spanName(contents.name(one.name()), NAME_COLUMNS)
                        + " waits for them")
            .orElse(""));
  }
}
