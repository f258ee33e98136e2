package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Otelcol;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.S3Store;
import io.rollotel.it.kit.SpanFlood;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that writes objects into a bucket: deploy/otelcol, started. */
@Tag("engines")
class S3IT {

  private static final int PER_SECOND = 4_000;

  private @TempDir Path directory;

  private long missing(SpanFlood flood, S3Store store) throws IOException {
    Path fetched = directory.resolve("fetched");
    store.fetchTo(fetched);
    return flood.missing(fetched);
  }

  @Test
  void gatewayAndThenTheStoreKilledUnderLoad_loseNothingAcknowledged() throws Exception {
    Otelcol configured =
        new Otelcol(directory.resolve("gateway"), "gateway-s3.yaml")
            .environment("FLUSH_TIMEOUT", "1s");
    try (S3Store store = new S3Store(directory.resolve("store")).start();
        Otelcol gateway = configured) {
      store.addTo(gateway);
      gateway.start();
      try (SpanFlood flood = SpanFlood.start(gateway.grpcPort(), PER_SECOND)) {
        flood.awaitMore(2 * PER_SECOND);
        gateway.kill();
        gateway.start();
        flood.awaitMore(2 * PER_SECOND);

        store.kill();
        flood.awaitMore(2 * PER_SECOND);
        store.start();
        flood.awaitMore(PER_SECOND);
        flood.stop();
        Patience.until(
            () -> missing(flood, store) + " acknowledged spans are not in the bucket",
            () -> missing(flood, store) == 0);
        assertThat(flood.acknowledged()).isGreaterThan(7 * PER_SECOND);
      }
    }
  }
}
