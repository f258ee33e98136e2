package io.rollotel.traces.report;

import static io.rollotel.traces.report.TextFormat.count;

import io.rollotel.traces.analysis.ClockSkew;
import io.rollotel.traces.analysis.FanOuts;
import io.rollotel.traces.analysis.Finding;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.profile.Cause;
import io.rollotel.traces.profile.RunProfile;
import io.rollotel.traces.spans.SpanRow;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The findings of a run in sentences, and findings from the files themselves. */
final class FindingRows {

  private static final int NAME_COLUMNS = 36;
  private static final int PROCESS_COLUMNS = 32;
  private static final int HOST_COLUMNS = 24;
  private static final int NAMED = 3;

  /** Above this share, the rest is not worth mentioning. */
  private static final double NEARLY_ALL = 0.9;

  private final RunTotals run;
  private final Spans spans;
  private final @Nullable RunProfile profile;
  private final List<FindingRow> rows = new ArrayList<>();

  // Thousands of names may each have a finding, so the others are looked through once.

  /** By the name of spans that wait: what they wait for. */
  private final Map<Integer, Integer> waitedFor = new HashMap<>();

  /** By the name of spans that are waited for: what waits for them. */
  private final Map<Integer, Integer> waiting = new HashMap<>();

  /**
   * The rows.
   *
   * @param lostCalls calls without an execution
   * @param profile null if there is none
   */
  FindingRows(RunTotals run, long lostCalls, OpenSpans open, @Nullable RunProfile profile) {
    this.run = run;
    this.profile = profile;
    this.spans = run.spans();
    for (Finding finding : run.findings()) {
      Finding.WaitedFor what = finding.waitedFor();
      if (what != null) {
        waitedFor.putIfAbsent(finding.name(), what.name());
        waiting.putIfAbsent(what.name(), finding.name());
      }
    }
    run.findings().forEach(this::add);
    if (!open.rows().isEmpty()) {
      add(ofFiles(Finding.Kind.OPEN, open.rows().size()));
    }
    if (lostCalls > 0) {
      add(ofFiles(Finding.Kind.MISSING_EXECUTIONS, lostCalls));
    }
    run.clocks().pairs().stream().filter(ClockSkew.Hosts::isDoubtful).forEach(this::addClocks);
  }

  private static Finding ofFiles(Finding.Kind kind, long times) {
    return new Finding(
        kind,
        -1,
        Finding.Where.ANYWHERE,
        List.of(),
        Finding.UNKNOWN,
        Finding.Seen.times(times),
        List.of());
  }

  private void add(Finding finding) {
    Cause cause = cause(finding);
    rows.add(
        new FindingRow(
            finding,
            finding.processes().stream().map(spans.processes()::get).toList(),
            Math.max(0, ContentsBuilder.share(finding.savesNanos(), run.steps().wallNanos())),
            text(finding) + below(finding) + (cause == null ? "" : "; " + TextFormat.cause(cause)),
            finding.evidence().stream().map(span -> new SpanRow(spans, span)).toList(),
            cause));
  }

  private @Nullable Cause cause(Finding finding) {
    boolean isSlow =
        finding.kind() == Finding.Kind.SLOW_WORKER || finding.kind() == Finding.Kind.SLOW_HOST;
    return profile == null || !isSlow ? null : profile.cause(finding.name(), finding.processes());
  }

  List<FindingRow> all() {
    return rows;
  }

  private String text(Finding finding) {
    String name =
        finding.name() < 0
            ? ""
            : shortName(finding.name()) + (finding.below().isItself() ? " itself" : "");
    String units = run.steps().areTraces() ? "traces" : "steps";
    return switch (finding.kind()) {
      case SLOW_WORKER ->
          String.format(
                  Locale.ROOT,
                  finding.processes().size() == 1
                      ? "%s%s is slow: %s takes %s its peers' median (%d of %d times)"
                      : "%s%s are slow, and fixing only one saves less: %s takes up to %s its"
                          + " peers' median (%d of %d times)",
                  since(finding),
                  workers(finding),
                  name,
                  times(finding.ratio()),
                  finding.times(),
                  finding.of())
              + butWaits(finding.name());
      case SLOW_HOST ->
          String.format(
              Locale.ROOT,
              "%shost %s is slow: %s takes up to %s the median of others on its %s",
              since(finding),
              TextFormat.name(finding.host(), HOST_COLUMNS),
              name,
              times(finding.ratio()),
              count(finding.processes().size(), "worker", "workers"));
      case IMBALANCE -> "work is shared out unevenly, most in " + name + ": " + whoHasMost(finding);
      case LONG_TAIL -> longTail(finding, name);
      case LATE_SENDS, SERIAL_CALLS -> new SendsText(run).of(finding, name, workers(finding));
      case FAILED_CALLS ->
          "calls fail in "
              + units
              + " that do not, most of "
              + name
              + (finding.of() == 0 ? "" : " (" + finding.times() + " of " + finding.of() + ")")
              + ": this is saved if failed calls take no time";
      case QUEUE_WAIT ->
          finding.processes().size() == 1
              ? String.format(
                  Locale.ROOT,
                  "calls of %s wait in the queue of %s%s",
                  name,
                  workers(finding),
                  finding.ratio() < 0.5
                      ? ""
                      : " while it runs others: this is saved if it runs them all at once")
              : "calls of "
                  + name
                  + (finding.ratio() < 0.5
                      ? " wait in queues"
                      : " wait in queues while their workers run others: this is saved if they run all"
                          + " at once");
      case PHASE ->
          String.format(
              Locale.ROOT,
              "phase %s takes %s of the %s: this is saved if it becomes twice as fast%s",
              name,
              TextFormat.percent(finding.ratio()),
              units,
              butWaits(finding.name()));
      case UNATTRIBUTED ->
          String.format(
              Locale.ROOT,
              "the steps spend %s of their time in no child span: this is saved if it becomes half"
                  + " of that; trace its parts to learn more",
              TextFormat.percent(finding.ratio()));
      case SLOW_STEP ->
          step(finding.steps().get(0)) + " takes " + times(finding.ratio()) + " the median";
      case WARM_UP ->
          (finding.times() == 1
                  ? "the first step takes "
                  : "the first " + finding.times() + " steps take ")
              + times(finding.ratio())
              + " the median of the others";
      case PERIODIC_STEP ->
          "every "
              + ordinal(finding.times())
              + " step takes "
              + times(finding.ratio())
              + " the median of the others"
              + (finding.processes().isEmpty()
                  ? ""
                  : ": in each of them, other workers wait for "
                      + workers(finding)
                      + " in "
                      + name);
      case TREND ->
          "steps get longer: those of the last third take "
              + times(finding.ratio())
              + " as long as those of the first";
      case WAITS_FOR -> waitsFor(finding);
      case IDLE ->
          String.format(
              Locale.ROOT,
              finding.times() == 1
                  ? "the only worker is idle for %s of step time: %s"
                  : "the "
                      + finding.times()
                      + " workers are idle for %s of step time, most of all %s",
              TextFormat.percent(finding.ratio()),
              workers(finding));
      case OVERLAPPED_WORK ->
          count(finding.times(), "span", "spans")
              + " of "
              + name
              + " outlived their callers"
              + waitedForBy(finding.name());
      case OPEN -> count(finding.times(), "span has", "spans have") + " not ended";
      case MISSING_EXECUTIONS ->
          count(finding.times(), "call has", "calls have") + " no execution in these files";
      case MISSING_ROOT -> count(finding.times(), "trace has", "traces have") + " no root";
      case CLOCK_SKEW -> throw new IllegalArgumentException("a finding has only one host");
    };
  }

  private String waitsFor(Finding finding) {
    Finding.WaitedFor what = Objects.requireNonNull(finding.waitedFor());
    return String.format(
        Locale.ROOT,
        "%s waits for %s, so its time on the path is theirs: %s when one of these does (median"
            + " %s apart)%s",
        shortName(finding.name()),
        shortName(what.name()),
        finding.times() == finding.of()
            ? "each of " + finding.of() + " waits ends"
            : finding.times() + " of " + finding.of() + " waits end",
        TextFormat.duration(what.gapNanos()),
        finding.processes().isEmpty()
            ? ""
            : ", " + what.lastTimes() + " times on " + workers(finding));
  }

  /** What spans of a name wait for, at the end of a sentence about their time. */
  private String butWaits(int name) {
    Integer what = waitedFor.get(name);
    return what == null ? "" : "; it waits for " + shortName(what);
  }

  /** What waits for spans of a name without being their caller, at the end of a sentence. */
  private String waitedForBy(int name) {
    Integer by = waiting.get(name);
    return by == null ? "" : ", but " + shortName(by) + " waits for them";
  }

  /** A worker may become slow at some step. */
  private String since(Finding finding) {
    return finding.steps().isEmpty() ? "" : "since " + step(finding.steps().get(0)) + " ";
  }

  private String longTail(Finding finding, String name) {
    FanOuts.Tails tails =
        run.fanOuts().stream()
            .filter(totals -> totals.name() == finding.name())
            .findFirst()
            .orElseThrow()
            .tails();
    return String.format(
        Locale.ROOT,
        "%d of %s of %s end with one long call: %s, the typical call %s; sharing calls out"
            + " differently would not help",
        finding.times(),
        count(finding.of(), "fan-out", "fan-outs"),
        name,
        TextFormat.duration(tails.lastNanos()),
        TextFormat.duration(tails.typicalNanos()));
  }

  private String whoHasMost(Finding finding) {
    if (finding.processes().isEmpty()) {
      return "which worker has most changes from one fan-out to the next";
    }
    return String.format(
        Locale.ROOT,
        "%s has most in %d of %s, with %s",
        workers(finding),
        finding.times(),
        count(finding.of(), "fan-out", "fan-outs"),
        finding.ratio() == 0
            ? "no more calls than the others"
            : TextFormat.percent(finding.ratio()) + " of the calls");
  }

  private static String ordinal(long number) {
    boolean isTeen = number / 10 % 10 == 1;
    String[] endings = {"th", "st", "nd", "rd"};
    int last = (int) (number % 10);
    return number + (isTeen || last > 3 ? "th" : endings[last]);
  }

  private String shortName(int name) {
    return TextFormat.spanName(spans.names().text(name), NAME_COLUMNS);
  }

  private static String times(double ratio) {
    return ratio >= 1e6 ? "many times" : String.format(Locale.ROOT, "%.1f times", ratio);
  }

  /** What the spans below its calls add. */
  private String below(Finding finding) {
    Finding.Below below = finding.below();
    if (below.waitedForIn() >= 0) {
      return "; the others wait for "
          + (finding.processes().size() == 1 ? "it" : "them")
          + " in "
          + shortName(below.waitedForIn());
    }
    return below.part() < 0 || finding.processes().size() > 1
        ? ""
        : "; "
            + (below.share() >= NEARLY_ALL ? "all" : TextFormat.percent(below.share()))
            + " of the difference is in "
            + shortName(below.part())
            + butWaits(below.part());
  }

  private String workers(Finding finding) {
    List<String> all = new ArrayList<>();
    finding.hosts().forEach(host -> all.add("host " + TextFormat.name(host, HOST_COLUMNS)));
    Set<String> hosts = Set.copyOf(finding.hosts()); // both may be thousands
    for (int number : finding.processes()) {
      TracedProcess process = spans.processes().get(number);
      if (!hosts.contains(process.host())) {
        all.add(TextFormat.process(process, PROCESS_COLUMNS));
      }
    }
    List<String> labels = all.stream().limit(NAMED).toList();
    int more = all.size() - labels.size();
    if (labels.size() == 1) {
      return labels.get(0);
    }
    String last = more > 0 ? more + " more" : labels.get(labels.size() - 1);
    List<String> first = more > 0 ? labels : labels.subList(0, labels.size() - 1);
    return first.stream().collect(Collectors.joining(", ")) + " and " + last;
  }

  private String step(Steps.Step step) {
    return step.label().isEmpty()
        ? "the step of trace " + spans.traceIdOf(step.span())
        : "step " + TextFormat.text(step.label(), NAME_COLUMNS);
  }

  private void addClocks(ClockSkew.Hosts hosts) {
    String first = TextFormat.name(hosts.first(), HOST_COLUMNS);
    String second = TextFormat.name(hosts.second(), HOST_COLUMNS);
    boolean isSecondAhead = hosts.ahead().equals(hosts.second());
    String text =
        hosts.isContradictory() || !hosts.isCorrectable()
            ? "the clocks of " + first + " and " + second + " cannot be compared"
            : "the clock of "
                + (isSecondAhead ? second : first)
                + " is ahead of that of "
                + (isSecondAhead ? first : second);
    Finding finding =
        new Finding(
            Finding.Kind.CLOCK_SKEW,
            -1,
            Finding.Where.host(isSecondAhead ? hosts.second() : hosts.first()),
            List.of(),
            Finding.UNKNOWN,
            Finding.Seen.times(hosts.pairs()),
            List.of());
    rows.add(new FindingRow(finding, List.of(), 0, text, List.of(), null));
  }
}
