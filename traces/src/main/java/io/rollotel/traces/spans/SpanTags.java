package io.rollotel.traces.spans;

import io.rollotel.traces.otlp.Span;
import java.util.Arrays;

/** The attributes of spans as JSON in the form of an export, in the spans' order. */
public final class SpanTags {

  /** How an export writes attributes. */
  public interface Form {
    /** The JSON of one span's attributes. */
    byte[] json(Span span);
  }

  private static final int CHUNK = 1 << 22;

  private final Form form;
  private byte[][] chunks = new byte[16][];
  private long[] starts = new long[1024];
  private int size;
  private long used;

  public SpanTags(Form form) {
    this.form = form;
  }

  /** The writer of the JSON. */
  public Form form() {
    return form;
  }

  void add(Span span) {
    byte[] json = form.json(span);
    if (size + 1 == starts.length) {
      starts = Arrays.copyOf(starts, 2 * starts.length);
    }
    int done = 0;
    while (done < json.length) {
      int chunk = (int) (used / CHUNK);
      if (chunk == chunks.length) {
        chunks = Arrays.copyOf(chunks, 2 * chunk);
      }
      if (chunks[chunk] == null) {
        chunks[chunk] = new byte[CHUNK];
      }
      int at = (int) (used % CHUNK);
      int part = Math.min(json.length - done, CHUNK - at);
      System.arraycopy(json, done, chunks[chunk], at, part);
      used += part;
      done += part;
    }
    starts[++size] = used;
  }

  /** The JSON of a span's attributes. */
  public byte[] get(int span) {
    byte[] json = new byte[length(span)];
    copy(span, json, 0);
    return json;
  }

  /** The number of its bytes. */
  public int length(int span) {
    return (int) (starts[span + 1] - starts[span]);
  }

  /** Copies it to a place in an array. */
  public void copy(int span, byte[] to, int place) {
    int length = length(span);
    long from = starts[span];
    int done = 0;
    while (done < length) {
      int at = (int) ((from + done) % CHUNK);
      int part = Math.min(length - done, CHUNK - at);
      System.arraycopy(chunks[(int) ((from + done) / CHUNK)], at, to, place + done, part);
      done += part;
    }
  }
}
