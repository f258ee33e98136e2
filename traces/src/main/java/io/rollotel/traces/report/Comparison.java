package io.rollotel.traces.report;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * What got slower or faster from one run to another, beyond what chance explains.
 *
 * <p>What is compared are values per step: its wall time, the time of each phase, and the mean
 * duration of the spans of each name in it. News is what a Mann–Whitney U test, adjusted by
 * Benjamini and Hochberg for the number of comparisons, calls different at 5 %, and whose medians
 * differ by 1 % or more.
 */
public final class Comparison {

  /** What is compared. */
  enum Kind {
    STEP,
    PHASE,
    NAME
  }

  /**
   * One comparison.
   *
   * @param ratio of the medians, the later by the earlier; infinite from nothing to something
   * @param pValue adjusted
   */
  record Change(
      Kind kind,
      String name,
      int before,
      int after,
      long medianBeforeNanos,
      long medianAfterNanos,
      double ratio,
      double pValue) {

    boolean isNews() {
      return pValue <= SIGNIFICANCE && Math.abs(ratio - 1) >= LEAST_EFFECT;
    }
  }

  private static final double SIGNIFICANCE = 0.05;
  private static final double LEAST_EFFECT = 0.01;
  private static final int NAME_COLUMNS = 30;

  private final RunAnalysis before;
  private final RunAnalysis after;
  private final List<Change> changes;

  /** Names that one of the runs alone has. */
  private final List<String> gone;

  private final List<String> added;

  Comparison(RunAnalysis before, RunAnalysis after) {
    this.before = before;
    this.after = after;
    Map<String, long[]> namesBefore = names(before);
    Map<String, long[]> namesAfter = names(after);
    this.gone = without(namesBefore.keySet(), namesAfter.keySet());
    this.added = without(namesAfter.keySet(), namesBefore.keySet());
    List<Change> raw = new ArrayList<>();
    raw.add(change(Kind.STEP, "", walls(before), walls(after)));
    Map<String, long[]> phasesBefore = phases(before);
    Map<String, long[]> phasesAfter = phases(after);
    Set<String> phases = new TreeSet<>(phasesBefore.keySet());
    phases.addAll(phasesAfter.keySet());
    for (String phase : phases) {
      raw.add(
          change(
              Kind.PHASE,
              phase,
              phasesBefore.getOrDefault(phase, new long[before.steps().all().size()]),
              phasesAfter.getOrDefault(phase, new long[after.steps().all().size()])));
    }
    for (String name : new TreeSet<>(namesBefore.keySet())) {
      long[] values = namesAfter.get(name);
      if (values != null) {
        raw.add(change(Kind.NAME, name, namesBefore.getOrDefault(name, new long[0]), values));
      }
    }
    this.changes = adjusted(raw);
  }

  private static List<String> without(Set<String> of, Set<String> those) {
    return of.stream().filter(name -> !those.contains(name)).sorted().toList();
  }

  private static long[] walls(RunAnalysis run) {
    return run.steps().all().stream().mapToLong(Steps.Step::wallNanos).toArray();
  }

  /** For each phase what every step had of it, 0 where it had none. */
  private static Map<String, long[]> phases(RunAnalysis run) {
    List<Steps.Step> steps = run.steps().all();
    Map<String, long[]> phases = new HashMap<>();
    for (int i = 0; i < steps.size(); i++) {
      for (Steps.PhaseTime phase : steps.get(i).phases()) {
        phases
                .computeIfAbsent(
                    run.spans().names().text(phase.name()), name -> new long[steps.size()])[i] =
            phase.nanos();
      }
    }
    return phases;
  }

  /**
   * For each name the mean of its durations in every step that has any: spans of one step are not
   * independent of each other. Outside steps, in every trace.
   */
  private static Map<String, long[]> names(RunAnalysis run) {
    Spans spans = run.spans();
    Map<Integer, Map<Integer, long[]>> sums = new HashMap<>(); // name, unit: count and total
    for (int span : run.members()) {
      if (spans.isTimed(span)) {
        long[] sum =
            sums.computeIfAbsent(spans.name(span), name -> new HashMap<>())
                .computeIfAbsent(run.steps().unit(span), unit -> new long[2]);
        sum[0]++;
        sum[1] += spans.nanos(span);
      }
    }
    Map<String, long[]> names = new HashMap<>();
    sums.forEach(
        (name, byUnit) ->
            names.put(
                spans.names().text(name),
                byUnit.values().stream().mapToLong(sum -> sum[1] / sum[0]).sorted().toArray()));
    return names;
  }

  private static Change change(Kind kind, String name, long[] before, long[] after) {
    long medianBefore = median(before);
    long medianAfter = median(after);
    double ratio =
        medianBefore == medianAfter
            ? 1
            : medianBefore == 0 ? Double.POSITIVE_INFINITY : (double) medianAfter / medianBefore;
    return new Change(
        kind,
        name,
        before.length,
        after.length,
        medianBefore,
        medianAfter,
        ratio,
        MannWhitney.pValue(before, after));
  }

  private static long median(long[] values) {
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted.length == 0 ? 0 : NameTotals.percentile(sorted, 50);
  }

  private static List<Change> adjusted(List<Change> raw) {
    double[] pValues = MannWhitney.adjusted(raw.stream().mapToDouble(Change::pValue).toArray());
    List<Change> changes = new ArrayList<>();
    for (int i = 0; i < pValues.length; i++) {
      Change c = raw.get(i);
      changes.add(
          new Change(
              c.kind,
              c.name,
              c.before,
              c.after,
              c.medianBeforeNanos,
              c.medianAfterNanos,
              c.ratio,
              pValues[i]));
    }
    Comparator<Change> byEffect =
        Comparator.comparingLong(c -> Math.abs(c.medianAfterNanos - c.medianBeforeNanos));
    changes.sort(Comparator.comparing(Change::kind).thenComparing(byEffect.reversed()));
    return changes;
  }

  /** All comparisons, steps first, then phases, then names. */
  List<Change> changes() {
    return changes;
  }

  /**
   * Whether anything that is news got slower by so much.
   *
   * @param percent of the earlier median
   */
  public boolean isSlower(double percent) {
    return changes.stream()
        .anyMatch(change -> change.isNews() && change.ratio >= 1 + percent / 100);
  }

  /** Prints what is news, and how much is not. Flushes. */
  public void print(PrintWriter out) {
    out.printf(
        "Run %s against run %s%n",
        Shown.text(after.runId(), FilesText.RUN_ID_COLUMNS),
        Shown.text(before.runId(), FilesText.RUN_ID_COLUMNS));
    out.printf(
        "  %s against %s; a time is a median over steps%n",
        Shown.count(after.steps().all().size(), "step", "steps"),
        Shown.count(before.steps().all().size(), "step", "steps"));
    print(out, "slower", change -> change.ratio > 1);
    print(out, "faster", change -> change.ratio < 1);
    only(out, "New names: ", added);
    only(out, "Names no longer there: ", gone);
    long others = changes.stream().filter(change -> !change.isNews()).count();
    out.println();
    out.printf(
        "No difference beyond chance: %s%n", Shown.count(others, "comparison", "comparisons"));
    out.flush();
  }

  private void print(PrintWriter out, String word, Function<Change, Boolean> isWanted) {
    List<Change> news =
        changes.stream().filter(change -> change.isNews() && isWanted.apply(change)).toList();
    out.println();
    if (news.isEmpty()) {
      out.println("Nothing got " + word + ".");
      return;
    }
    Table table = new Table(word, "", "before>", "after>", "ratio>", "p>");
    for (Change change : news) {
      table.row(
          change.kind.name().toLowerCase(Locale.ROOT),
          change.kind == Kind.STEP ? "" : Shown.name(change.name, NAME_COLUMNS),
          Shown.duration(change.medianBeforeNanos),
          Shown.duration(change.medianAfterNanos),
          String.format(Locale.ROOT, "%.2f", change.ratio),
          String.format(Locale.ROOT, "%.1g", change.pValue));
    }
    table.print(out);
  }

  private static void only(PrintWriter out, String title, List<String> names) {
    if (!names.isEmpty()) {
      out.println();
      int shown = Math.min(names.size(), 3);
      StringBuilder line = new StringBuilder(title);
      for (int i = 0; i < shown; i++) {
        line.append(i == 0 ? "" : ", ").append(Shown.name(names.get(i), 22));
      }
      out.println(line.append(names.size() > shown ? ", ..." : ""));
    }
  }

  /** Writes all comparisons as one JSON object. Flushes. */
  public void writeJson(PrintWriter out) {
    try (JsonGenerator json = ReportJson.JSON.createGenerator(ObjectWriteContext.empty(), out)) {
      json.writeStartObject();
      json.writeStringProperty("run", after.runId());
      json.writeStringProperty("against", before.runId());
      json.writeArrayPropertyStart("changes");
      for (Change change : changes) {
        json.writeStartObject();
        json.writeStringProperty("kind", change.kind.name().toLowerCase(Locale.ROOT));
        json.writeStringProperty("name", change.name);
        json.writeNumberProperty("before", change.before);
        json.writeNumberProperty("after", change.after);
        json.writeNumberProperty("medianBeforeNanos", change.medianBeforeNanos);
        json.writeNumberProperty("medianAfterNanos", change.medianAfterNanos);
        if (Double.isFinite(change.ratio)) {
          json.writeNumberProperty("ratio", change.ratio);
        }
        json.writeNumberProperty("pValue", change.pValue);
        json.writeBooleanProperty("news", change.isNews());
        json.writeEndObject();
      }
      json.writeEndArray();
      for (Map.Entry<String, List<String>> only :
          Map.of("newNames", added, "goneNames", gone).entrySet()) {
        json.writeArrayPropertyStart(only.getKey());
        only.getValue().forEach(json::writeString);
        json.writeEndArray();
      }
      json.writeEndObject();
    }
    out.println();
    out.flush();
  }
}
