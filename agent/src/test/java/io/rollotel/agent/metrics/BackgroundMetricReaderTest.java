package io.rollotel.agent.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.rollotel.agent.log.Stderr;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When metrics are reported, and where. */
class BackgroundMetricReaderTest extends MetricReaderFixture {

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

  @Test
  void endpointThatRejectsSomePoints_isToldOnce() throws Exception {
    byte[] answer = {10, 6, 8, 1, 18, 2, 'n', 'o'}; // one is rejected, "no"
    HttpServer server = server(200, answer, new CountDownLatch(1));
    try (Process process = Process.withEndpoint(directory, server, Map.of());
        Stderr stderr = new Stderr()) {
      process.count("jobs");
      process.round();
      process.round();
      String here = "http://127.0.0.1:" + server.getAddress().getPort();
      assertThat(stderr.lines())
          .filteredOn(line -> line.contains(here))
          .singleElement()
          .asString()
          .endsWith(
              "/v1/metrics accepts requests but rejects some of their data points (first: no)");
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
      String here = "http://127.0.0.1:" + server.getAddress().getPort();
      assertThat(stderr.lines())
          .as("once")
          .filteredOn(line -> line.contains(here)) // another test's request may end only now
          .singleElement()
          .asString()
          .contains("cannot deliver metrics to " + here, "(HTTP status " + status + ")")
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
}
