package io.rollotel.agent.metrics;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.sdk.autoconfigure.spi.internal.DefaultConfigProperties;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.resources.Resource;
import io.rollotel.agent.export.SpokenProtocols;
import io.rollotel.agent.span.SpanResource;
import io.rollotel.traces.collector.Rendezvous;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A process with a metric reader, whose background thread a test may start. */
abstract class MetricReaderFixture {

  /** In the agent's jar these lines go to the agent's log, here they would go to the console. */
  static final Logger SDK_LOGGER = Logger.getLogger("io.opentelemetry");

  @TempDir Path directory;

  @BeforeAll
  static void quiet() {
    SDK_LOGGER.setLevel(Level.OFF);
  }

  @AfterAll
  static void loud() {
    SDK_LOGGER.setLevel(null);
  }

  // ----

  static HttpServer server(int status, CountDownLatch requests) throws IOException {
    return server(status, new byte[0], requests);
  }

  static HttpServer server(int status, byte[] answer, CountDownLatch requests) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    server.createContext(
        "/v1/metrics",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          requests.countDown(); // before the answer, on which the test goes on
          exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    return server;
  }

  static long inSeconds(int seconds) {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
  }

  /** The part of a process that exports metrics. */
  static final class Process implements AutoCloseable {

    final Rendezvous rendezvous;
    final BackgroundMetricReader reports;
    private final Path directory;
    private final SdkMeterProvider provider;

    Process(
        Path directory,
        boolean mayLead,
        boolean endpointGiven,
        Map<String, String> config,
        List<String> exporters) {
      this.directory = directory;
      rendezvous =
          new Rendezvous(directory.toFile(), mayLead, false, "run", line -> {}, line -> {});
      reports =
          new BackgroundMetricReader(
              rendezvous,
              endpointGiven,
              config == null ? null : DefaultConfigProperties.createFromMap(config),
              exporters,
              rendezvous.ownFile("host:1"),
              new SpokenProtocols(),
              SpanResource.withoutRun(Resource.empty(), () -> "run", none -> {}));
      provider = SdkMeterProvider.builder().registerMetricReader(reports).build();
    }

    static Process alone(Path directory) {
      return withConfig(directory, Map.of());
    }

    static Process withConfig(Path directory, Map<String, String> config) {
      return new Process(directory, false, false, config, List.of());
    }

    static Process withExporter(Path directory, String name) {
      return new Process(directory, false, false, Map.of(), List.of(name));
    }

    static Process driver(Path directory) {
      return new Process(directory, true, false, Map.of(), List.of());
    }

    static Process withEndpoint(Path directory, HttpServer server, Map<String, String> config) {
      return withEndpoint(directory, "http://127.0.0.1:" + server.getAddress().getPort(), config);
    }

    /** Without a deadline, its exporter waits for an hour. */
    static Process withSilentEndpoint(Path directory, ServerSocket silent) {
      String endpoint = "http://127.0.0.1:" + silent.getLocalPort();
      return withEndpoint(directory, endpoint, Map.of("otel.exporter.otlp.timeout", "3600000"));
    }

    static Process withEndpoint(Path directory, String endpoint, Map<String, String> config) {
      Map<String, String> all = new HashMap<>(config);
      all.put("otel.exporter.otlp.endpoint", endpoint);
      all.put("otel.exporter.otlp.protocol", "http/protobuf");
      all.put("otel.java.exporter.otlp.retry.disabled", "true");
      return new Process(directory, false, true, all, List.of());
    }

    void count(String name) {
      provider.get("test").counterBuilder(name).build().add(1);
    }

    void gauge(String name, IntSupplier value) {
      provider
          .get("test")
          .gaugeBuilder(name)
          .buildWithCallback(measured -> measured.record(value.getAsInt()));
    }

    /** The first round only waits. */
    void round() {
      reports.getAsLong();
      reports.getAsLong();
    }

    Path ownFile() {
      return directory.resolve("metrics/host-1.jsonl");
    }

    List<String> ownLines() throws IOException {
      return Files.readAllLines(ownFile());
    }

    @Override
    public void close() {
      provider.close();
      rendezvous.close();
      reports.close(System.nanoTime()); // ends the thread
    }
  }
}
