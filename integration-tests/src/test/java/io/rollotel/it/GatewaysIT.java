package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.LargeSpans;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Otelcol;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.SpanFlood;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A collector on a node in front of two gateways that write files: deploy/otelcol, started. */
@Tag("engines")
class GatewaysIT {

  private static final int FLOOD_PER_SECOND = 8_000;
  private static final int WORKER_PER_SECOND = 500;

  private @TempDir Path directory;

  @Test
  void gatewayAndThenTheNodesCollectorKilledUnderLoad_loseNothingAcknowledged() throws Exception {
    try (Otelcol one = gateway("one").start();
        Otelcol other = gateway("other").start();
        Otelcol node = node(one, other).start();
        LiveProgram first = worker("first", node);
        LiveProgram second = worker("second", node);
        SpanFlood flood = SpanFlood.start(node.grpcPort(), FLOOD_PER_SECOND)) {
      first.await("= ready");
      second.await("= ready");
      flood.awaitMore(2 * FLOOD_PER_SECOND);

      one.kill();
      flood.awaitMore(3 * FLOOD_PER_SECOND);
      one.start();
      flood.awaitMore(FLOOD_PER_SECOND);

      node.kill();
      node.start();
      flood.awaitMore(2 * FLOOD_PER_SECOND);
      flood.stop();
      long made = Long.parseLong(first.ask("stop")) + Long.parseLong(second.ask("stop"));
      first.end();
      second.end();

      Patience.until(
          () -> flood.missing(directory) + " acknowledged spans of the flood are missing",
          () -> flood.missing(directory) == 0);
      Patience.until(
          () -> "of " + made + " spans of the workers there are " + ofWorkers(),
          () -> ofWorkers() == made);
      Set<String> tracesOfOne = traces(one);
      Set<String> tracesOfOther = traces(other);
      assertThat(tracesOfOne).hasSizeBetween(tracesOfOther.size() / 2, 2 * tracesOfOther.size());
      tracesOfOne.retainAll(tracesOfOther);
      assertThat(tracesOfOne).as("traces whose spans went to both").isEmpty();
    }
  }

  @Test
  void queueThatIsFull_isNotAcknowledgedAndTheProcessKeepsItsSpans() throws Exception {
    try (Otelcol gateway = gateway("one");
        Otelcol node = node(gateway).environment("QUEUE_BYTES", "300000").start();
        LiveProgram worker = worker("first", node)) {
      worker.await("= ready");
      Path own = directory.resolve("first/output/otlp");
      Patience.until(
          () -> "the worker has a file of its own: " + worker.err(),
          worker.handle(),
          () -> Files.exists(own) && !ProgramRun.Result.spans(own).isEmpty());
      gateway.start();
      long made = Long.parseLong(worker.ask("stop"));
      worker.end();
      Patience.until(
          () -> "of " + made + " spans there are " + ofWorkers(), () -> ofWorkers() == made);
      assertThat(traces(gateway)).as("what the queue held").isNotEmpty();
    }
  }

  /** A batch that is full by number is ten times as large as a gateway accepts. */
  @Test
  void largeSpans_allArrive() throws Exception {
    try (Otelcol one = gateway("one").start();
        Otelcol other = gateway("other").start();
        Otelcol node = node(one, other).start()) {
      LargeSpans.send(node.grpcPort());
      Patience.until(
          () -> "there are " + LargeSpans.in(directory) + " of the large spans",
          () -> LargeSpans.in(directory) == LargeSpans.SPANS);
    }
  }

  private Otelcol gateway(String name) throws IOException {
    return new Otelcol(directory.resolve(name), "gateway-files.yaml").environment("POD_NAME", name);
  }

  private Otelcol node(Otelcol... gateways) throws IOException {
    return new Otelcol(directory.resolve("node"), "node-gateways.yaml").gateways(gateways);
  }

  /** A JVM with the agent, which keeps in its own file what is not taken. */
  private LiveProgram worker(String name, Otelcol node) throws IOException {
    Path own = Files.createDirectories(directory.resolve(name));
    return ProgramRun.of(own, SteadyWorker.class, Integer.toString(WORKER_PER_SECOND))
        .environment("ROLL_OTEL_ROLE", "worker")
        .environment("OTEL_SERVICE_NAME", "worker")
        .environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + node.httpPort())
        .start();
  }

  /** How many spans of the workers there are, at the gateways and in their own files. */
  private long ofWorkers() throws IOException {
    Set<String> ids = new HashSet<>();
    new TracesReader().read(directory, span -> add(span, "worker", ids));
    return ids.size();
  }

  private static void add(Span span, String service, Set<String> ids) {
    if (service.equals(span.resource().attributes().get("service.name"))) {
      ids.add(span.traceId() + span.spanId());
    }
  }

  private static Set<String> traces(Otelcol gateway) throws IOException {
    Set<String> ids = new HashSet<>();
    new TracesReader().read(gateway.files(), span -> ids.add(span.traceId()));
    return ids;
  }
}
