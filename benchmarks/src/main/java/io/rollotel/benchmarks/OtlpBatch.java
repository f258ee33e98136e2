package io.rollotel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A request in protobuf, encoded once. What differs from one request to the next, ids and times,
 * has a fixed size and is put in its place.
 */
final class OtlpBatch {

  private static final int SPANS_OF_TRACE = 16;
  private static final List<String> NAMES =
      List.of("train", "compute_log_probs", "generate", "update_weights", "load_states", "offload");

  /** The bytes of a span before each inserted value: see {@link #span}. */
  private static final int TRACE_ID = 2;

  private static final int SPAN_ID = TRACE_ID + 16 + 2;
  private static final int START = SPAN_ID + 8 + 1;
  private static final int END = START + 8 + 1;

  private final int size;
  private final byte[] bytes;
  private final List<Integer> spans = new ArrayList<>();

  /** One of so many spans. */
  OtlpBatch(int connection, int size) {
    this.size = size;
    Wire resource = new Wire();
    resource.attribute(1, "service.name", "actor_train-" + connection);
    resource.attribute(1, "host.name", "node-0");
    resource.attribute(1, "telemetry.sdk.language", "java");
    resource.attribute(1, "process.pid", 40_000 + connection);
    Wire scope = new Wire();
    scope.text(1, "worker");
    Wire spansOfScope = new Wire();
    spansOfScope.message(1, scope);
    for (int i = 0; i < size; i++) {
      Wire span = span(i);
      spansOfScope.message(2, span);
      spans.add(spansOfScope.size() - span.size());
    }
    Wire spansOfResource = new Wire();
    spansOfResource.message(1, resource);
    spansOfResource.message(2, spansOfScope);
    Wire request = new Wire();
    request.message(1, spansOfResource);
    bytes = request.toByteArray();
    // Each message ends where the request does.
    spans.replaceAll(inScope -> inScope + bytes.length - spansOfScope.size());
  }

  private static Wire span(int number) {
    Wire span = new Wire();
    span.bytes(1, new byte[16]);
    span.bytes(2, new byte[8]);
    span.fixed64(7, 0);
    span.fixed64(8, 0);
    String name = NAMES.get(number % NAMES.size());
    span.text(5, "worker." + name);
    span.varint(6, 1);
    span.attribute(9, "worker.cluster", "actor_train");
    span.attribute(9, "worker.rank", number % 64);
    span.attribute(9, "code.namespace", "com.example.pipeline.ActorWorker");
    span.attribute(9, "code.function", name);
    span.attribute(9, "thread.name", "worker-dispatch-" + number % 8);
    span.attribute(9, "step.global", 1000 + number);
    Wire status = new Wire();
    if (number % 64 == 63) {
      status.text(2, "java.lang.IllegalStateException: out of memory on rank " + number % 64);
      status.varint(3, 2);
    }
    span.message(15, status);
    return span;
  }

  /** How many spans are in it. */
  int size() {
    return size;
  }

  /** The request with the ids that follow the number of its first span, different for each. */
  byte[] from(long firstSpan) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    long startNanos = System.currentTimeMillis() * 1_000_000;
    for (int i = 0; i < size; i++) {
      int at = spans.get(i);
      long number = firstSpan + i + 1;
      buffer.order(ByteOrder.BIG_ENDIAN);
      buffer.putLong(at + TRACE_ID, 0x9e37_79b9_7f4a_7c15L);
      buffer.putLong(at + TRACE_ID + 8, (number + SPANS_OF_TRACE - 1) / SPANS_OF_TRACE);
      buffer.putLong(at + SPAN_ID, number * 0x9e37_79b9_7f4a_7c15L); // odd: none comes twice
      buffer.order(ByteOrder.LITTLE_ENDIAN);
      buffer.putLong(at + START, startNanos + i * 1000L);
      buffer.putLong(at + END, startNanos + i * 1137L + 1_500_000);
    }
    return bytes;
  }

  /** A message under construction. */
  private static final class Wire extends ByteArrayOutputStream {

    void varint(int field, long value) {
      number(field << 3);
      number(value);
    }

    void fixed64(int field, long value) {
      number((field << 3) | 1);
      writeBytes(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array());
    }

    void bytes(int field, byte[] value) {
      number((field << 3) | 2);
      number(value.length);
      writeBytes(value);
    }

    void text(int field, String value) {
      bytes(field, value.getBytes(UTF_8));
    }

    void message(int field, Wire value) {
      bytes(field, value.toByteArray());
    }

    void attribute(int field, String key, String text) {
      Wire value = new Wire();
      value.text(1, text);
      attribute(field, key, value);
    }

    void attribute(int field, String key, long number) {
      Wire value = new Wire();
      value.varint(3, number);
      attribute(field, key, value);
    }

    private void attribute(int field, String key, Wire value) {
      Wire attribute = new Wire();
      attribute.text(1, key);
      attribute.message(2, value);
      message(field, attribute);
    }

    private void number(long value) {
      long rest = value;
      while (rest > 127) {
        write((int) ((rest & 127) | 128));
        rest >>>= 7;
      }
      write((int) rest);
    }
  }
}
