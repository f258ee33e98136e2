package io.rollotel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.SplittableRandom;

/**
 * Writes a run of any size as our collector writes it: a driver and 16 workers on two hosts, steps
 * of three phases that fan out, four spans below each call; about 480 bytes for a span.
 */
public final class GeneratedRun {

  private static final int WORKERS = 16;
  private static final int BELOW = 4;
  private static final int BATCH = 256;
  private static final String[] PHASES = {"generate", "old_log_probs", "train_step"};
  private static final HexFormat HEX = HexFormat.of();

  private final BufferedWriter out;
  private final SplittableRandom random = new SplittableRandom(17);

  /** By process, the driver's last: the spans of the batch, and how many. */
  private final StringBuilder[] pending = new StringBuilder[WORKERS + 1];

  private final int[] counts = new int[WORKERS + 1];
  private long left;

  private GeneratedRun(BufferedWriter out, long spans) {
    this.out = out;
    this.left = spans;
    for (int i = 0; i <= WORKERS; i++) {
      pending[i] = new StringBuilder();
    }
  }

  /** Takes the file and the number of spans. */
  public static void main(String[] arguments) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(Path.of(arguments[0]), UTF_8)) {
      new GeneratedRun(out, Long.parseLong(arguments[1])).write();
    }
  }

  private void write() throws IOException {
    long moment = 1_795_269_422_000_000_000L;
    for (int step = 1; left > 0; step++) {
      String trace = HEX.toHexDigits(random.nextLong()) + HEX.toHexDigits(random.nextLong());
      String root = id();
      long start = moment;
      moment += nanos(2);
      for (int phase = 0; phase < PHASES.length; phase++) {
        moment = phase(trace, root, phase, moment) + nanos(1);
      }
      String attributes = attribute("global_step", "intValue", Integer.toString(step));
      span(WORKERS, trace, root, "", "pipeline_step", start, moment, attributes);
    }
    for (int process = 0; process <= WORKERS; process++) {
      flush(process);
    }
  }

  private long phase(String trace, String root, int phase, long start) throws IOException {
    String name = PHASES[phase];
    String id = id();
    long last = start;
    for (int worker = 0; worker < WORKERS; worker++) {
      long queue = nanos(1);
      long from = start + queue;
      String call = id();
      long at = from;
      for (int i = 0; i < BELOW; i++) {
        long begin = at + nanos(1);
        at = begin + nanos(10);
        span(
            worker,
            trace,
            id(),
            call,
            "part." + i,
            begin,
            at,
            attribute("part.size", "intValue", "512"));
      }
      String attributes =
          attribute("code.function.name", "stringValue", "com.acme.rl.PolicyWorker." + name)
              + ","
              + attribute("roll.queue_ns", "intValue", Long.toString(queue));
      span(worker, trace, call, id, "worker." + name, from, at, attributes);
      last = Math.max(last, at);
    }
    last += nanos(1);
    span(WORKERS, trace, id, root, name, start, last, "");
    return last;
  }

  /** Up to this many milliseconds. */
  private long nanos(int milliseconds) {
    return 1 + random.nextLong(milliseconds * 1_000_000L);
  }

  private String id() {
    return HEX.toHexDigits(random.nextLong());
  }

  private static String attribute(String key, String type, String value) {
    return "{\"key\":\"" + key + "\",\"value\":{\"" + type + "\":\"" + value + "\"}}";
  }

  private void span(
      int process,
      String trace,
      String id,
      String parent,
      String name,
      long start,
      long end,
      String attributes)
      throws IOException {
    if (left-- <= 0) {
      return;
    }
    StringBuilder batch = pending[process];
    batch.append(counts[process] == 0 ? "" : ",");
    batch.append("{\"traceId\":\"").append(trace).append("\",\"spanId\":\"").append(id);
    batch.append("\",\"parentSpanId\":\"").append(parent).append("\",\"flags\":257,\"name\":\"");
    batch.append(name).append("\",\"kind\":1,\"startTimeUnixNano\":\"").append(start);
    batch.append("\",\"endTimeUnixNano\":\"").append(end).append("\",\"attributes\":[");
    batch.append(attribute("thread.name", "stringValue", "pool-1-thread-1")).append(',');
    batch.append(attribute("thread.id", "intValue", "27"));
    batch.append(attributes.isEmpty() ? "" : ",").append(attributes).append("],\"status\":{}}");
    if (++counts[process] == BATCH) {
      flush(process);
    }
  }

  private void flush(int process) throws IOException {
    if (counts[process] == 0) {
      return;
    }
    boolean isDriver = process == WORKERS;
    out.write("{\"resourceSpans\":[{\"resource\":{\"attributes\":[");
    out.write(attribute("service.name", "stringValue", isDriver ? "driver" : "actor") + ",");
    out.write(attribute("host.name", "stringValue", "node" + process % 2) + ",");
    out.write(attribute("process.pid", "intValue", Integer.toString(1000 + process)) + ",");
    out.write(attribute("roll.run_id", "stringValue", "generated") + ",");
    if (!isDriver) {
      out.write(attribute("roll.rank", "intValue", Integer.toString(process)) + ",");
    }
    String instance = "node" + process % 2 + ":" + (1000 + process);
    out.write(attribute("service.instance.id", "stringValue", instance));
    out.write("]},\"scopeSpans\":[{\"scope\":{\"name\":\"worker\"},\"spans\":[");
    out.append(pending[process]).write("]}]}]}\n");
    pending[process].setLength(0);
    counts[process] = 0;
  }
}
