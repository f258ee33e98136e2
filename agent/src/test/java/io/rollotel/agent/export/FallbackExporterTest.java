package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.sdk.Run;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whom the exporter delivers spans to. */
class FallbackExporterTest extends FallbackExporterFixture {

  @Test
  void noCollector_isReadyOnlyWhenUrgent() throws Exception {
    try (Run run = Run.alone(directory, 10, 10);
        Stderr stderr = new Stderr()) {
      assertThat(run.delivery.isReady(false, () -> {})).isFalse();
      assertThat(run.delivery.isReady(true, () -> {})).isTrue();
      run.delivery.deliver(List.of(span("a")), () -> {});
      run.delivery.deliver(List.of(span("b")), () -> {});
      assertThat(run.namesIn(run.ownFile())).containsExactly("a", "b");
      // Nothing failed: there is no collector.
      assertThat(stderr.lines()).isEmpty();
    }
  }

  @Test
  void driver_deliversToItsOwnCollector() throws Exception {
    try (Run run = Run.driver(directory);
        Stderr stderr = new Stderr()) {
      assertThat(run.delivery.isReady(false, () -> {})).isTrue();
      run.delivery.deliver(List.of(span("a"), span("b")), () -> {});
      run.delivery.close();
      assertThat(run.ownFile()).doesNotExist();
      assertThat(run.namesIn(directory.resolve("traces/traces.jsonl").toFile()))
          .containsExactlyInAnyOrder("a", "b");
      assertThat(stderr.lines()).isEmpty();
    }
  }

  @Test
  void idleForSomeSeconds_restsUntilTheNextSpan() throws Exception {
    try (Run run = Run.driver(directory);
        Stderr stderr = new Stderr()) {
      assertThat(run.delivery.isResting(Run.inSeconds(60))).as("nothing is built yet").isFalse();
      long inASecond = Run.inSeconds(1);
      run.delivery.deliver(List.of(span("a")), () -> {});
      assertThat(run.delivery.isResting(inASecond)).isFalse();
      assertThat(run.delivery.isResting(Run.inSeconds(6))).isTrue();
      assertThat(run.delivery.isResting(Run.inSeconds(7))).isTrue();

      inASecond = Run.inSeconds(1);
      run.delivery.deliver(List.of(span("b")), () -> {});
      assertThat(run.delivery.isResting(inASecond)).isFalse();
      assertThat(run.namesIn(directory.resolve("traces/traces.jsonl").toFile()))
          .containsExactlyInAnyOrder("a", "b");
      assertThat(run.ownFile()).doesNotExist();
      assertThat(stderr.lines()).isEmpty();
    }
  }

  @Test
  void worker_findsTheDriversCollector() throws Exception {
    try (Run driver = Run.driver(directory);
        Run worker = Run.alone(directory, 10, 10)) {
      assertThat(worker.delivery.isReady(false, () -> {})).isFalse();
      assertThat(driver.delivery.isReady(false, () -> {})).isTrue();
      assertThat(worker.delivery.isReady(false, () -> {})).isTrue();
      worker.delivery.deliver(List.of(span("a")), () -> {});
      assertThat(worker.ownFile()).doesNotExist();
      assertThat(worker.spans()).hasSize(1);
    }
  }

  @Test
  void driverThatHasLeft_spansGoToTheOwnFileWithoutAWord() throws Exception {
    try (Run driver = Run.driver(directory);
        Run worker = Run.alone(directory, 10, 10);
        Stderr stderr = new Stderr()) {
      assertThat(driver.delivery.isReady(false, () -> {})).isTrue();
      worker.delivery.deliver(List.of(span("a")), () -> {});
      driver.rendezvous.close();
      worker.delivery.deliver(List.of(span("b")), () -> {});
      worker.delivery.deliver(List.of(span("c")), () -> {});

      assertThat(worker.namesIn(worker.ownFile())).containsExactly("b", "c");
      assertThat(stderr.lines()).as("as drivers do at the end of a run").isEmpty();
    }
  }

  @Test
  void endpointThatRefuses_spansGoToTheOwnFileAndThatIsSaidOnce() throws Exception {
    String endpoint = refusingEndpoint();
    try (Run run = Run.withEndpoint(directory, endpoint, 100);
        Stderr stderr = new Stderr()) {
      assertThat(run.delivery.isReady(false, () -> {})).isTrue();
      run.delivery.deliver(List.of(span("a")), () -> {});
      run.delivery.deliver(List.of(span("b")), () -> {});
      assertThat(run.namesIn(run.ownFile())).containsExactly("a", "b");
      assertThat(stderr.lines()).singleElement().asString().contains("cannot deliver", endpoint);
    }
  }

  @Test
  void endpointThatRefuses_isNotTriedAgainBeforeTheOwnFile() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    HttpServer busy =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    busy.createContext(
        "/",
        exchange -> {
          requests.incrementAndGet();
          exchange.sendResponseHeaders(503, -1); // which OTLP allows to be tried again
          exchange.close();
        });
    busy.start();
    try (Run run =
            Run.withEndpoint(
                directory, "http://127.0.0.1:" + busy.getAddress().getPort(), 3_600_000);
        Stderr stderr = new Stderr()) {
      run.delivery.deliver(List.of(span("a")), () -> {});
      assertThat(run.namesIn(run.ownFile())).containsExactly("a");
      assertThat(requests).hasValue(1);
    } finally {
      busy.stop(0);
    }
  }

  /** A container with a read-only file system, whose collector starts later than it does. */
  @Test
  void endpointThatAnswersLate_getsTheSpansAlthoughNoFileTakesThem() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "not a directory");
    AtomicBoolean answers = new AtomicBoolean();
    HttpServer late = answering(answers);
    String endpoint = "http://127.0.0.1:" + late.getAddress().getPort();
    try (Run run = Run.withEndpoint(file, endpoint, 3_600_000);
        Stderr stderr = new Stderr()) {
      List<SpanData> batch = List.of(span("a"));
      assertThat(run.delivery.deliver(batch, () -> {}).held()).isEqualTo(batch);
      assertThat(run.delivery.isOff()).isFalse();
      answers.set(true);
      Outcome outcome;
      do { // it is not asked again at once
        outcome = run.delivery.deliver(batch, () -> {});
      } while (!outcome.held().isEmpty());
      assertThat(outcome.delivered()).isEqualTo(batch);
      assertThat(run.delivery.deliver(List.of(span("b")), () -> {}).delivered()).hasSize(1);
      assertThat(stderr.lines())
          .satisfiesExactly(
              line -> assertThat(line).contains("cannot deliver spans to " + endpoint),
              line -> assertThat(line).contains("they wait in memory"),
              line ->
                  assertThat(line)
                      .contains("spans are delivered to " + endpoint + " again")
                      .doesNotContain("are in"));
    } finally {
      late.stop(0);
    }
  }

  @Test
  void endpointThatComesAndGoes_isSaidOnceAMinute() throws Exception {
    AtomicBoolean answers = new AtomicBoolean();
    HttpServer moody = answering(answers);
    String endpoint = "http://127.0.0.1:" + moody.getAddress().getPort();
    try (Run run = Run.withEndpoint(directory, endpoint, 3_600_000);
        Stderr stderr = new Stderr()) {
      for (int outage = 0; outage < 2; outage++) {
        answers.set(false);
        assertThat(run.delivery.deliver(List.of(span("a")), () -> {}).kept()).hasSize(1);
        answers.set(true);
        while (run.delivery.deliver(List.of(span("b")), () -> {}).delivered().isEmpty()) {
          Thread.onSpinWait(); // it is not asked again at once
        }
      }
      assertThat(stderr.lines())
          .satisfiesExactly(
              line -> assertThat(line).contains("cannot deliver spans to " + endpoint),
              line ->
                  assertThat(line)
                      .contains("again; those that it did not take are in " + run.ownFile()));
    } finally {
      moody.stop(0);
    }
  }

  @Test
  void endpointThatHangs_closeReturnsAtItsDeadlineAndKeepsTheSpans() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        // An hour, so nobody who waits for the answer finishes in this test.
        Run run =
            Run.withEndpoint(directory, "http://127.0.0.1:" + silent.getLocalPort(), 3_600_000);
        Stderr stderr = new Stderr()) {
      run.queue.start();
      run.end("a");
      run.queue.forceFlush();
      silent.setSoTimeout(600_000);
      Socket request = silent.accept();
      run.end("b");
      run.queue.close(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100), true);
      assertThat(run.namesIn(run.ownFile())).contains("a", "b");
      // Lets go of the background thread.
      silent.close();
      request.close();
    }
  }

  @Test
  void exporterNone_nothingIsKept() {
    try (Run run = Run.alone(directory, 10, 10)) {
      run.delivery.setExporters(List.of("none"));
      run.delivery.deliver(List.of(span("a")), () -> {});
      assertThat(directory).isEmptyDirectory();
    }
  }

  @Test
  void exporterNone_isReadyAtOnce() {
    try (Run run = Run.alone(directory, 10, 10)) {
      run.delivery.setExporters(List.of("none"));
      assertThat(run.delivery.isReady(false, () -> {})).isTrue();
    }
  }

  @Test
  void unknownExporter_isSaid() {
    try (Run run = Run.alone(directory, 10, 10);
        Stderr stderr = new Stderr()) {
      run.delivery.setExporters(List.of("zipkin"));
      run.delivery.isReady(false, () -> {});
      run.delivery.isReady(false, () -> {});
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("OTEL_TRACES_EXPORTER", "zipkin");
    }
  }
}
