package io.rollotel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A request of one worker: its spans of some steps, in protobuf, encoded once. What differs from
 * one request to the next, ids and times, has a fixed size and is put in its place. A step is a
 * trace, whose root the driver has; each span has a number of its own as its id.
 */
final class WorkerBatch {

  /** The first half of each trace's id; the other is the step's number. */
  static final long TRACE = 0x9e37_79b9_7f4a_7c15L;

  private static final String[] NAMES = {
    "generate", "reward", "compute_log_probs", "compute_values", "train", "update_weights"
  };

  private final int spans;
  private final int steps;
  private final byte[] bytes;
  private final int[] at;

  /**
   * Encodes it.
   *
   * @param spans of one step
   * @param steps in one request
   */
  WorkerBatch(int worker, int spans, int steps) {
    this.spans = spans;
    this.steps = steps;
    ByteArrayOutputStream resource = new ByteArrayOutputStream();
    attribute(resource, 1, "service.name", text("actor_train"));
    attribute(resource, 1, "service.instance.id", text("worker-" + worker));
    attribute(resource, 1, "host.name", text("node-" + worker / 8));
    attribute(resource, 1, "telemetry.sdk.language", text("java"));
    attribute(resource, 1, "roll.run_id", text("simulated"));
    ByteArrayOutputStream scope = new ByteArrayOutputStream();
    field(scope, 1, "roll-otel".getBytes(UTF_8));
    ByteArrayOutputStream ofScope = new ByteArrayOutputStream();
    field(ofScope, 1, scope.toByteArray());
    at = new int[spans * steps];
    for (int i = 0; i < at.length; i++) {
      byte[] span = span(worker, i % spans);
      field(ofScope, 2, span);
      at[i] = ofScope.size() - span.length;
    }
    ByteArrayOutputStream ofResource = new ByteArrayOutputStream();
    field(ofResource, 1, resource.toByteArray());
    field(ofResource, 2, ofScope.toByteArray());
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    field(request, 1, ofResource.toByteArray());
    bytes = request.toByteArray();
    for (int i = 0; i < at.length; i++) {
      at[i] += bytes.length - ofScope.size(); // each message ends where the request does
    }
  }

  /** Ids and times first, so that their places are known: of 16, 8, 8, 8 and 8 bytes. */
  private static byte[] span(int worker, int place) {
    ByteArrayOutputStream span = new ByteArrayOutputStream();
    field(span, 1, new byte[16]);
    field(span, 2, new byte[8]);
    field(span, 4, new byte[8]);
    fixed64(span, 7);
    fixed64(span, 8);
    String name = NAMES[place % NAMES.length];
    field(span, 5, ("worker." + name).getBytes(UTF_8));
    span.write(6 << 3);
    span.write(1);
    attribute(span, 9, "worker.cluster", text("actor_train"));
    attribute(span, 9, "worker.rank", number(worker));
    attribute(span, 9, "code.namespace", text("com.example.pipeline.ActorWorker"));
    attribute(span, 9, "code.function", text(name));
    return span.toByteArray();
  }

  private static void fixed64(ByteArrayOutputStream out, int field) {
    out.write(field << 3 | 1);
    out.writeBytes(new byte[8]);
  }

  private static void attribute(ByteArrayOutputStream out, int field, String key, byte[] value) {
    ByteArrayOutputStream attribute = new ByteArrayOutputStream();
    field(attribute, 1, key.getBytes(UTF_8));
    field(attribute, 2, value);
    field(out, field, attribute.toByteArray());
  }

  private static byte[] text(String value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    field(out, 1, value.getBytes(UTF_8));
    return out.toByteArray();
  }

  private static byte[] number(int value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(3 << 3);
    varint(out, value);
    return out.toByteArray();
  }

  private static void field(ByteArrayOutputStream out, int field, byte[] value) {
    varint(out, field << 3 | 2);
    varint(out, value.length);
    out.writeBytes(value);
  }

  private static void varint(ByteArrayOutputStream out, int value) {
    int rest = value;
    for (; rest > 0x7f; rest >>>= 7) {
      out.write((rest & 0x7f) | 0x80);
    }
    out.write(rest);
  }

  /**
   * The request for the steps from this one on; it is valid until the next one.
   *
   * @param firstSpan the number of the first span of the first step
   * @param toNextStep from the number of a step's first span to that of the next step's
   * @param firstRoot the number of the first step's root; those of the others follow
   */
  byte[] from(int firstStep, long firstSpan, long toNextStep, long firstRoot) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    long now = System.currentTimeMillis() * 1_000_000;
    for (int step = 0; step < steps; step++) {
      for (int place = 0; place < spans; place++) {
        int here = at[step * spans + place];
        buffer.order(ByteOrder.BIG_ENDIAN);
        buffer.putLong(here + 2, TRACE);
        buffer.putLong(here + 10, firstStep + step);
        buffer.putLong(here + 20, firstSpan + step * toNextStep + place);
        buffer.putLong(here + 30, firstRoot + step);
        buffer.order(ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(here + 39, now + place * 1_000_000L);
        buffer.putLong(here + 48, now + (place + 1) * 1_000_000L);
      }
    }
    return bytes;
  }
}
