package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.kit.Requests;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients that are many, slow or gone, and a collector that closes. */
class CollectorConnectionsTest extends EmbeddedCollectorFixture {

  @Test
  void connectionsThatWaitBeyondTheLimit_areClosedAndCounted() throws Exception {
    List<Socket> open = new ArrayList<>();
    try {
      // Beside those that are served and those that wait.
      for (int i = 0; i < 2 * LIMIT_CONNECTIONS + 20; i++) {
        Socket socket = connect();
        open.add(socket);
        socket.getOutputStream().write("POST /v1/tra".getBytes(UTF_8));
      }
      while (collector.refused() == 0 || log.isEmpty()) { // it is counted before it is logged
        Thread.sleep(1);
      }
      assertThat(collector.summary()).contains(" connection");
      assertThat(log).anyMatch(line -> line.contains("connections at once"));
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  @Test
  void hundredsOfSlowConnections_holdUpNobody() throws Exception {
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 200; i++) {
        Socket socket = connect();
        slow.add(socket);
        socket.getOutputStream().write("POST /v1/tra".getBytes(UTF_8));
      }
      // Connections beyond the limit wait until others time out, or are closed.
      HttpRequest request =
          to("/v1/traces")
              .timeout(Duration.ofMinutes(4))
              .POST(BodyPublishers.ofByteArray(Requests.spans(1, 1)))
              .build();
      int status = 0;
      while (status == 0) {
        try {
          status = client.send(request, BodyHandlers.discarding()).statusCode();
        } catch (IOException closed) {
          // again, as senders do
        }
      }
      assertThat(status).isEqualTo(200);
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  @Test
  void concurrentRequests_areInTheFileExactlyOnce() throws Exception {
    int requests = 400;
    // With more connections than are allowed, one may be closed that the client is about to use.
    Semaphore atOnce = new Semaphore(100);
    List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      HttpRequest.Builder request = to("/v1/traces");
      request.POST(BodyPublishers.ofByteArray(Requests.spans(1 + i * 20L, 20)));
      atOnce.acquire();
      answers.add(
          client
              .sendAsync(request.build(), BodyHandlers.ofByteArray())
              .whenComplete((answer, failure) -> atOnce.release()));
    }
    for (CompletableFuture<HttpResponse<byte[]>> answer : answers) {
      assertThat(answer.join().statusCode()).isEqualTo(200);
    }
    assertCounters(requests, requests * 20L, 0);
    collector.close();
    Set<String> ids = new HashSet<>();
    ReadSummary summary = new TracesReader().read(file, span -> ids.add(span.spanId()));
    assertThat(ids).hasSize(requests * 20);
    assertThat(summary.duplicates() + summary.tornLines() + summary.unreadableLines()).isZero();
  }

  @Test
  void clientThatDisappears_harmsNobody() throws Exception {
    for (String cut : List.of("POST /v1/traces HTTP/1.1\r\nHo", goodHead(1000) + "abc", "\u0000")) {
      try (Socket socket = connect()) {
        socket.getOutputStream().write(cut.getBytes(UTF_8));
      }
    }
    assertThat(post(Requests.spans(1, 1)).statusCode()).isEqualTo(200);
    assertThat(read().spans()).isEqualTo(1);
  }

  @Test
  void clientsThatStopInMidRequest_holdUpTheOthersForAWhileOnly() throws Exception {
    List<Socket> stalled = new ArrayList<>();
    try {
      for (String part : List.of("POST /v1/tra", goodHead(1000), goodHead(1000) + "abc")) {
        Socket socket = connect();
        stalled.add(socket);
        socket.getOutputStream().write(part.getBytes(UTF_8));
      }
      HttpRequest request =
          to("/v1/traces")
              .timeout(Duration.ofSeconds(10))
              .POST(BodyPublishers.ofByteArray(Requests.spans(1, 1)))
              .build();
      int status = 0;
      while (status == 0) {
        try {
          status = client.send(request, BodyHandlers.discarding()).statusCode();
        } catch (HttpTimeoutException e) {
          // again, as senders do
        }
      }
      assertThat(status).isEqualTo(200);
    } finally {
      for (Socket socket : stalled) {
        socket.close();
      }
    }
  }

  @Test
  void close_finishesTheRequestInFlight() throws Exception {
    byte[] body = Requests.spans(1, 2);
    try (Socket socket = connect()) {
      OutputStream out = socket.getOutputStream();
      // The server says when it has begun to read.
      out.write(goodHead(body.length, "Expect: 100-continue\r\n").getBytes(UTF_8));
      InputStream in = socket.getInputStream();
      assertThat(line(in)).startsWith("HTTP/1.1 100");
      while (!line(in).isEmpty()) {
        // the rest of its head
      }
      out.write(body, 0, 5);
      // Longer than a busy machine takes to let this thread go on.
      Thread closing = new Thread(() -> collector.close(600_000));
      closing.start();
      while (closing.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      out.write(body, 5, body.length - 5);
      assertThat(line(in)).startsWith("HTTP/1.1 200");
      closing.join();
    }
    assertThat(read().spans()).isEqualTo(2);
  }

  @Test
  void closedCollector_isGoneAtOnceAndClosesTwice() throws Exception {
    post(Requests.spans(1, 1));
    // A wait without a reason would take longer than this test may.
    collector.close(3_600_000);
    collector.close(3_600_000);
    assertThatThrownBy(() -> post(Requests.spans(1, 1))).isInstanceOf(IOException.class);
  }

  @Test
  void allThreads_areDaemons() throws Exception {
    // Enough at once that each of the threads is there.
    IntStream.range(0, 8)
        .mapToObj(
            i ->
                client.sendAsync(
                    to("/v1/traces")
                        .POST(BodyPublishers.ofByteArray(Requests.spans(1 + i, 1)))
                        .build(),
                    BodyHandlers.discarding()))
        .toList()
        .forEach(CompletableFuture::join);
    List<Thread> threads =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("roll-otel-collector-"))
            .toList();
    assertThat(threads).allMatch(Thread::isDaemon);
    assertThat(threads)
        .extracting(Thread::getName)
        .containsExactlyInAnyOrder("roll-otel-collector-1", "roll-otel-collector-2");
  }

  @Test
  void takenPort_isAnIoExceptionThatNamesIt() {
    int port = collector.endpoint().getPort();
    InetAddress loopback = InetAddress.getLoopbackAddress();
    assertThatThrownBy(() -> start(loopback, port, dir, ""))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(":" + port);
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1, 127.0.0.1", "0.0.0.0, 127.0.0.1", "::1, [0:0:0:0:0:0:0:1]"})
  void endpoint_canBeConnectedTo(String bind, String host) throws Exception {
    InetAddress address = InetAddress.getByName(bind);
    EmbeddedCollector other;
    try {
      other = start(address, 0, dir.resolve("o"), "");
    } catch (IOException e) {
      assumeThat(bind).as("no IPv6 here").doesNotContain(":");
      throw e;
    }
    try (other) {
      assertThat(other.endpoint())
          .isEqualTo(URI.create("http://" + host + ":" + other.endpoint().getPort()));
      new Socket(InetAddress.getByName(other.endpoint().getHost()), other.endpoint().getPort())
          .close();
    }
  }
}
