package io.rollotel.it;

import io.rollotel.it.kit.KafkaBroker;
import io.rollotel.it.kit.LargeSpans;
import io.rollotel.it.kit.Otelcol;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.SpanFlood;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A collector on a node, a real broker of Kafka's, and a collector that reads it into files. */
@Tag("engines")
class KafkaIT {

  private static final int PER_SECOND = 5_000;

  private @TempDir Path directory;

  @Test
  void brokerAndThenTheReaderKilledUnderLoad_loseNothingAcknowledged() throws Exception {
    try (KafkaBroker broker = new KafkaBroker(directory.resolve("kafka"))) {
      broker.start();
      try (Otelcol node = collector("node", "node-kafka.yaml", broker).start();
          Otelcol reader = collector("reader", "kafka-files.yaml", broker).start();
          SpanFlood flood = SpanFlood.start(node.grpcPort(), PER_SECOND)) {
        flood.awaitMore(2 * PER_SECOND);

        broker.kill();
        flood.awaitMore(2 * PER_SECOND);
        broker.start();
        flood.awaitMore(2 * PER_SECOND);

        reader.kill();
        reader.start();
        flood.awaitMore(PER_SECOND);
        flood.stop();

        Patience.until(
            () -> flood.missing(reader.files()) + " acknowledged spans are missing",
            () -> flood.missing(reader.files()) == 0);
      }
    }
  }

  @Test
  void largeSpans_allArrive() throws Exception {
    try (KafkaBroker broker = new KafkaBroker(directory.resolve("kafka"))) {
      broker.start();
      try (Otelcol node = collector("node", "node-kafka.yaml", broker).start();
          Otelcol reader = collector("reader", "kafka-files.yaml", broker).start()) {
        LargeSpans.send(node.grpcPort());
        Patience.until(
            () -> "there are " + LargeSpans.in(reader.files()) + " of the large spans",
            () -> LargeSpans.in(reader.files()) == LargeSpans.SPANS);
      }
    }
  }

  private Otelcol collector(String name, String configuration, KafkaBroker broker)
      throws IOException {
    return new Otelcol(directory.resolve(name), configuration)
        .environment("KAFKA_BROKERS", "[" + broker.address() + "]")
        .environment("KAFKA_CREATE_TOPIC", "true");
  }
}
