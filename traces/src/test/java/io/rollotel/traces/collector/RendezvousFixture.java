package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rollotel.traces.collector.Rendezvous.Collector;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/** Processes that meet in a directory. */
abstract class RendezvousFixture {

  final List<String> warnings = new ArrayList<>();
  @TempDir Path directory;

  static void await(BooleanSupplier condition) throws InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(10);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadlineNanos);
      Thread.sleep(5); // between two looks
    }
  }

  /** As other processes see a driver's. */
  static Collector elsewhere(Collector collector) {
    return new Collector(collector.endpoint(), collector.token(), null, collector.grpc());
  }

  Rendezvous withSettings(Map<String, String> values) {
    return new Rendezvous(
        directory.toFile(), true, false, null, values::get, warnings::add, line -> {});
  }

  static InetAddress ofThisHost() throws IOException {
    InetAddress found =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(one -> one instanceof Inet4Address && !one.isLoopbackAddress())
            .findFirst()
            .orElse(null);
    assumeThat(found).as("an address that other hosts may reach").isNotNull();
    return found;
  }

  static int post(Map<String, String> told, String token) throws Exception {
    URI url = URI.create(told.get("OTEL_EXPORTER_OTLP_ENDPOINT") + "/v1/traces");
    HttpURLConnection connection = (HttpURLConnection) url.toURL().openConnection();
    connection.setDoOutput(true);
    connection.setRequestProperty("Content-Type", "application/x-protobuf");
    connection.setRequestProperty("Authorization", "Bearer " + token);
    connection.getOutputStream().close();
    return connection.getResponseCode();
  }

  Rendezvous join(boolean mayLead, @Nullable String runId) {
    return new Rendezvous(directory.toFile(), mayLead, false, runId, warnings::add, line -> {});
  }
}
