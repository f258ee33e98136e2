package io.rollotel.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Any calls in any order from any threads leave consistent records. */
class RunSequencesTest extends SdkFixture {

  private static final int THREADS = 8;
  private static final int SEQUENCES = 10_000;
  private static final int OPEN_AT_MOST = 64;
  private static final long SEED = 4_711;

  private final RunTelemetry runs = RunTelemetry.builder().maxOpenRuns(OPEN_AT_MOST).build();
  private final Set<Run> started = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedDeque<RunStep> lost = new ConcurrentLinkedDeque<>();
  private final AtomicInteger mostOpen = new AtomicInteger();

  @Test
  void randomSequencesFromManyThreads_leaveWholeRuns() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (Stderr stderr = new Stderr()) {
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        int number = thread;
        all.add(
            threads.submit(
                () -> {
                  Random random = new Random(SEED + number);
                  for (int i = 0; i < SEQUENCES / THREADS; i++) {
                    sequence(random);
                  }
                }));
      }
      for (Future<?> one : all) {
        one.get(); // throws what was thrown
      }
      runs.close();
      assertThat(stderr.lines()).as("each kind of trouble once").hasSizeLessThan(15);
    } finally {
      threads.shutdown();
    }

    List<SpanData> spans = exporter.getFinishedSpanItems();
    Map<String, SpanData> roots =
        spans.stream()
            .filter(span -> span.getName().equals("rlm.run"))
            .collect(Collectors.toMap(SpanData::getSpanId, span -> span));
    assertThat(roots.values().stream().map(SpanData::getTraceId))
        .as("each started run has one root")
        .containsExactlyInAnyOrderElementsOf(
            started.stream().map(run -> run.traceId().orElseThrow()).toList());
    AttributeKey<String> runId = AttributeKey.stringKey("rlm.run_id");
    Set<String> ids = new HashSet<>();
    assertThat(spans.stream().filter(span -> span.getName().equals("rlm.step")))
        .hasSizeGreaterThan(SEQUENCES)
        .allSatisfy(
            step -> {
              SpanData root = roots.get(step.getParentSpanId());
              assertThat(root).as("its parent").isNotNull();
              assertThat(step.getTraceId()).isEqualTo(root.getTraceId());
              assertThat(step.getAttributes().get(runId))
                  .isEqualTo(root.getAttributes().get(runId));
              assertThat(ids.add(step.getSpanId())).as("ended once").isTrue();
            });
    assertThat(runs.openRuns()).isZero();
    assertThat(mostOpen.get()).as("memory").isLessThanOrEqualTo(OPEN_AT_MOST + THREADS);
  }

  /** A run's life as no program would write it; the thread has nothing current afterwards. */
  private void sequence(Random random) {
    String id = "run " + random.nextInt(3 * OPEN_AT_MOST);
    List<RunStep> mine = new ArrayList<>();
    for (int events = random.nextInt(20); events >= 0; events--) {
      switch (random.nextInt(12)) {
        case 0, 1 -> start(random.nextInt(20) == 0 ? null : id);
        case 2 -> runs.runEnded(id, random.nextBoolean(), text(random), text(random));
        case 3, 4, 5, 6 -> mine.add(runs.step(id, random.nextInt(), text(random)));
        case 7 -> {
          if (!mine.isEmpty()) {
            mine.remove(random.nextInt(mine.size())).close();
          }
        }
        case 8 -> {
          RunStep another = lost.poll();
          if (another != null) {
            another.reward(random.nextDouble()).close();
          }
        }
        case 9 -> {
          if (!mine.isEmpty()) {
            tell(mine.get(random.nextInt(mine.size())), random);
          }
        }
        case 10 -> {
          try (RunStep inside = runs.run(id).step(0, "inside")) {
            tell(inside, random);
          }
        }
        default -> runs.status();
      }
      mostOpen.accumulateAndGet(runs.openRuns(), Math::max);
    }
    if (random.nextInt(10) == 0 && !mine.isEmpty()) {
      lost.add(mine.remove(0));
    }
    for (RunStep step : mine) {
      step.close();
    }
    // Like a pool's thread between tasks: a step that was taken to another thread stays current
    // here.
    Context.root().makeCurrent();
  }

  /** A run that was already open is the one that its starter added. */
  private void start(String id) {
    Run run = runs.runStarted(id, "task", "here");
    if (id != null) {
      started.add(run);
    }
  }

  private static void tell(RunStep step, Random random) {
    switch (random.nextInt(6)) {
      case 0 -> step.reward(random.nextBoolean() ? Double.NaN : random.nextGaussian());
      case 1 -> step.code(text(random));
      case 2 -> step.output(text(random));
      case 3 -> step.success();
      case 4 -> step.error(text(random));
      default -> step.cumulativeReward(random.nextGaussian());
    }
  }

  private static String text(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> null;
      case 1 -> "";
      case 2 -> "\uD83D".repeat(random.nextInt(3_000));
      default -> "text";
    };
  }
}
