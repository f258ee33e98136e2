package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.testing.trace.TestSpanData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.sdk.Run;
import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.otlp.Span;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The process's own file, which takes what nobody else does. */
class OwnFileTest extends FallbackExporterFixture {

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
}
