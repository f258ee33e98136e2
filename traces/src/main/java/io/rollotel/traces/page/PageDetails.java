package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.List;
import java.util.zip.Deflater;
import tools.jackson.core.JsonGenerator;

/**
 * The details that a click on an item of the timeline shows, for the most important items, as long
 * as there is room.
 */
final class PageDetails {

  /** Thirteen days: longer spans are all equally important. */
  private static final int NANOS_BITS = 50;

  private final RunAnalysis run;
  private final Spans spans;
  private final PageSpans placed;

  PageDetails(RunAnalysis run, PageSpans placed) {
    this.run = run;
    this.spans = run.spans();
    this.placed = placed;
  }

  /**
   * Writes them.
   *
   * @param maxBytes the approximate maximum, before Base64
   */
  void write(JsonGenerator json, long maxBytes) {
    SpanTags tags = spans.tags();
    if (tags == null || !(tags.form() instanceof PageTags read)) {
      throw new IllegalStateException("read without attributes");
    }
    int[] order = byImportance();
    PageEventRows events = new PageEventRows(read.events(), run, placed, order, maxBytes / 4);
    events.write(json);
    PageBytes items = new PageBytes();
    DetailText text = new DetailText(maxBytes - events.stackBytes());
    long before = 0;
    int count = 0;
    int wanted = 0;
    for (int span : order) {
      wanted++;
      if (!text.isFull(items.size())) {
        text.add(spans.id(span), spans.queueNanos(span), tags, span, events.json(span));
        items.addSigned(placed.item(span) - before);
        before = placed.item(span);
        count++;
      }
    }
    json.writeNumberProperty("details", count);
    json.writeNumberProperty("detailsLeftOut", wanted - count);
    json.writeStringProperty("detailItems", items.base64());
    json.writeBinaryProperty("detailText", text.deflated());
  }

  /** Writes that there are none. */
  static void writeNone(JsonGenerator json, int items) {
    json.writeNumberProperty("details", 0);
    json.writeNumberProperty("detailsLeftOut", items);
    json.writeStringProperty("detailItems", "");
    json.writeStringProperty("detailText", "");
  }

  /** One span of each item: errors, the slowest, steps, the critical path, then by duration. */
  private int[] byImportance() {
    long[] keys = new long[spans.size()];
    List<Integer> slowest = run.slowestSpans();
    int[] chosen = new int[placed.items()];
    Arrays.fill(chosen, -1);
    for (int span : run.members()) {
      int item = placed.item(span);
      if (item < 0) {
        continue;
      }
      boolean isStep = run.stepOf(span) == span;
      int rank = spans.isError(span) ? 4 : isStep ? 3 : run.path().nanosOf(span) > 0 ? 2 : 1;
      keys[span] = key(rank, span);
      int other = chosen[item];
      if (other < 0 || keys[span] > keys[other]) {
        chosen[item] = span;
      }
    }
    slowest.forEach(span -> keys[span] = Math.max(keys[span], key(3, span)));
    int[] order = Arrays.stream(chosen).filter(span -> span >= 0).toArray();
    // Rounded, because a number that is sorted holds the key and the place.
    IndexSort.sort(
        order, span -> (Long.MAX_VALUE - keys[span]) >>> 10, (a, b) -> keys[a] > keys[b]);
    return order;
  }

  /** The rank above the duration, in one number, because a million of them are compared. */
  private long key(int rank, int span) {
    return (long) rank << NANOS_BITS | Math.min(spans.nanos(span), (1L << NANOS_BITS) - 1);
  }

  /** One line of JSON for each, deflated as it grows. */
  private static final class DetailText {
    private static final byte[] HEX = "0123456789abcdef".getBytes(US_ASCII);
    private static final byte[] BEGIN = "[\"".getBytes(US_ASCII);
    private static final byte[] NO_QUEUE = "\",null,".getBytes(US_ASCII);
    private static final byte[] END = "]\n".getBytes(US_ASCII);

    /**
     * Ids and numbers repeat in pieces too short to gain by: without them the text gets smaller,
     * and in two thirds of the time, than with the default level and strategy.
     */
    private static final int LEVEL = 4;

    /** More than all but attributes and events take. */
    private static final int OTHER_BYTES = 64;

    private final Deflater deflater = new Deflater(LEVEL, true);
    private final long maxBytes;
    private final PageBytes out = new PageBytes();
    private final byte[] part = new byte[16 << 10];

    /** What the deflater has not been given yet, so that it need not be called for each piece. */
    private byte[] waiting = new byte[64 << 10];

    private int waitingBytes;

    DetailText(long maxBytes) {
      this.maxBytes = maxBytes;
      deflater.setStrategy(Deflater.FILTERED);
    }

    /** Slightly early, because some data is waiting, and the deflater holds some. */
    boolean isFull(int otherBytes) {
      return out.size() + otherBytes + (128 << 10) > maxBytes;
    }

    void add(long spanId, long queueNanos, SpanTags tags, int span, byte[] events) {
      int tagBytes = tags.length(span);
      room(OTHER_BYTES + tagBytes + events.length);
      feed(BEGIN);
      for (int shift = 60; shift >= 0; shift -= 4) {
        waiting[waitingBytes++] = HEX[(int) (spanId >>> shift) & 0xf];
      }
      if (queueNanos == Spans.NO_QUEUE) {
        feed(NO_QUEUE);
      } else {
        feed(("\"," + queueNanos + ",").getBytes(US_ASCII));
      }
      tags.copy(span, waiting, waitingBytes);
      waitingBytes += tagBytes;
      if (tagBytes == 0) {
        waiting[waitingBytes++] = '0';
      }
      if (events.length > 0) {
        waiting[waitingBytes++] = ',';
        feed(events);
      }
      feed(END);
    }

    private void room(int bytes) {
      if (waitingBytes + bytes > waiting.length) {
        deflateWaiting();
        waiting = bytes > waiting.length ? new byte[bytes] : waiting;
      }
    }

    private void feed(byte[] bytes) {
      System.arraycopy(bytes, 0, waiting, waitingBytes, bytes.length);
      waitingBytes += bytes.length;
    }

    private void deflateWaiting() {
      deflater.setInput(waiting, 0, waitingBytes);
      waitingBytes = 0;
      while (!deflater.needsInput()) {
        drain();
      }
    }

    private void drain() {
      int count = deflater.deflate(part);
      out.addBytes(count == part.length ? part : Arrays.copyOf(part, count));
    }

    byte[] deflated() {
      deflateWaiting();
      deflater.finish();
      while (!deflater.finished()) {
        drain();
      }
      deflater.end();
      return out.toByteArray();
    }
  }
}
