package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Cases;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random runs in which workers call workers: calls of all kinds, in pairs of spans and without,
 * behind retries and spans for each rank. The fan-outs are those of the definition.
 */
class FanOutForestTest {

  private final Planted planted = new Planted();

  static LongStream seeds() {
    return LongStream.range(0, Cases.of(1000));
  }

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("seeds")
  void fanOuts_areThoseOfTheOracle(long seed) {
    Forest forest = calls(seed);
    assertThat(FanOutOracle.found(forest.run)).isEqualTo(new FanOutOracle(forest).totals());
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void fanOutsOfChance_areThoseOfTheOracle(long seed) {
    Forest forest = Forest.random(seed);
    assertThat(FanOutOracle.found(forest.run)).isEqualTo(new FanOutOracle(forest).totals());
  }

  @Test
  void retryOnAnotherWorker_staysInTheFanOutOfItsStep() {
    long root = planted.span(1, 0, "pipeline_step", "driver", 0, 200);
    for (int rank = 0; rank < 3; rank++) {
      long call = planted.span(1, root, "call", "driver", 0, rank == 2 ? 190 : 100 + rank);
      if (rank == 2) {
        planted.span(1, call, "generate", "w2", 0, 60, "failure", "lost");
        planted.span(1, call, "generate", "w3", 70, 190);
      } else {
        planted.span(1, call, "generate", "w" + rank, 0, 100 + rank);
      }
    }
    FanOuts.Totals generate = planted.analysis().fanOuts().get(0);
    assertThat(generate.fanOuts()).isEqualTo(1);
    assertThat(generate.costNanos()).isEqualTo(190 - 101);
    assertThat(generate.worst().processes()).isEqualTo(4);
  }

  /** One or two steps of calls to some of four workers, who call some of three others. */
  private Forest calls(long seed) {
    Random random = new Random(seed);
    int at = 0;
    for (int step = 1; step <= 1 + random.nextInt(2); step++) {
      int to = at + 40 + random.nextInt(70);
      long root = planted.span(step, 0, "pipeline_step", "driver", at, to);
      fanOut(random, step, root, "driver", "generate", "w", at, to);
      if (random.nextBoolean()) {
        fanOut(random, step, root, "driver", "train", "w", at, to);
      }
      at = to + random.nextInt(5);
    }
    return Forest.of(planted, random);
  }

  private void fanOut(
      Random random, int trace, long parent, String by, String name, String to, int from, int end) {
    boolean isGrouped = random.nextInt(3) == 0;
    int calls = 1 + random.nextInt(5);
    for (int i = 0; i < calls; i++) {
      int start = from + random.nextInt(Math.max(1, (end - from) / 2));
      int last = Math.min(Forest.LENGTH, start + random.nextInt(Math.max(1, end - start + 3)));
      long above = isGrouped ? planted.span(trace, parent, "rank", by, start, last) : parent;
      int tries = random.nextInt(4) == 0 ? 2 : 1;
      for (int attempt = 0; attempt < tries; attempt++) {
        int begin = start + attempt * (last - start) / tries;
        int stop = start + (attempt + 1) * (last - start) / tries;
        long caller = tries == 1 ? above : planted.span(trace, above, "attempt", by, begin, stop);
        String worker = random.nextInt(8) == 0 ? by : to + random.nextInt(4);
        call(random, trace, caller, by, worker, name, begin, stop);
      }
    }
  }

  /** A call as a span of its worker alone, or as a pair of spans with the work below. */
  private void call(
      Random random,
      int trace,
      long caller,
      String by,
      String worker,
      String name,
      int from,
      int to) {
    int kind = random.nextInt(3);
    long execution = caller;
    if (kind != 0) {
      boolean isSync = kind == 1;
      int sent = isSync ? to : Math.min(to, from + random.nextInt(3));
      long call =
          planted.span(
              trace,
              caller,
              name + " send",
              by,
              from,
              sent,
              "kind",
              isSync ? Span.CLIENT : Span.PRODUCER);
      int receiver = isSync ? Span.SERVER : Span.CONSUMER;
      execution = planted.span(trace, call, name + " receive", worker, from, to, "kind", receiver);
    }
    long work = planted.span(trace, execution, name, worker, from, to);
    if (kind != 0 && random.nextInt(5) == 0) {
      planted.span(trace, execution, "more", worker, from, from + (to - from) / 2);
    }
    if (worker.startsWith("w") && random.nextInt(2) == 0 && to > from) {
      List<String> names = List.of("reward", "generate", "env");
      fanOut(random, trace, work, worker, names.get(random.nextInt(3)), "x", from, to);
    }
  }
}
