package io.rollotel.it;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many threads at once, under the shipped jar. */
class ThreadsIT {

  private @TempDir Path directory;

  @Test
  void payloadSentByThreeThreadsWhileAFourthSerialisesIt_arrivesWithTheContextOfOne()
      throws Exception {
    Result result = ProgramRun.of(directory, SharedPayloadWorker.class).run().isClean();

    assertThat(result.lines())
        .containsExactly(
            "ConcurrentHashMap sent more often than received true",
            "synchronized HashMap sent more often than received true",
            "guarded HashMap sent more often than received true");
    Map<Object, List<Span>> byMap =
        result.spans().stream().collect(groupingBy(span -> span.attributes().get("map")));
    assertThat(byMap)
        .hasSize(3)
        .allSatisfy(
            (map, spans) -> {
              List<String> senders =
                  spans.stream()
                      .filter(span -> span.name().equals("worker.sender"))
                      .map(Span::spanId)
                      .toList();
              assertThat(senders).hasSize(3);
              assertThat(spans.stream().filter(span -> span.name().equals("worker.receive")))
                  .hasSize(500)
                  .allSatisfy(
                      span -> {
                        assertThat(span.traceId()).isEqualTo(Payload.TRACE_ID);
                        assertThat(span.parentSpanId()).isIn(senders);
                        assertThat(span.attributes()).containsKey("roll.queue_ns");
                      });
            });
  }

  @Test
  void tenThousandCallsOnSixtyFourThreads_allArriveWithTheRightParentAndLeaveNothing()
      throws Exception {
    Result result =
        ProgramRun.of(directory, ManyThreadsWorker.class)
            .openTelemetry(System.getProperty("opentelemetry.newest"), false)
            .run()
            .isClean();

    assertThat(result.lines()).containsExactly("left behind 0");
    int calls = ManyThreadsWorker.THREADS * ManyThreadsWorker.ROUNDS;
    assertThat(calls).isGreaterThanOrEqualTo(10_000);
    List<Span> spans = result.spans();
    Map<Long, Span> trains =
        spans.stream()
            .filter(span -> span.name().equals("worker.train"))
            .collect(toMap(ThreadsIT::call, span -> span));
    assertThat(trains).hasSize(calls);
    trains.forEach(
        (call, span) -> {
          assertThat(span.traceId()).isEqualTo(String.format("%032x", call + 1));
          assertThat(span.parentSpanId()).isEqualTo(String.format("%016x", call + 1));
        });
    Map<Long, Span> scores =
        spans.stream()
            .filter(span -> span.name().equals("worker.score"))
            .collect(toMap(ThreadsIT::call, span -> span));
    assertThat(scores).hasSize(calls / 2);
    scores.forEach(
        (call, span) -> {
          assertThat(span.traceId()).isEqualTo(trains.get(call).traceId());
          assertThat(span.parentSpanId()).isEqualTo(trains.get(call).spanId());
        });
  }

  private static long call(Span span) {
    return (Long) span.attributes().get("call");
  }
}
