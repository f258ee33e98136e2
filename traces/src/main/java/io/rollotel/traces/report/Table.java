package io.rollotel.traces.report;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of cells in aligned columns. The last character of a heading gives the kind of its column:
 * {@code >} is right-aligned. The other kinds shrink if a line has no room for all, the widest
 * first: {@code .} names of spans, {@code ~} other text, {@code …} text that is cut at its end.
 * Columns whose headings begin with {@code ?} are omitted if those would become too narrow to read,
 * the last one first.
 */
final class Table {

  private static final String GAP = "  ";

  /** The minimum width of a shrinking column, unless its heading is wider. */
  private static final int LEAST_COLUMNS = 8;

  /** The minimum width as long as another column can be omitted. */
  private static final int READABLE_COLUMNS = 16;

  /** The width of a column that is not shown. */
  private static final int LEFT_OUT = -1;

  private enum Kind {
    AS_IT_IS,
    RIGHT,
    NAME,
    TEXT,
    BEGINNING;

    static Kind of(String heading) {
      return switch (heading.isEmpty() ? ' ' : heading.charAt(heading.length() - 1)) {
        case '>' -> RIGHT;
        case '.' -> NAME;
        case '~' -> TEXT;
        case '…' -> BEGINNING;
        default -> AS_IT_IS;
      };
    }

    boolean givesWay() {
      return this != AS_IT_IS && this != RIGHT;
    }

    String shown(String cell, int width) {
      return switch (this) {
        case AS_IT_IS, RIGHT -> cell;
        case NAME -> cell.isEmpty() ? "" : TextFormat.spanName(cell, width);
        case TEXT -> TextFormat.text(cell, width);
        case BEGINNING -> TextFormat.beginning(cell, width);
      };
    }
  }

  private record Row(List<String> cells, ReportWriter.@Nullable Colour colour) {}

  private final List<String> headings = new ArrayList<>();
  private final List<Kind> kinds = new ArrayList<>();
  private final List<Boolean> areLeftOut = new ArrayList<>(); // if there is no room for them
  private final List<Row> rows = new ArrayList<>();

  Table(String... headings) {
    for (String heading : headings) {
      Kind kind = Kind.of(heading);
      boolean isLeftOut = heading.startsWith("?");
      int end = heading.length() - (kind == Kind.AS_IT_IS ? 0 : 1);
      this.kinds.add(kind);
      this.areLeftOut.add(isLeftOut);
      this.headings.add(heading.substring(isLeftOut ? 1 : 0, end));
    }
  }

  void row(String... cells) {
    rows.add(new Row(List.of(cells), null));
  }

  /** Adds a row in a colour; null for none. */
  void row(ReportWriter.@Nullable Colour colour, String... cells) {
    rows.add(new Row(List.of(cells), colour));
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  void print(ReportWriter out) {
    int[] room = widths(rows);
    leaveOut(room, out.columns());
    fit(room, out.columns());
    List<Row> shown = new ArrayList<>();
    for (Row row : rows) {
      shown.add(shown(row, room));
    }
    int[] widths = widths(shown);
    for (int i = 0; i < widths.length; i++) {
      widths[i] = room[i] == LEFT_OUT ? LEFT_OUT : widths[i];
    }
    out.line(ReportWriter.Colour.HEADING, line(widths, headings));
    for (Row row : shown) {
      out.line(row.colour, line(widths, row.cells));
    }
  }

  private int[] widths(List<Row> of) {
    int[] widths = new int[headings.size()];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = ShownWidth.of(headings.get(i));
    }
    for (Row row : of) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], ShownWidth.of(row.cells.get(i)));
      }
    }
    return widths;
  }

  /** The width that is missing if no shrinking column is wider than this. */
  private int missing(int[] widths, int columns, int givingWay) {
    int missing = -columns;
    for (int i = 0; i < widths.length; i++) {
      if (widths[i] != LEFT_OUT) {
        missing +=
            GAP.length() + (kinds.get(i).givesWay() ? Math.min(widths[i], givingWay) : widths[i]);
      }
    }
    return missing;
  }

  private void leaveOut(int[] widths, int columns) {
    for (int i = widths.length - 1; i >= 0; i--) {
      if (areLeftOut.get(i) && missing(widths, columns, READABLE_COLUMNS) > 0) {
        widths[i] = LEFT_OUT;
      }
    }
  }

  /** Shrinks columns until a line fits. */
  private void fit(int[] widths, int columns) {
    for (int missing = missing(widths, columns, Integer.MAX_VALUE); missing > 0; missing--) {
      int widest = -1;
      for (int i = 0; i < widths.length; i++) {
        int least = Math.max(LEAST_COLUMNS, ShownWidth.of(headings.get(i)));
        if (kinds.get(i).givesWay()
            && widths[i] > least
            && (widest < 0 || widths[i] > widths[widest])) {
          widest = i;
        }
      }
      if (widest < 0) {
        return;
      }
      widths[widest]--;
    }
  }

  private Row shown(Row row, int[] room) {
    List<String> cells = new ArrayList<>();
    for (int i = 0; i < room.length; i++) {
      String cell = row.cells.get(i);
      cells.add(room[i] == LEFT_OUT ? cell : kinds.get(i).shown(cell, room[i]));
    }
    return new Row(cells, row.colour);
  }

  private String line(int[] widths, List<String> row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      if (widths[i] == LEFT_OUT) {
        continue;
      }
      boolean isRight = kinds.get(i) == Kind.RIGHT;
      String padding = " ".repeat(widths[i] - ShownWidth.of(row.get(i)));
      line.append(GAP)
          .append(isRight ? padding : "")
          .append(row.get(i))
          .append(isRight ? "" : padding);
    }
    return line.toString().stripTrailing();
  }
}
