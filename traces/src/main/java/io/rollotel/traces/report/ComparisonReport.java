package io.rollotel.traces.report;

import io.rollotel.traces.analysis.Comparison;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** A comparison of two runs as text and as JSON. */
public final class ComparisonReport {

  private static final int NAME_COLUMNS = 30;

  private final Comparison comparison;

  ComparisonReport(Comparison comparison) {
    this.comparison = comparison;
  }

  /**
   * Whether anything got slower by so much, beyond what chance explains.
   *
   * @param percent of the earlier median
   */
  public boolean isSlower(double percent) {
    return comparison.isSlower(percent);
  }

  /** Prints the significant changes, and how many are not significant. Flushes. */
  public void print(PrintWriter out) {
    out.printf(
        "Run %s against run %s%n",
        TextFormat.text(comparison.after().runId(), FilesText.RUN_ID_COLUMNS),
        TextFormat.text(comparison.before().runId(), FilesText.RUN_ID_COLUMNS));
    out.printf(
        "  %s against %s; a time is a median over steps%n",
        TextFormat.count(comparison.after().steps().all().size(), "step", "steps"),
        TextFormat.count(comparison.before().steps().all().size(), "step", "steps"));
    print(out, "slower", change -> change.ratio() > 1);
    print(out, "faster", change -> change.ratio() < 1);
    only(out, "New names: ", comparison.newNames());
    only(out, "Names no longer there: ", comparison.goneNames());
    long others = comparison.changes().stream().filter(change -> !change.isSignificant()).count();
    out.println();
    out.printf(
        "No difference beyond chance: %s%n", TextFormat.count(others, "comparison", "comparisons"));
    out.flush();
  }

  private void print(PrintWriter out, String word, Predicate<Comparison.Change> isWanted) {
    List<Comparison.Change> significant =
        comparison.changes().stream()
            .filter(change -> change.isSignificant() && isWanted.test(change))
            .toList();
    out.println();
    if (significant.isEmpty()) {
      out.println("Nothing got " + word + ".");
      return;
    }
    Table table = new Table(word, "", "before>", "after>", "ratio>", "p>");
    for (Comparison.Change change : significant) {
      table.row(
          kind(change),
          change.kind() == Comparison.Kind.STEP ? "" : TextFormat.name(change.name(), NAME_COLUMNS),
          TextFormat.duration(change.medianBeforeNanos()),
          TextFormat.duration(change.medianAfterNanos()),
          String.format(Locale.ROOT, "%.2f", change.ratio()),
          String.format(Locale.ROOT, "%.1g", change.pValue()));
    }
    table.print(out);
  }

  private static void only(PrintWriter out, String title, List<String> names) {
    if (!names.isEmpty()) {
      out.println();
      int shown = Math.min(names.size(), 3);
      StringBuilder line = new StringBuilder(title);
      for (int i = 0; i < shown; i++) {
        line.append(i == 0 ? "" : ", ").append(TextFormat.name(names.get(i), 22));
      }
      out.println(line.append(names.size() > shown ? ", ..." : ""));
    }
  }

  /** Writes all comparisons as one JSON object. Flushes. */
  public void writeJson(PrintWriter out) {
    try (JsonGenerator generator = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), out)) {
      JsonRows json = new JsonRows(generator);
      generator.writeStartObject();
      json.put("run", comparison.after().runId())
          .put("against", comparison.before().runId())
          .rows("changes", comparison.changes(), change -> change(json, change))
          .texts("newNames", comparison.newNames())
          .texts("goneNames", comparison.goneNames());
      generator.writeEndObject();
    }
    out.println();
    out.flush();
  }

  private static void change(JsonRows json, Comparison.Change change) {
    json.put("kind", kind(change))
        .put("name", change.name())
        .put("before", change.before())
        .put("after", change.after())
        .put("medianBeforeNanos", change.medianBeforeNanos())
        .put("medianAfterNanos", change.medianAfterNanos())
        .putFinite("ratio", change.ratio())
        .put("pValue", change.pValue())
        .put("significant", change.isSignificant());
  }

  private static String kind(Comparison.Change change) {
    return change.kind().name().toLowerCase(Locale.ROOT);
  }
}
