package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.testing.trace.TestSpanData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.sdk.Run;
import io.rollotel.agent.span.OsSeededIdGenerator;
import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.otlp.Span;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FallbackExporterTest {

  private static final OsSeededIdGenerator IDS = OsSeededIdGenerator.create();

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

  @Test
  void ownFile_holdsTheWholeSpan() throws Exception {
    SpanData data = span("whole");
    try (Run run = Run.alone(directory, 10, 10)) {
      run.delivery.toOwnFile(List.of(data));
      run.delivery.close();

      Span read = run.spans().get(0);
      assertThat(read.traceId()).isEqualTo(data.getTraceId());
      assertThat(read.spanId()).isEqualTo(data.getSpanId());
      assertThat(read.parentSpanId()).isEqualTo(data.getParentSpanId());
      assertThat(read.name()).isEqualTo("whole");
      assertThat(read.startEpochNanos()).isEqualTo(1_000_000_001L);
      assertThat(read.endEpochNanos()).isEqualTo(1_000_000_002L);
      assertThat(read.attributes()).containsEntry("step", 7L);
      assertThat(read.statusCode()).isEqualTo(Span.STATUS_ERROR);
      assertThat(read.scopeName()).isEqualTo("worker");
    }
  }

  @Test
  void instancesName_becomesAFileName() {
    try (Run run = Run.alone(directory, 10, 10)) {
      run.delivery.toOwnFile(List.of(span("a")));
      assertThat(directory.resolve("traces").toFile().list()).containsExactly("host-1.jsonl");
    }
  }

  @Test
  void closedAndUsedAgain_appends() throws Exception {
    try (Run run = Run.alone(directory, 10, 10)) {
      run.delivery.toOwnFile(List.of(span("a")));
      run.delivery.close();
      run.delivery.close();
      run.delivery.toOwnFile(List.of(span("b")));
      run.delivery.close();
      assertThat(run.namesIn(run.ownFile())).containsExactly("a", "b");
    }
  }

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

  private static String refusingEndpoint() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "http://127.0.0.1:" + socket.getLocalPort();
    }
  }

  /** A receiver that is busy until it may answer. */
  private static HttpServer answering(AtomicBoolean answers) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(answers.get() ? 200 : 503, -1);
          exchange.close();
        });
    server.start();
    return server;
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

  // ---- nowhere to write

  @Test
  void ownFileThatTakesNothingAfterADelivery_leavesTheBatchToBeHeldBack() throws Exception {
    try (Run run = Run.driver(directory);
        Stderr stderr = new Stderr()) {
      assertThat(run.delivery.deliver(List.of(span("a")), () -> {}).delivered()).hasSize(1);
      run.rendezvous.close();
      Files.createDirectory(run.ownFile().toPath());
      assertThat(run.delivery.deliver(List.of(span("b")), () -> {}).held()).hasSize(1);
      assertThat(run.delivery.deliver(List.of(span("b")), () -> {}).held()).hasSize(1);
      assertThat(run.delivery.isOff()).isFalse();
      assertThat(stderr.lines()).singleElement().asString().contains("they wait");
      Files.delete(run.ownFile().toPath());
      assertThat(run.delivery.deliver(List.of(span("b")), () -> {}).kept()).hasSize(1);
      assertThat(run.namesIn(run.ownFile())).containsExactly("b");
    }
  }

  @Test
  void batchThatNobodyTakes_isTheFirstOfTheNextRound() throws Exception {
    try (Run run = Run.driver(directory);
        Stderr stderr = new Stderr()) {
      run.delivery.deliver(List.of(span("a")), () -> {});
      run.rendezvous.close();
      Files.createDirectory(run.ownFile().toPath());
      run.end("b", "c");
      run.queue.getAsLong();
      run.end("d");
      Files.delete(run.ownFile().toPath());
      run.queue.forceFlush();
      run.queue.getAsLong();
      assertThat(run.namesIn(run.ownFile())).containsExactly("b", "c", "d");
      assertThat(run.account.spans()).contains(" 0 dropped");
      assertThat(stderr.lines()).hasSize(1);
    }
  }

  @Test
  void directoryThatCannotBeWritten_turnsTracingOffWithOneLine() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "not a directory");
    try (Run run = Run.alone(file, 10, 10);
        Stderr stderr = new Stderr()) {
      assertThat(run.delivery.isOff()).isFalse();
      assertThat(run.delivery.deliver(List.of(span("a")), () -> {}).lost()).hasSize(1);
      assertThat(run.delivery.isOff()).isTrue();
      assertThat(run.delivery.deliver(List.of(span("b")), () -> {}).lost()).hasSize(1);
      assertThat(run.delivery.toOwnFile(List.of(span("c"))).lost()).hasSize(1);
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .startsWith("[roll-otel] tracing is off until ")
          .contains(new File(file.toFile(), "traces/host-1.jsonl").toString());
    }
    assertThat(file).hasContent("not a directory");
  }

  @Test
  void spansAfterTracingIsOff_areCountedAndToldOnceAtTheEnd() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "not a directory");
    try (Run run = Run.alone(file, 7, 7);
        Stderr stderr = new Stderr()) {
      run.end("1", "2", "3", "4");
      run.queue.getAsLong();
      assertThat(stderr.lines()).hasSize(1);
      run.end("5");
      run.queue.start();
      run.queue.close(Run.inSeconds(10), true);
      assertThat(stderr.lines()).hasSize(2).last().asString().contains("5 spans were dropped");
      assertThat(run.account.spans()).isEqualTo("0 spans exported, 5 dropped");
    }
  }

  @Test
  void spanThatCannotBeEncoded_costsNoOther() throws Exception {
    SpanData bad =
        (SpanData)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {SpanData.class},
                (proxy, method, arguments) -> {
                  throw new IllegalStateException("no such span");
                });
    try (Run run = Run.alone(directory, 10, 10);
        Stderr stderr = new Stderr()) {
      Outcome outcome = run.delivery.toOwnFile(List.of(span("a"), bad, span("b"), span("c")));
      assertThat(outcome.kept()).hasSize(3);
      assertThat(outcome.lost()).hasSize(1);
      assertThat(run.namesIn(run.ownFile())).containsExactly("a", "b", "c");
      assertThat(stderr.lines()).singleElement().asString().contains("cannot be encoded");
    }
  }

  /**
   * As if a class had first been used in a full heap. The spans of the batch are not tried one by
   * one.
   */
  @Test
  void fileWhoseClassesAreLost_losesTheBatchAtOnce() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    OwnSpanFile file =
        new OwnSpanFile(
            directory.resolve("own.jsonl").toFile(),
            () -> {
              if (asked.incrementAndGet() % 2 == 0) {
                throw new NoClassDefFoundError("Could not initialize class acme.File");
              }
              return RunBytes.UNLIMITED;
            },
            false,
            List::of);
    try (Stderr stderr = new Stderr()) {
      List<SpanData> batch = Collections.nCopies(100, span("a"));
      assertThat(file.append(batch).lost()).hasSize(100);
      assertThat(asked).hasValue(2);
      assertThat(stderr.lines()).singleElement().asString().contains("spans cannot be kept in ");
      file.mayWait();
      assertThat(file.append(batch).held()).hasSize(100);
    }
  }

  /** The worker's own file, and the file of the driver's collector. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void directoryDeletedUnderTheRun_isMadeAgainAndThatIsSaid(boolean isDriver) throws Exception {
    try (Run run = isDriver ? Run.driver(directory) : Run.alone(directory, 10, 10);
        Stderr stderr = new Stderr()) {
      run.delivery.deliver(List.of(span("a")), () -> {});
      Path traces = directory.resolve("traces");
      assertThat(run.namesIn(traces.toFile())).containsExactly("a");
      deleteWhileItIsWritten(traces);
      run.delivery.deliver(List.of(span("b")), () -> {});
      run.delivery.deliver(List.of(span("c")), () -> {});
      assertThat(run.namesIn(traces.toFile())).containsExactly("b", "c");
      List<String> said = isDriver ? run.lines : stderr.lines();
      assertThat(said).filteredOn(line -> line.contains("was deleted")).hasSize(1);
    }
  }

  /**
   * A driver may put a file there between the deletion of the last one and that of the directory.
   */
  private static void deleteWhileItIsWritten(Path directory) throws IOException {
    while (Files.exists(directory)) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      } catch (DirectoryNotEmptyException e) {
        // once more
      }
    }
  }

  @Test
  void batchLargerThanARequest_doesNotTurnTracingOff() {
    SpanData large =
        TestSpanData.builder()
            .setName("large")
            .setSpanContext(context())
            .setKind(SpanKind.INTERNAL)
            .setStartEpochNanos(1)
            .setEndEpochNanos(2)
            .setHasEnded(true)
            .setStatus(StatusData.unset())
            .setAttributes(Attributes.of(AttributeKey.stringKey("text"), "x".repeat(65 << 20)))
            .build();
    try (Run run = Run.alone(directory, 10, 10);
        Stderr stderr = new Stderr()) {
      run.delivery.toOwnFile(List.of(large));
      assertThat(run.delivery.isOff()).isFalse();
      assertThat(stderr.lines()).hasSize(1);
    }
  }

  // ----

  private static SpanContext context() {
    return SpanContext.create(
        IDS.generateTraceId(),
        IDS.generateSpanId(),
        TraceFlags.getSampled(),
        TraceState.getDefault());
  }

  private static SpanData span(String name) {
    return TestSpanData.builder()
        .setName(name)
        .setSpanContext(context())
        .setParentSpanContext(context())
        .setKind(SpanKind.INTERNAL)
        .setStartEpochNanos(1_000_000_001L)
        .setEndEpochNanos(1_000_000_002L)
        .setHasEnded(true)
        .setStatus(StatusData.error())
        .setAttributes(Attributes.of(AttributeKey.longKey("step"), 7L))
        .setInstrumentationScopeInfo(InstrumentationScopeInfo.create("worker"))
        .setResource(Resource.empty())
        .build();
  }
}
