package io.rollotel.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.rollotel.agent.log.Stderr;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The last report. */
class MetricReaderCloseTest extends MetricReaderFixture {

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
  @Tag("campaign")
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
}
