package io.rollotel.traces.report;

import io.rollotel.traces.analysis.Comparison;
import io.rollotel.traces.analysis.Gate;
import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.SpansPerStep;
import io.rollotel.traces.profile.Cause;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** A comparison of two runs as text and as JSON. */
public final class ComparisonReport {

  private static final String STEP = "step";
  private static final int NAME_COLUMNS = 30;
  private static final int LISTED = 10;
  private static final int MOST_COUNTS = 3;

  /** The time from the first step to the last is printed if it differs this much from the sum. */
  private static final double LEAST_DIFFERENCE = 0.01;

  private final Comparison comparison;
  private final Map<String, Cause> causes;
  private final SlowerWorkersRows workers;

  ComparisonReport(Comparison comparison) {
    this(comparison, Map.of());
  }

  /**
   * With facts from profiles.
   *
   * @param causes why spans got slower, by their name
   */
  ComparisonReport(Comparison comparison, Map<String, Cause> causes) {
    this.comparison = comparison;
    this.causes = causes;
    this.workers = new SlowerWorkersRows(comparison.slowerWorkers());
  }

  /** The comparison and its results. */
  public Comparison comparison() {
    return comparison;
  }

  /** Why spans of a name got slower, by the profiles; null if unknown. */
  public @Nullable String causeInWords(Comparison.Change change) {
    Cause cause = cause(change);
    return cause == null ? null : TextFormat.cause(cause);
  }

  /** On which workers spans got slower while they did not on others: a sentence for each name. */
  public List<String> slowerWorkersInWords() {
    return workers.sentences();
  }

  /** The ruling of a gate. */
  public Gate.Ruling rule(Gate gate) {
    return gate.rule(comparison);
  }

  /**
   * Prints the significant changes, those with too few values, and the number of all others.
   * Flushes.
   */
  public void print(ReportWriter out) {
    out.printf(
        "Run %s against run %s%n",
        TextFormat.text(comparison.after().runId(), FilesText.RUN_ID_COLUMNS),
        TextFormat.text(comparison.before().runId(), FilesText.RUN_ID_COLUMNS));
    out.printf(
        "  %s against %s; times are medians over %ss unless a row says otherwise%n",
        count(comparison.after()), count(comparison.before()), unit(comparison.after()));
    allSteps(out);
    print(out, "slower", change -> change.ratio() > 1);
    workers.print(out);
    because(out);
    print(out, "faster", change -> change.ratio() < 1);
    tooFew(out);
    only(out, "New names: ", comparison.newNames());
    only(out, "Names no longer there: ", comparison.goneNames());
    spansPerStep(out);
    others(out);
    out.flush();
  }

  /** How long all steps took, and one of them. */
  private void allSteps(ReportWriter out) {
    Comparison.Change steps = comparison.steps();
    Comparison.Change mean = comparison.mean();
    if (steps.before() == 0 || steps.after() == 0) {
      return;
    }
    long before = comparison.totalBeforeNanos();
    long after = comparison.totalAfterNanos();
    out.println();
    Table table =
        new Table(unit(comparison.after()) + "s", "before>", "after>", "ratio>", "from>", "to>");
    table.row(
        "all together",
        TextFormat.duration(before),
        TextFormat.duration(after),
        before == 0 || steps.before() != steps.after() ? "-" : factor((double) after / before),
        "",
        "");
    long extentBefore = comparison.extentBeforeNanos();
    long extentAfter = comparison.extentAfterNanos();
    if (isOther(extentBefore, before) || isOther(extentAfter, after)) {
      table.row(
          "from first to last",
          extentBefore == 0 ? "-" : TextFormat.duration(extentBefore),
          extentAfter == 0 ? "-" : TextFormat.duration(extentAfter),
          extentBefore == 0 || extentAfter == 0 || steps.before() != steps.after()
              ? "-"
              : factor((double) extentAfter / extentBefore),
          "",
          "");
    }
    allSteps(table, mean.after() < steps.after() ? "mean without the first" : "mean", mean);
    allSteps(table, "median", steps);
    table.print(out);
  }

  /** Whether steps overlap, or leave gaps, so that they take another time than their sum. */
  private static boolean isOther(long extentNanos, long sumNanos) {
    return extentNanos > 0 && Math.abs(extentNanos - sumNanos) > LEAST_DIFFERENCE * sumNanos;
  }

  private static void allSteps(Table table, String what, Comparison.Change change) {
    table.row(
        what,
        TextFormat.duration(change.beforeNanos()),
        TextFormat.duration(change.afterNanos()),
        factor(change.ratio()),
        factor(change.interval().low()),
        factor(change.interval().high()));
  }

  /** Names that have clearly more spans in each step than before, or fewer. */
  private void spansPerStep(ReportWriter out) {
    List<SpansPerStep.Change> changes = comparison.spansPerStep();
    if (!changes.isEmpty()) {
      out.println();
      String words =
          changes.stream()
              .limit(MOST_COUNTS)
              .map(
                  change ->
                      String.format(
                          Locale.ROOT,
                          "%s %.1f instead of %.1f",
                          TextFormat.spanName(change.name(), NAME_COLUMNS),
                          change.after(),
                          change.before()))
              .collect(Collectors.joining(", "));
      String more = changes.size() > MOST_COUNTS ? ", ..." : "";
      out.wrapped("Spans in each " + unit(comparison.after()) + ": " + words + more);
    }
  }

  /** What is not significant, and how much slower the step may be all the same. */
  private void others(ReportWriter out) {
    long others =
        comparison.changes().stream()
            .filter(change -> change.verdict() == Comparison.Verdict.NO_DIFFERENCE)
            .count();
    if (others == 0 && comparison.steps().isTooFew()) {
      return;
    }
    out.println();
    out.printf(
        "%s no significant difference%n",
        TextFormat.count(others, "comparison shows", "comparisons show"));
    Comparison.Change steps = comparison.steps();
    if (steps.verdict() == Comparison.Verdict.NO_DIFFERENCE) {
      out.wrapped(
          String.format(
              Locale.ROOT,
              "The median %s may take %s to %s times as long as before",
              unit(comparison.after()),
              factor(steps.interval().low()),
              factor(steps.interval().high())));
    }
  }

  private static String count(RunTotals run) {
    return TextFormat.count(run.steps().all().size(), unit(run), unit(run) + "s");
  }

  /** What is compared: in a run without steps, its traces. */
  private static String unit(RunTotals run) {
    return run.steps().areTraces() ? "trace" : STEP;
  }

  private void print(ReportWriter out, String word, Predicate<Comparison.Change> isWanted) {
    List<Comparison.Change> significant =
        comparison.byEffect().stream()
            .filter(change -> change.isSignificant() && isWanted.test(change))
            .toList();
    if (significant.isEmpty()) {
      if (!comparison.steps().isTooFew()) { // otherwise unknown
        out.println();
        out.println("Nothing got significantly " + word + ".");
      }
      return;
    }
    out.println();
    Table table = new Table(word, ".", "before>", "after>", "ratio>", "p>");
    for (Comparison.Change change : significant) {
      table.row(
          change.ratio() > 1 ? ReportWriter.Colour.BAD : null,
          kindWord(change),
          name(change),
          TextFormat.duration(change.beforeNanos()),
          TextFormat.duration(change.afterNanos()),
          factor(change.ratio()),
          String.format(Locale.ROOT, "%.1g", change.pValue()));
    }
    table.print(out);
  }

  /** Why names got slower, those of the largest effect first. */
  private void because(ReportWriter out) {
    if (!causes.isEmpty()) {
      out.println();
      out.line(
          ReportWriter.Colour.HEADING, "Why? By the profiles of both runs, in the mean of a span:");
    }
    for (Comparison.Change change : comparison.byEffect()) {
      Cause cause = cause(change);
      if (cause != null) {
        out.wrapped("  " + name(change) + ": " + TextFormat.cause(cause));
      }
    }
  }

  private @Nullable Cause cause(Comparison.Change change) {
    return change.kind() == Comparison.Kind.NAME ? causes.get(change.name()) : null;
  }

  private void tooFew(ReportWriter out) {
    List<Comparison.Change> tooFew =
        comparison.byEffect().stream()
            .filter(Comparison.Change::isTooFew)
            .filter(change -> change.kind() != Comparison.Kind.MEAN) // as many as steps
            .toList();
    if (tooFew.isEmpty()) {
      return;
    }
    out.println();
    Table table =
        new Table(
            "too few to tell",
            ".",
            "values>",
            "before>",
            "after>",
            "ratio>",
            "from>",
            "to>",
            "confidence>");
    for (Comparison.Change change : tooFew.stream().limit(LISTED).toList()) {
      table.row(
          kindWord(change),
          name(change),
          change.before() + ":" + change.after(),
          TextFormat.duration(change.beforeNanos()),
          TextFormat.duration(change.afterNanos()),
          factor(change.ratio()),
          factor(change.interval().low()),
          factor(change.interval().high()),
          TextFormat.percent(change.interval().confidence()));
    }
    table.print(out);
    if (tooFew.size() > LISTED) {
      out.println("  and " + (tooFew.size() - LISTED) + " more (--json has them)");
    }
  }

  private static String name(Comparison.Change change) {
    return switch (change.kind()) {
      case STEP -> "";
      case MEAN -> "mean";
      case UNATTRIBUTED -> "";
      case PHASE, NAME -> TextFormat.orDash(change.name());
    };
  }

  private static String factor(double ratio) {
    return Double.isNaN(ratio)
        ? "-"
        : Double.isInfinite(ratio) ? "inf" : String.format(Locale.ROOT, "%.2f", ratio);
  }

  /**
   * Why a run does not pass, in one line: the most important reason, and the number of others.
   *
   * @param ruling the ruling of a gate with this percentage
   */
  public String inWords(Gate.Ruling ruling, double percent) {
    Comparison.Change first = ruling.because().get(0);
    String limit = percent(percent);
    String what =
        (kindWord(first)
                + " "
                + (name(first).isEmpty() ? "" : TextFormat.spanName(name(first), NAME_COLUMNS)))
            .strip();
    if (ruling.outcome() == Gate.Outcome.SLOWER) {
      return String.format(
          Locale.ROOT,
          "slower by %s or more: %s, %s against %s, ratio %s (%s to %s)%s",
          limit,
          what,
          TextFormat.duration(first.afterNanos()),
          TextFormat.duration(first.beforeNanos()),
          factor(first.ratio()),
          factor(first.interval().low()),
          factor(first.interval().high()),
          others(ruling));
    }
    return String.format(
        Locale.ROOT,
        "too few to tell whether it is slower by %s: %s, %d against %d, ratio %s (%s to %s)%s",
        limit,
        what,
        first.after(),
        first.before(),
        factor(first.ratio()),
        factor(first.interval().low()),
        factor(first.interval().high()),
        others(ruling));
  }

  private static String percent(double percent) {
    return BigDecimal.valueOf(percent).stripTrailingZeros().toPlainString() + "%";
  }

  private static String others(Gate.Ruling ruling) {
    int others = ruling.because().size() - 1;
    return others == 0 ? "" : "; and " + TextFormat.count(others, "other", "others");
  }

  private static void only(ReportWriter out, String title, List<String> names) {
    if (!names.isEmpty()) {
      out.println();
      int shown = Math.min(names.size(), 3);
      StringBuilder line = new StringBuilder(title);
      for (int i = 0; i < shown; i++) {
        line.append(i == 0 ? "" : ", ").append(TextFormat.spanName(names.get(i), 22));
      }
      out.println(line.append(names.size() > shown ? ", ..." : ""));
    }
  }

  /** Writes all comparisons as one JSON object. Flushes. */
  public void writeJson(PrintWriter out) {
    try (JsonGenerator generator = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), out)) {
      JsonRows json = new JsonRows(generator);
      generator.writeStartObject();
      json.put("schemaVersion", ReportSchema.VERSION)
          .put("run", comparison.after().runId())
          .put("against", comparison.before().runId())
          .object("stepTime", () -> stepTime(json))
          .rows("changes", comparison.changes(), change -> change(json, change));
      workers.write(json);
      json.texts("newNames", comparison.newNames())
          .texts("goneNames", comparison.goneNames())
          .rows(
              "spansPerStep",
              comparison.spansPerStep(),
              change ->
                  json.put("name", change.name())
                      .put("before", change.before())
                      .put("after", change.after()));
      generator.writeEndObject();
    }
    out.println();
    out.flush();
  }

  private void stepTime(JsonRows json) {
    Comparison.Change mean = comparison.mean();
    json.put("totalBeforeNanos", comparison.totalBeforeNanos())
        .put("totalAfterNanos", comparison.totalAfterNanos())
        .put("extentBeforeNanos", comparison.extentBeforeNanos())
        .put("extentAfterNanos", comparison.extentAfterNanos())
        .put("meanBeforeNanos", mean.beforeNanos())
        .put("meanAfterNanos", mean.afterNanos())
        .putFinite("ratio", mean.ratio())
        .putFinite("ratioLow", mean.interval().low())
        .putFinite("ratioHigh", mean.interval().high())
        .put("confidence", mean.interval().confidence())
        .put("pValue", mean.pValue())
        .put("significant", mean.isSignificant())
        .put("tooFew", mean.isTooFew());
  }

  private void change(JsonRows json, Comparison.Change change) {
    json.put("kind", kind(change))
        .put("name", change.name())
        .put("before", change.before())
        .put("after", change.after())
        .put("medianBeforeNanos", change.beforeNanos())
        .put("medianAfterNanos", change.afterNanos())
        .putFinite("ratio", change.ratio())
        .put("pValue", change.pValue())
        .put("significant", change.isSignificant())
        .put("tooFew", change.isTooFew())
        .putFinite("ratioLow", change.interval().low())
        .putFinite("ratioHigh", change.interval().high())
        .put("confidence", change.interval().confidence());
    Cause cause = cause(change);
    if (cause != null) {
      ProfileJson.cause(cause, json);
    }
  }

  private String kindWord(Comparison.Change change) {
    String kind = kind(change);
    return kind.equals(STEP) ? unit(comparison.after()) : kind;
  }

  private static String kind(Comparison.Change change) {
    return change.kind() == Comparison.Kind.MEAN
        ? STEP
        : change.kind().name().toLowerCase(Locale.ROOT);
  }
}
