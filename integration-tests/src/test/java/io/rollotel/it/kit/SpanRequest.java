package io.rollotel.it.kit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.HexFormat;

/**
 * An export request over spans in protobuf. Traces and spans have numbers: that of a span is its
 * id, and a trace's id is made of its number as if it were random.
 */
public final class SpanRequest {

  private final String service;
  private final ByteArrayOutputStream spans = new ByteArrayOutputStream();

  /**
   * Begins a request.
   *
   * @param service of which process they are
   */
  public SpanRequest(String service) {
    this.service = service;
  }

  /** The id of a trace with this number. */
  public static String traceId(long trace) {
    return String.format("%016x%016x", mixed(2 * trace), mixed(2 * trace + 1));
  }

  /** SplitMix64's last step: no two numbers give the same. */
  private static long mixed(long number) {
    long z = (number + 1) * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /**
   * Adds a span.
   *
   * @param span above 0
   * @param parent 0 for none
   * @param state the trace's state, empty for none
   */
  public SpanRequest add(
      long trace,
      long span,
      long parent,
      String name,
      long startEpochNanos,
      long endEpochNanos,
      boolean failed,
      String state) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Protobuf.field(out, 1, HexFormat.of().parseHex(traceId(trace)));
    Protobuf.field(out, 2, HexFormat.of().parseHex(String.format("%016x", span)));
    if (!state.isEmpty()) {
      Protobuf.field(out, 3, state.getBytes(UTF_8));
    }
    if (parent != 0) {
      Protobuf.field(out, 4, HexFormat.of().parseHex(String.format("%016x", parent)));
    }
    Protobuf.field(out, 5, name.getBytes(UTF_8));
    fixed64(out, 7, startEpochNanos);
    fixed64(out, 8, endEpochNanos);
    if (failed) {
      Protobuf.field(out, 15, new byte[] {3 << 3, 2}); // the code of an error
    }
    Protobuf.field(spans, 2, out.toByteArray());
    return this;
  }

  private static void fixed64(ByteArrayOutputStream out, int number, long value) {
    out.write(number << 3 | 1);
    for (int shift = 0; shift < 64; shift += 8) {
      out.write((int) (value >>> shift));
    }
  }

  /** All of it. */
  public byte[] bytes() {
    ByteArrayOutputStream name = new ByteArrayOutputStream();
    Protobuf.field(name, 1, "service.name".getBytes(UTF_8));
    Protobuf.field(name, 2, Protobuf.message(1, service.getBytes(UTF_8)));
    ByteArrayOutputStream resourceSpans = new ByteArrayOutputStream();
    Protobuf.field(resourceSpans, 1, Protobuf.message(1, name.toByteArray()));
    Protobuf.field(resourceSpans, 2, spans.toByteArray());
    return Protobuf.message(1, resourceSpans.toByteArray());
  }
}
