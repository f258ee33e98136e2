package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.sdk.autoconfigure.spi.internal.DefaultConfigProperties;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.rollotel.traces.otlp.PartialSuccess;
import io.rollotel.traces.otlp.Signal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An endpoint that rejects one span of each request. */
@Timeout(60)
class OtlpSpanExporterTest {

  /** {@code partial_success { rejected_spans: 1 }}. */
  private static final byte[] ONE_REJECTED = {10, 2, 8, 1};

  private final CountDownLatch mayAnswer = new CountDownLatch(1);
  private final List<PartialSuccess> rejected = new CopyOnWriteArrayList<>();
  private HttpServer server;
  private OtlpSpanExporter exporter;

  @BeforeEach
  void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/v1/traces",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          try {
            mayAnswer.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
          exchange.sendResponseHeaders(200, ONE_REJECTED.length);
          exchange.getResponseBody().write(ONE_REJECTED);
          exchange.close();
        });
    server.start();
    Map<String, String> settings =
        Map.of(
            "otel.exporter.otlp.endpoint",
            "http://127.0.0.1:" + server.getAddress().getPort(),
            "otel.exporter.otlp.protocol",
            "http/protobuf");
    exporter =
        new OtlpSpanExporter(
            OtlpEndpoint.ofUser(
                DefaultConfigProperties.createFromMap(settings),
                Signal.TRACES,
                new SpokenProtocols()),
            rejected::add);
  }

  @AfterEach
  void stop() {
    exporter.shutdown();
    server.stop(0);
  }

  private CompletableResultCode export() {
    return exporter.export(List.of(FallbackExporterFixture.span("train")));
  }

  @Test
  void rejection_isReportedOnceItsRequestIsAccepted() {
    mayAnswer.countDown();
    CompletableResultCode result = export();
    BoundedCalls.await(result, TimeUnit.SECONDS.toNanos(30), () -> {});
    assertThat(result.isSuccess()).isTrue();
    assertThat(rejected).extracting(PartialSuccess::rejected).containsExactly(1L);
  }

  /** Its spans are in the own file by then, and would be counted as kept and as rejected. */
  @Test
  void rejectionThatNobodyWaitsForAnyMore_isNotReported() {
    CompletableResultCode givenUp = export();
    BoundedCalls.await(givenUp, 0, () -> {});
    assertThat(givenUp.isSuccess()).isFalse();
    mayAnswer.countDown();
    CompletableResultCode next = export(); // waits until the former has ended
    BoundedCalls.await(next, TimeUnit.SECONDS.toNanos(30), () -> {});
    assertThat(next.isSuccess()).isTrue();
    assertThat(rejected).as("only that of the next").hasSize(1);
  }
}
