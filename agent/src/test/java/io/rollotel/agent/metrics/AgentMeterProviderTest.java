package io.rollotel.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
import io.rollotel.agent.export.SpokenProtocols;
import io.rollotel.agent.span.SpanResource;
import io.rollotel.traces.collector.Rendezvous;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentMeterProviderTest {

  private final AtomicInteger built = new AtomicInteger();

  private @TempDir Path directory;

  @Test
  void whoOnlyTraces_paysForNoMeters() {
    try (OpenTelemetrySdk sdk = OpenTelemetrySdk.builder().build()) {
      AgentMeterProvider meters = meters(List.of());
      OpenTelemetry openTelemetry =
          meters.with(sdk.getTracerProvider(), sdk.getLogsBridge(), sdk.getPropagators());
      assertThat(openTelemetry.getTracer("mine")).isSameAs(sdk.getTracer("mine"));
      assertThat(openTelemetry.getTracer("mine", "1")).isSameAs(sdk.getTracer("mine", "1"));
      assertThat(openTelemetry.getLogsBridge()).isSameAs(sdk.getLogsBridge());
      assertThat(openTelemetry.getPropagators()).isSameAs(sdk.getPropagators());
      assertThat(openTelemetry.getMeterProvider()).isSameAs(meters);
      meters.close(inSeconds(10));
      assertThat(built).hasValue(0);
    }
  }

  @Test
  void twoMeters_shareOneProviderAndItsResource() throws Exception {
    AgentMeterProvider meters = meters(List.of());
    count(meters, "jobs");
    count(meters, "steps");
    meters.close(System.nanoTime());
    assertThat(built).hasValue(1);
    assertThat(reports())
        .singleElement()
        .asString()
        .contains("\"jobs\"", "\"steps\"", "\"service.name\"", "\"ranker\"")
        .as("what only tries whether the API fits")
        .doesNotContain("trial");
  }

  @Test
  void exporterNone_nothingIsKept() {
    AgentMeterProvider meters = meters(List.of("none"));
    count(meters, "jobs");
    meters.close(inSeconds(10));
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void meterAfterTheEnd_doesNothing() {
    AgentMeterProvider meters = meters(List.of());
    meters.close(inSeconds(10));
    count(meters, "jobs");
    meters.close(inSeconds(10));
    assertThat(built).hasValue(0);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void closeWhileTheFirstIsBuilt_doesNotWaitAndLeavesNothingRunning() throws Exception {
    CountDownLatch building = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    AgentMeterProvider meters =
        meters(
            List.of(),
            () -> {
              building.countDown();
              try {
                mayGoOn.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    Thread first = new Thread(() -> count(meters, "jobs"));
    first.start();
    assertThat(building.await(10, TimeUnit.MINUTES)).isTrue();
    try {
      meters.close(inSeconds(10)); // or it would wait for the thread that waits for this one
    } finally {
      mayGoOn.countDown();
    }
    first.join();
    assertThat(directory).as("recorded after the end").isEmptyDirectory();
  }

  @Test
  void interruptWhileTheFirstIsBuilt_isGivenBackAndNothingIsLost() throws Exception {
    AgentMeterProvider meters = meters(List.of());
    Thread.currentThread().interrupt();
    count(meters, "jobs");
    assertThat(Thread.interrupted()).isTrue();
    meters.close(System.nanoTime());
    assertThat(reports()).singleElement().asString().contains("\"jobs\"");
  }

  private AgentMeterProvider meters(List<String> exporters) {
    return meters(exporters, () -> {});
  }

  private AgentMeterProvider meters(List<String> exporters, Runnable whileBuilt) {
    Rendezvous rendezvous =
        new Rendezvous(directory.toFile(), false, false, "run", line -> {}, line -> {});
    return new AgentMeterProvider(
        () -> {
          built.incrementAndGet();
          whileBuilt.run();
          return new BackgroundMetricReader(
              rendezvous,
              false,
              null,
              exporters,
              rendezvous.ownFile("host:1"),
              new SpokenProtocols(),
              SpanResource.whole(Resource.builder().put("service.name", "ranker").build()));
        });
  }

  private static void count(AgentMeterProvider meters, String name) {
    meters.meterBuilder("test").build().counterBuilder(name).build().add(1);
  }

  private List<String> reports() throws IOException {
    return Files.readAllLines(directory.resolve("metrics/host-1.jsonl"));
  }

  private static long inSeconds(int seconds) {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
  }
}
