package io.rollotel.agent.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.sdk.autoconfigure.spi.internal.DefaultConfigProperties;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.resources.Resource;
import io.rollotel.agent.export.SpokenProtocols;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.span.SpanResource;
import io.rollotel.traces.collector.Rendezvous;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BackgroundMetricReaderTest {

  /** In the agent's jar these lines go to the agent's log, here they would go to the console. */
  private static final Logger SDK_LOGGER = Logger.getLogger("io.opentelemetry");

  private @TempDir Path directory;

  @BeforeAll
  static void quiet() {
    SDK_LOGGER.setLevel(Level.OFF);
  }

  @AfterAll
  static void loud() {
    SDK_LOGGER.setLevel(null);
  }

  // ---- the interval

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {"none, 60000", "5000, 5000", "2s, 2000", "100, 100", "1, 100", "0, 100"})
  void interval_isTheUsersButNotBelowATenthOfASecond(String given, long millis) {
    Map<String, String> config =
        given == null ? Map.of() : Map.of("otel.metric.export.interval", given);
    try (Process process = Process.withConfig(directory, config)) {
      assertThat(process.reports.getAsLong()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(millis));
    }
  }

  @Test
  void settingsThatAreNotUnderstood_leaveTheDefaultInterval() {
    try (Process process = new Process(directory, false, false, null, List.of())) {
      assertThat(process.reports.getAsLong()).isEqualTo(TimeUnit.SECONDS.toNanos(60));
    }
  }

  @Test
  void firstRound_onlyWaitsAndTheNextOnesReport() throws Exception {
    try (Process process = Process.alone(directory)) {
      process.count("jobs");
      process.reports.getAsLong();
      assertThat(process.ownFile()).doesNotExist();
      process.reports.getAsLong();
      assertThat(process.ownLines()).hasSize(1);
      process.reports.getAsLong();
      assertThat(process.ownLines()).as("totals are reported again").hasSize(2);
    }
  }

  @Test
  void backgroundThread_reportsAtEachInterval() throws Exception {
    CountDownLatch requests = new CountDownLatch(2);
    HttpServer server = server(200, requests);
    try (Process process =
        Process.withEndpoint(directory, server, Map.of("otel.metric.export.interval", "100"))) {
      process.count("jobs");
      process.reports.start();
      assertThat(requests.await(10, TimeUnit.MINUTES)).isTrue();
    } finally {
      server.stop(0);
    }
  }

  @Test
  void forceFlush_beginsTheNextRoundAtOnce() throws Exception {
    CountDownLatch requests = new CountDownLatch(1);
    HttpServer server = server(200, requests);
    try (Process process =
        Process.withEndpoint(directory, server, Map.of("otel.metric.export.interval", "1h"))) {
      process.count("jobs");
      process.reports.start();
      // The first round only waits, and may not have begun.
      while (!requests.await(10, TimeUnit.MILLISECONDS)) {
        assertThat(process.reports.forceFlush().isSuccess()).isTrue();
      }
    } finally {
      server.stop(0);
    }
  }

  @Test
  void forceFlushBeforeTheStart_doesNothing() {
    try (Process process = Process.alone(directory)) {
      process.count("jobs");
      assertThat(process.reports.forceFlush().isSuccess()).isTrue();
      assertThat(process.ownFile()).doesNotExist();
    }
  }

  // ---- where a report goes

  @Test
  void endpoint_takesTheReportAndTheOwnFileStaysAway() throws Exception {
    CountDownLatch requests = new CountDownLatch(1);
    HttpServer server = server(200, requests);
    try (Process process = Process.withEndpoint(directory, server, Map.of())) {
      process.count("jobs");
      process.round();
      assertThat(requests.getCount()).isZero();
      assertThat(process.ownFile()).doesNotExist();
    } finally {
      server.stop(0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 404, 500, 503})
  void endpointThatRefusesTheReport_leavesItToTheOwnFile(int status) throws Exception {
    HttpServer server = server(status, new CountDownLatch(1));
    try (Process process = Process.withEndpoint(directory, server, Map.of());
        Stderr stderr = new Stderr()) {
      process.count("jobs");
      process.round();
      assertThat(process.ownLines()).singleElement().asString().contains("\"jobs\"");
      process.round();
      assertThat(stderr.lines())
          .as("once")
          .singleElement()
          .asString()
          .contains("cannot deliver metrics to http://127.0.0.1:", "(HTTP status " + status + ")")
          .contains("; until it answers they go to " + process.ownFile());
    } finally {
      server.stop(0);
    }
  }

  @Test
  void endpointThatIsNotThere_leavesTheReportToTheOwnFile() throws Exception {
    HttpServer server = server(200, new CountDownLatch(1));
    server.stop(0);
    try (Process process = Process.withEndpoint(directory, server, Map.of());
        Stderr stderr = new Stderr()) {
      process.count("jobs");
      process.round();
      assertThat(process.ownLines()).singleElement().asString().contains("\"jobs\"");
      assertThat(stderr.lines())
          .as("nothing is lost")
          .allMatch(line -> line.contains("cannot deliver metrics to "));
    }
  }

  @Test
  void noCollector_theReportGoesToTheOwnFile() throws Exception {
    try (Process process = Process.alone(directory)) {
      process.count("jobs");
      process.round();
      assertThat(process.ownLines()).singleElement().asString().contains("\"jobs\"");
    }
  }

  @Test
  void driver_reportsToItsOwnCollector() throws Exception {
    try (Process process = Process.driver(directory)) {
      process.count("jobs");
      process.round();
      assertThat(process.ownFile()).doesNotExist();
    }
    assertThat(directory.resolve("metrics/metrics.jsonl")).content(UTF_8).contains("\"jobs\"");
  }

  @Test
  void worker_reportsToTheDriversCollector() throws Exception {
    try (Process driver = Process.driver(directory);
        Process worker = Process.alone(directory)) {
      assertThat(driver.rendezvous.collector()).isNotNull();
      worker.count("jobs");
      worker.round();
      assertThat(worker.ownFile()).doesNotExist();
    }
  }

  @Test
  void settingsThatAreNotUnderstood_leaveAnEndpointUntried() throws Exception {
    try (Process process = new Process(directory, false, true, null, List.of())) {
      process.count("jobs");
      process.round();
      assertThat(process.ownLines()).hasSize(1);
    }
  }

  @Test
  void unknownExporter_leavesTheReportsToTheOwnFile() throws Exception {
    try (Process process = Process.withExporter(directory, "abacus")) {
      process.count("jobs");
      process.round();
      process.round();
      assertThat(process.ownLines()).hasSizeGreaterThan(1);
    }
  }

  @Test
  void nothingRecorded_nothingIsReported() {
    try (Process process = Process.alone(directory)) {
      process.round();
      process.reports.close(inSeconds(10));
    }
    assertThat(directory.resolve("metrics")).doesNotExist();
  }

  @Test
  void ownFileThatTakesNothing_isSaidOnce() throws Exception {
    try (Process process = Process.alone(directory);
        Stderr stderr = new Stderr()) {
      Files.createDirectories(process.ownFile());
      process.count("jobs");
      process.round();
      process.round();
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("can neither be delivered nor kept", process.ownFile().toString());
    }
  }

  @ParameterizedTest
  @CsvSource({"none, true", "otlp, false", "'', false", "'none,otlp', false"})
  void exporters_areNoneOnlyWhereTheUserSaysThatAlone(String names, boolean none) {
    List<String> exporters = names.isEmpty() ? List.of() : List.of(names.split(","));
    try (Process process = new Process(directory, false, false, null, exporters)) {
      assertThat(process.reports.isNone()).isEqualTo(none);
    }
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {
        // what is set, the temporality of a histogram and of an up-down counter, complaints
        "none, CUMULATIVE, CUMULATIVE, 0",
        "cumulative, CUMULATIVE, CUMULATIVE, 0",
        "Delta, DELTA, CUMULATIVE, 0",
        "lowmemory, DELTA, CUMULATIVE, 0",
        "both, CUMULATIVE, CUMULATIVE, 1",
      })
  void temporality_isTheUsers(
      String given,
      AggregationTemporality histogram,
      AggregationTemporality upDown,
      int complaints) {
    String name = "otel.exporter.otlp.metrics.temporality.preference";
    try (Stderr stderr = new Stderr();
        Process process =
            Process.withConfig(directory, given == null ? Map.of() : Map.of(name, given))) {
      assertThat(process.reports.getAggregationTemporality(InstrumentType.HISTOGRAM))
          .isEqualTo(histogram);
      assertThat(process.reports.getAggregationTemporality(InstrumentType.UP_DOWN_COUNTER))
          .isEqualTo(upDown);
      assertThat(stderr.lines())
          .hasSize(complaints)
          .allMatch(
              line -> line.contains("exported with default settings") && line.contains("both"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "explicit_bucket_histogram, Default",
    "base2_exponential_bucket_histogram, Exponential"
  })
  void histograms_areOfTheUsersKind(String given, String kind) {
    String name = "otel.exporter.otlp.metrics.default.histogram.aggregation";
    try (Process process = Process.withConfig(directory, Map.of(name, given))) {
      assertThat(process.reports.getDefaultAggregation(InstrumentType.HISTOGRAM).toString())
          .containsIgnoringCase(kind);
    }
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {
        "none, TraceBased",
        "trace_based, TraceBased",
        "always_off, AlwaysOff",
        "ALWAYS_ON, AlwaysOn",
        "sometimes, TraceBased",
      })
  void exemplars_areChosenAsTheUserWants(String given, String filter) {
    Map<String, String> config =
        given == null ? Map.of() : Map.of("otel.metrics.exemplar.filter", given);
    try (Process process = Process.withConfig(directory, config)) {
      assertThat(process.reports.exemplarFilter().getClass().getSimpleName()).startsWith(filter);
    }
  }

  /** A worker may learn its run from its first call, after its meters were created. */
  @Test
  void report_isOfTheRun() throws Exception {
    try (Process process = Process.alone(directory)) {
      process.count("jobs");
      process.round();
      assertThat(process.ownLines()).singleElement().asString().contains("\"roll.run_id\"");
    }
  }

  @Test
  void deltaThatCannotBeSent_isInTheOwnFileOnce() throws Exception {
    try (Process process =
        Process.withConfig(
            directory, Map.of("otel.exporter.otlp.metrics.temporality.preference", "delta"))) {
      process.count("jobs");
      process.round();
      process.reports.getAsLong();
      process.reports.close(inSeconds(10));
      assertThat(process.ownLines())
          .as("nothing new was counted")
          .singleElement()
          .asString()
          .contains("\"jobs\"", "\"aggregationTemporality\":1");
    }
  }

  // ---- the end

  @Test
  void close_reportsForTheLastTimeAndOnlyOnce() throws Exception {
    try (Process process = Process.alone(directory)) {
      process.count("jobs");
      process.reports.start();
      process.reports.close(inSeconds(10));
      process.reports.close(inSeconds(10));
      process.reports.getAsLong();
      process.reports.getAsLong();
      assertThat(process.ownLines()).hasSize(1);
    }
  }

  @Test
  void closeAfterItsDeadline_goesToTheOwnFileWithoutATry() throws Exception {
    CountDownLatch requests = new CountDownLatch(1);
    HttpServer server = server(200, requests);
    try (Process process = Process.withEndpoint(directory, server, Map.of())) {
      process.count("jobs");
      process.reports.close(System.nanoTime() - 1);
      assertThat(process.ownLines()).hasSize(1);
      assertThat(requests.getCount()).isOne();
    } finally {
      server.stop(0);
    }
  }

  /** The server never answers. Without the deadline, close would wait as long as the exporter. */
  @Test
  void closeWithAnEndpointThatHangs_endsByItsDeadlineAndKeepsTheReport() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Process process = Process.withSilentEndpoint(directory, silent)) {
      process.count("jobs");
      process.reports.close(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200));
      assertThat(process.ownLines()).singleElement().asString().contains("\"jobs\"");
    }
  }

  /** The server never answers, and each report waits ten seconds for it. */
  @Test
  void closeDuringAReportThatHangs_doesNotWaitForIt() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Process process = Process.withSilentEndpoint(directory, silent)) {
      process.count("jobs");
      CompletableFuture<Void> underWay = CompletableFuture.runAsync(process::round);
      silent.setSoTimeout(600_000);
      try (Socket request = silent.accept()) {
        assertThat(request.isConnected()).isTrue();
        process.reports.close(System.nanoTime());
        assertThat(underWay).as("the report that hangs").isNotDone();
        assertThat(process.ownLines()).singleElement().asString().contains("\"jobs\"");
      }
      underWay.get(10, TimeUnit.MINUTES);
      assertThat(process.ownLines()).as("of the last report alone").hasSize(1);
    }
  }

  @Test
  void closeWhileACallbackOfTheApplicationHangs_returnsAndSaysWhatIsLost() throws Exception {
    CountDownLatch called = new CountDownLatch(1);
    CountDownLatch returns = new CountDownLatch(1);
    try (Process process = Process.alone(directory)) {
      process.gauge(
          "depth",
          () -> {
            called.countDown();
            try {
              returns.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            return 1;
          });
      CompletableFuture<Void> underWay = CompletableFuture.runAsync(process::round);
      assertThat(called.await(10, TimeUnit.MINUTES)).isTrue();
      try (Stderr stderr = new Stderr()) {
        process.reports.close(System.nanoTime());
        assertThat(stderr.lines()).singleElement().asString().contains("metrics are lost");
      } finally {
        returns.countDown();
      }
      underWay.get(10, TimeUnit.MINUTES);
    }
  }

  @Test
  void interruptOfTheApplication_isGivenBackAndHindersNothing() throws Exception {
    CountDownLatch requests = new CountDownLatch(1);
    HttpServer server = server(200, requests);
    try (Process process = Process.withEndpoint(directory, server, Map.of())) {
      process.count("jobs");
      Thread.currentThread().interrupt();
      process.reports.close(inSeconds(600));
      assertThat(Thread.interrupted()).isTrue();
      assertThat(requests.getCount()).isZero();
      assertThat(process.ownFile()).doesNotExist();
    } finally {
      server.stop(0);
    }
  }

  // ----

  private static HttpServer server(int status, CountDownLatch requests) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    server.createContext(
        "/v1/metrics",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          requests.countDown(); // before the answer, on which the test goes on
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static long inSeconds(int seconds) {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
  }

  /** The part of a process that exports metrics. */
  private static final class Process implements AutoCloseable {

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
