package io.rollotel.traces.report;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Rows of cells in aligned columns: a heading that ends in {@code >} sets its column right. */
final class Table {

  private static final String GAP = "  ";

  private final List<String> headings = new ArrayList<>();
  private final List<Boolean> isRight = new ArrayList<>();
  private final List<List<String>> rows = new ArrayList<>();

  Table(String... headings) {
    for (String heading : headings) {
      boolean right = heading.endsWith(">");
      this.isRight.add(right);
      this.headings.add(right ? heading.substring(0, heading.length() - 1) : heading);
    }
  }

  void row(String... cells) {
    rows.add(List.of(cells));
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  void print(PrintWriter out) {
    int[] widths = new int[headings.size()];
    widen(widths, headings);
    rows.forEach(row -> widen(widths, row));
    print(out, widths, headings);
    rows.forEach(row -> print(out, widths, row));
  }

  private static void widen(int[] widths, List<String> row) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], columns(row.get(i)));
    }
  }

  private void print(PrintWriter out, int[] widths, List<String> row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String padding = " ".repeat(widths[i] - columns(row.get(i)));
      line.append(GAP)
          .append(isRight.get(i) ? padding : "")
          .append(row.get(i))
          .append(isRight.get(i) ? "" : padding);
    }
    out.println(line.toString().stripTrailing());
  }

  private static int columns(String text) {
    return text.codePointCount(0, text.length());
  }
}
