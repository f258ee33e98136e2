package io.rollotel.traces.partition;

import io.rollotel.traces.otlp.CallJoins;
import java.util.Random;

/** Lines of spans as collectors write them: a few per line, of few traces and processes. */
final class SpanLines {

  private static final String[] NAMES = {
    "worker.generate", "worker.train", "pipeline_step", "größe"
  };

  private final Random random;
  private final long salt;
  private int spans;

  SpanLines(long seed) {
    random = new Random(seed);
    salt = random.nextLong();
  }

  /** So many lines, each with its newline. */
  String lines(int count) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < count; i++) {
      StringBuilder line = new StringBuilder();
      for (int n = random.nextInt(6); n >= 0; n--) {
        line.append(line.length() == 0 ? "" : ",").append(random());
      }
      lines.append(request(random.nextInt(5), line.toString())).append('\n');
    }
    return lines.toString();
  }

  private String random() {
    String more =
        "\"parentSpanId\":\"%016x\",\"name\":\"%s\",\"kind\":%d,\"startTimeUnixNano\":\"%d\",\"endTimeUnixNano\":\"%d\""
            .formatted(
                random.nextInt(4),
                NAMES[random.nextInt(NAMES.length)],
                random.nextInt(9),
                1_795_269_422_000_000_000L + random.nextInt(),
                1_795_269_422_000_000_000L + random.nextInt());
    StringBuilder attributes = new StringBuilder();
    String[] known = {
      "thread.id\",\"value\":{\"intValue\":\"" + random.nextInt(30),
      "part.size\",\"value\":{\"stringValue\":\"" + random.nextInt(9),
      "roll.queue_ns\",\"value\":{\"intValue\":\"" + random.nextInt(),
      "global_step\",\"value\":{\"stringValue\":\"s" + random.nextInt(9),
      "thread.name\",\"value\":{\"stringValue\":\"pool-" + random.nextInt(3)
    };
    for (int i = random.nextInt(known.length), n = random.nextInt(5); n > 0; n--, i++) {
      attributes
          .append(attributes.length() == 0 ? "" : ",")
          .append("{\"key\":\"")
          .append(known[i % known.length])
          .append("\"}}");
    }
    more += ",\"attributes\":[" + attributes + "]";
    if (random.nextInt(8) == 0) {
      more +=
          ",\"status\":{\"code\":2},\"events\":[{\"timeUnixNano\":\"5\",\"name\":\"exception\",\"attributes\":"
              + "[{\"key\":\"exception.type\",\"value\":{\"stringValue\":\"E"
              + random.nextInt(3)
              + "\"}}]}],\"links\":[{\"traceId\":\"000000000000000000000000000000ab\",\"spanId\":\"\"}]";
    }
    if (random.nextInt(20) == 0) {
      more += ",\"traceState\":\"ot=th:c\"";
    }
    return body(trace(random.nextInt(40)), nextId(), more);
  }

  /** The two ends of so many calls, some in a row, and a span below each receiver. */
  String joined(int count) {
    StringBuilder lines = new StringBuilder();
    String sender = trace(1000 + random.nextInt(1000));
    for (int i = 0; i < count; i++) {
      String task = "task-" + salt + "-" + spans;
      String by =
          ",\"attributes\":[{\"key\":\"roll.join\",\"value\":{\"stringValue\":\"ray.task_id\"}},"
              + "{\"key\":\"ray.task_id\",\"value\":{\"stringValue\":\""
              + task
              + "\"}}]";
      String receiver =
          random.nextBoolean() ? CallJoins.derivedTraceId("run", task) : trace(5000 + spans);
      String root = nextId();
      String send = body(sender, nextId(), "\"name\":\"send\",\"kind\":4" + by);
      String receive = body(receiver, root, "\"name\":\"receive\",\"kind\":5" + by);
      String below =
          body(receiver, nextId(), "\"name\":\"below\",\"parentSpanId\":\"" + root + "\"");
      lines.append(request(1, below)).append('\n');
      lines.append(request(1, receive)).append('\n');
      lines.append(request(0, send)).append('\n');
      if (random.nextInt(3) == 0) {
        sender = receiver;
      }
    }
    return lines.toString();
  }

  /** A line, without its newline, of a span of that name and attribute. */
  String span(String key, String value) {
    return request(
        0,
        body(
            trace(3),
            nextId(),
            "\"name\":\""
                + key
                + "\",\"attributes\":[{\"key\":\""
                + key
                + "\",\"value\":{\"stringValue\":\""
                + value
                + "\"}}]"));
  }

  /** A line, without its newline, of one span. */
  static String span(String traceId, String spanId, String more) {
    return request(0, body(traceId, spanId, more));
  }

  private static String body(String traceId, String spanId, String more) {
    return "{\"traceId\":\""
        + traceId
        + "\",\"spanId\":\""
        + spanId
        + "\""
        + (more.isEmpty() ? "" : "," + more)
        + "}";
  }

  private static String request(int process, String bodies) {
    return "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"worker\"}},"
        + "{\"key\":\"roll.run_id\",\"value\":{\"stringValue\":\"run\"}},"
        + "{\"key\":\"service.instance.id\",\"value\":{\"stringValue\":\"vm:"
        + process
        + "\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"s"
        + process % 2
        + "\"},\"spans\":["
        + bodies
        + "]}]}]}";
  }

  private String trace(int number) {
    return "%016x%016x".formatted(salt, number);
  }

  private String nextId() {
    return "%016x".formatted(salt ^ ++spans);
  }
}
