package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.kit.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Reads a page as its script does, to see what is in it. */
final class PageReader {

  /** An item of the timeline; the parent is another's number, or -1. */
  record Item(
      long startNanos,
      long endNanos,
      int spans,
      String name,
      int flags,
      int parent,
      String trace) {}

  /** A part of a step's critical path, in which an item worked, or waited in a queue. */
  record Segment(int item, boolean isQueueWait, long startNanos, long endNanos) {}

  /** A time in which a worker stood still, and the number of its activity. */
  record PausedWorker(int worker, long startNanos, long endNanos, int activity, String reason) {}

  final String html;
  final Map<?, ?> report;
  final List<Item> items = new ArrayList<>();
  final List<List<Item>> rows = new ArrayList<>();

  PageReader(HtmlPage page) throws IOException {
    this(written(page));
  }

  PageReader(String html) {
    this.html = html;
    this.report = (Map<?, ?>) Json.parse(data());
    readItems();
  }

  private static String written(HtmlPage page) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    page.write(out);
    return out.toString(UTF_8);
  }

  /** The contents of the data element. */
  String data() {
    String begin = "id=\"data\">";
    int from = html.indexOf(begin) + begin.length();
    return html.substring(from, html.indexOf("</script>", from));
  }

  private void readItems() {
    Map<?, ?> timeline = (Map<?, ?>) report.get("timeline");
    Map<?, ?> columns = (Map<?, ?>) timeline.get("columns");
    long unit = number(timeline.get("unitNanos"));
    List<?> names = (List<?>) report.get("names");
    Numbers gaps = new Numbers(columns.get("gap"));
    Numbers durations = new Numbers(columns.get("duration"));
    Numbers joined = new Numbers(columns.get("joined"));
    Numbers name = new Numbers(columns.get("name"));
    Numbers parents = new Numbers(columns.get("parent"));
    Numbers traces = new Numbers(columns.get("trace"));
    byte[] flags = inflated(columns.get("flags"));
    byte[] traceIds = inflated(columns.get("traceIds"));
    long parent = 0;
    for (Object row : (List<?>) timeline.get("rows")) {
      long reached = 0;
      List<Item> inRow = new ArrayList<>();
      for (long i = number(((List<?>) row).get(3)); i > 0; i--) {
        long start = reached + gaps.next();
        reached = start + durations.next();
        parent += parents.nextSigned();
        int trace = parent < 0 ? (int) traces.next() : 0;
        inRow.add(
            new Item(
                start * unit,
                reached * unit,
                1 + (int) joined.next(),
                name(names, (int) name.next()),
                flags[items.size()],
                (int) parent,
                trace == 0 ? "" : HexFormat.of().formatHex(traceIds, trace * 16 - 16, trace * 16)));
        items.add(inRow.get(inRow.size() - 1));
      }
      rows.add(inRow);
    }
  }

  /** The critical paths of all steps. */
  List<Segment> path() {
    Map<?, ?> timeline = (Map<?, ?>) report.get("timeline");
    long unit = number(timeline.get("unitNanos"));
    Numbers path = new Numbers(((Map<?, ?>) timeline.get("columns")).get("path"));
    List<Segment> segments = new ArrayList<>();
    int item = 0;
    while (!path.isAtEnd()) {
      long count = path.next();
      long reached = path.nextSigned();
      for (long i = 0; i < count; i++) {
        item += (int) path.nextSigned();
        long time = path.next();
        long start = reached;
        reached += time / 2;
        segments.add(new Segment(item, time % 2 == 1, start * unit, reached * unit));
      }
    }
    return segments;
  }

  static List<PausedWorker> pauses(Map<?, ?> report) {
    Map<?, ?> pauses = (Map<?, ?>) report.get("pauses");
    List<?> reasons = (List<?>) pauses.get("reasons");
    Numbers column = new Numbers(pauses.get("column"));
    List<PausedWorker> found = new ArrayList<>();
    while (!column.isAtEnd()) {
      int worker = (int) column.next();
      long reached = 0;
      for (long left = column.next(); left > 0; left--) {
        long start = reached + column.nextSigned();
        reached = start + column.next();
        int activity = (int) column.next();
        found.add(
            new PausedWorker(
                worker, start, reached, activity, (String) reasons.get((int) column.next())));
      }
    }
    return found;
  }

  /** For each item, the nanoseconds by the number of the activity. */
  static Map<Integer, Map<Integer, Long>> breakdowns(Map<?, ?> report) {
    Numbers column = new Numbers(((Map<?, ?>) report.get("breakdowns")).get("column"));
    Map<Integer, Map<Integer, Long>> found = new LinkedHashMap<>();
    int item = 0;
    while (!column.isAtEnd()) {
      item += (int) column.nextSigned();
      Map<Integer, Long> activities = new LinkedHashMap<>();
      for (long left = column.next(); left > 0; left--) {
        activities.put((int) column.next(), column.next());
      }
      found.put(item, activities);
    }
    return found;
  }

  /** The cells of a metric of the heat map, in nanoseconds. */
  static List<Long> cells(Object metric) {
    long unit = number(((Map<?, ?>) metric).get("unit"));
    Numbers column = new Numbers(((Map<?, ?>) metric).get("cells"));
    List<Long> cells = new ArrayList<>();
    while (!column.isAtEnd()) {
      cells.add(column.next() * unit);
    }
    return cells;
  }

  /** For slices and paths, as "slice/path": the count, total, self and errors. */
  static Map<String, List<Long>> callSlices(Object base64) {
    Numbers column = new Numbers(base64);
    Map<String, List<Long>> found = new LinkedHashMap<>();
    long slice = 0;
    while (!column.isAtEnd()) {
      slice += column.next();
      long path = 0;
      for (long left = column.next(); left > 0; left--) {
        path += column.next();
        found.put(
            slice + "/" + path,
            List.of(column.next(), column.next(), column.next(), column.next()));
      }
    }
    return found;
  }

  /** Empty for a step for which the page has no room. */
  private static String name(List<?> names, int number) {
    return number < names.size() ? (String) ((Map<?, ?>) names.get(number)).get("name") : "";
  }

  static long number(Object json) {
    return ((java.math.BigDecimal) json).longValueExact();
  }

  /** The lines of details, as JSON. */
  List<?> details() {
    String text =
        new String(inflated(((Map<?, ?>) report.get("timeline")).get("detailText")), UTF_8);
    return text.lines().map(Json::parse).toList();
  }

  static byte[] inflated(Object base64) {
    Inflater inflater = new Inflater(true);
    inflater.setInput(Base64.getDecoder().decode((String) base64));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] part = new byte[8192];
    try {
      while (!inflater.finished()) {
        out.write(part, 0, inflater.inflate(part));
      }
    } catch (DataFormatException e) {
      throw new IllegalStateException(e);
    } finally {
      inflater.end();
    }
    return out.toByteArray();
  }

  private static final class Numbers {
    private final byte[] bytes;
    private int at;

    Numbers(Object base64) {
      this.bytes = inflated(base64);
    }

    boolean isAtEnd() {
      return at == bytes.length;
    }

    long next() {
      long value = 0;
      for (int shift = 0; ; shift += 7) {
        byte b = bytes[at++];
        value |= (b & 0x7fL) << shift;
        if (b >= 0) {
          return value;
        }
      }
    }

    long nextSigned() {
      long value = next();
      return (value >>> 1) ^ -(value & 1);
    }
  }
}
