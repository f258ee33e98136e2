package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Cases;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random programs are run twice: as they are, and with other durations of some calls. The replay of
 * the first run with these durations must take as long as the second, to the nanosecond.
 */
class SavingsTest {

  private static final int WORKERS = 4;

  static LongStream seeds() {
    return LongStream.range(0, Cases.of(1000));
  }

  /** A driver that calls workers, each of which executes one call at a time. */
  private static final class Program {
    final Planted planted = new Planted();
    final long[] free = new long[WORKERS];
    final Map<Long, Long> nanosById;
    Random random = new Random();
    long id = 1;

    /** With other durations for some spans. */
    Program(Map<Long, Long> nanosById) {
      this.nanosById = nanosById;
    }

    RunAnalysis run(long seed) {
      random = new Random(seed);
      long now = 0;
      int steps = 1 + random.nextInt(3);
      for (int step = 1; step <= steps; step++) {
        now = step(step, now) + random.nextInt(50);
      }
      return planted.analysis();
    }

    long step(int trace, long from) {
      long root = id++;
      long now = from + random.nextInt(30);
      int phases = random.nextInt(5);
      for (int phase = 0; phase < phases; phase++) {
        now = phase(trace, root, "phase" + phase, now, 2) + random.nextInt(30);
      }
      planted.span(trace, root, 0, "pipeline_step", "driver", from, now);
      return now;
    }

    /** Sends some calls, waits for all of them; or does the same in phases of its own. */
    long phase(int trace, long parent, String name, long from, int depth) {
      long span = id++;
      long now = from + random.nextInt(20);
      if (depth > 0 && random.nextInt(3) == 0) {
        int inner = 1 + random.nextInt(3);
        for (int i = 0; i < inner; i++) {
          now = phase(trace, span, name + i, now, depth - 1) + random.nextInt(20);
        }
      } else {
        int way = random.nextInt(3);
        int calls = 1 + random.nextInt(6);
        long end = now;
        for (int i = 0; i < calls; i++) {
          now += 1 + random.nextInt(3);
          end = Math.max(end, call(way, trace, span, name + "-call", random.nextInt(WORKERS), now));
        }
        now = end + random.nextInt(20);
      }
      planted.span(trace, span, parent, name, "driver", from, now);
      return now;
    }

    /** Gives the moment at which its answer is there. */
    long call(int way, int trace, long parent, String name, int worker, long sent) {
      int network = random.nextInt(3);
      long work = id + 2; // the ids are the same, however the call is sent
      long nanos = nanosById.getOrDefault(work, 100L + random.nextInt(400));
      long from = Math.max(sent + network, free[worker]);
      long end = from + nanos;
      free[worker] = end;
      String process = "w" + worker;
      long back = end;
      if (way == 0) {
        planted.span(trace, work, parent, name, process, from, end, "roll.queue_ns", from - sent);
      } else {
        boolean waits = way == 1;
        back += waits ? 2 : 0;
        planted.span(
            trace,
            id,
            parent,
            "send",
            "driver",
            waits ? sent - 1 : sent,
            waits ? back : sent,
            "kind",
            waits ? Span.CLIENT : Span.PRODUCER);
        if (waits) {
          planted.span(
              trace,
              work,
              id,
              name,
              process,
              from,
              end,
              "kind",
              Span.SERVER,
              "roll.queue_ns",
              from - sent);
        } else {
          planted.span(trace, work, id, name, process, from, end, "kind", Span.CONSUMER);
        }
      }
      id += 3;
      return back;
    }
  }

  private static Savings savings(RunAnalysis run) {
    Spans spans = run.spans();
    SpanTree tree = run.tree();
    StepUnits units = new StepUnits(spans, tree, run.shape(), run.run(), RunAnalysis.PIPELINE_STEP);
    SpanTree waits = WaitTree.of(spans, tree, units);
    return new Savings(spans, tree, waits, units, run.steps(), tree.order());
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void replayWithOtherDurations_takesAsLongAsTheProgram(long seed) {
    RunAnalysis run = new Program(Map.of()).run(seed);
    Random random = new Random(seed);
    Map<Long, Long> other = new HashMap<>();
    for (int span : run.members()) {
      if (run.spans().nameOf(span).endsWith("-call") && random.nextInt(2) == 0) {
        other.put(run.spans().id(span), 100L + random.nextInt(400));
      }
    }
    StepReplay.Change change = (span, took) -> other.getOrDefault(run.spans().id(span), took);
    long[] saved = savings(run).nanos(List.of((span, took) -> took, change));
    assertThat(saved[0]).as("nothing changed").isZero();
    long wallNanos = new Program(other).run(seed).steps().wallNanos();
    assertThat(run.steps().wallNanos() - saved[1]).isEqualTo(wallNanos);
  }

  /** By the worker's clock, its calls begin up to 40 before the phase that sends them. */
  @ParameterizedTest
  @ValueSource(longs = {0, 3, 40})
  void callThatBeginsBeforeItsSender_movesWithIt(long behind) {
    Planted planted = new Planted();
    planted.span(1, 1, 0, "pipeline_step", "driver", 0, 2030);
    planted.span(1, 2, 1, "rollout", "driver", 10, 1010);
    planted.span(1, 3, 2, "generate", "w0", 15, 1005);
    planted.span(1, 4, 1, "train", "driver", 1020, 2020);
    planted.span(1, 5, 4, "update", "w0@gpu", 1020 - behind, 2015 - behind);
    RunAnalysis run = planted.analysisAsRecorded();
    StepReplay.Change change = (span, took) -> run.spans().id(span) == 3 ? took / 2 : took;
    assertThat(savings(run).nanos(List.of(change))).containsExactly(990 / 2);
  }
}
