package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.trace.ReadableSpan;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class EndedSpansTest {

  /** More than there are stripes, so that some share one. */
  private static final int THREADS = 20;

  private volatile long nowNanos;

  private final EndedSpans spans =
      new EndedSpans() {
        @Override
        long epochNanos() {
          return nowNanos;
        }
      };

  @ParameterizedTest
  @CsvSource({"1, 1, 1", "127, 2048, 1", "2048, 2048, 32", "262144, 64, 1", "262144, 512, 8"})
  void smallQueueOrBatch_isCountedInSmallBlocks(int capacity, int batchSize, int block) {
    spans.configure(capacity, batchSize);
    assertThat(spans.block()).isEqualTo(block);
  }

  @Test
  void spansOfAThread_areTakenInTheOrderOfTheirEnds() {
    List<ReadableSpan> ended = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      ReadableSpan span = span();
      ended.add(span);
      spans.add(span);
      if (i % 30 == 0) {
        spans.collect();
      }
    }
    assertThat(takeAll()).isEqualTo(ended);
    assertThat(spans.size()).isZero();
    assertThat(spans.isBelow(1)).isTrue();
  }

  @Test
  void spansOfSeveralThreads_areCollectedInTheOrderOfTheirEnds() throws Exception {
    Random random = new Random(5);
    List<ReadableSpan> ended = new ArrayList<>();
    ExecutorService[] threads = threads();
    for (int i = 0; i < 1_000; i++) {
      ReadableSpan span = span();
      ended.add(span);
      nowNanos++;
      threads[random.nextInt(THREADS)].submit(() -> spans.add(span)).get();
      if (random.nextInt(100) == 0) {
        spans.collect();
      }
    }
    assertThat(takeAll()).isEqualTo(ended);
    List.of(threads).forEach(ExecutorService::shutdown);
  }

  @Test
  void everyBlockOfSpans_isToldOnce() {
    spans.configure(2_048, 2_048);
    List<Integer> told = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      int waiting = spans.add(span());
      if (waiting != 0) {
        told.add(waiting);
      }
    }
    assertThat(told).containsExactly(32, 64, 96, 128);
    assertThat(spans.size()).isEqualTo(100);
    assertThat(spans.isBelow(101)).isTrue();
    assertThat(spans.isBelow(100)).isFalse();
  }

  /** Random steps on the threads in turn, beside a simple model. */
  @Test
  void anyOrderOfSteps_losesNothingAndKnowsTheSize() throws Exception {
    Random random = new Random(7);
    ExecutorService[] threads = threads();
    Map<ReadableSpan, Integer> threadOf = new HashMap<>();
    List<Deque<ReadableSpan>> model = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      model.add(new ArrayDeque<>());
    }
    int size = 0;
    for (int step = 0; step < 5_000; step++) {
      nowNanos = random.nextInt(100); // a clock that jumps
      switch (random.nextInt(10)) {
        case 0 -> spans.collect();
        case 1, 2 -> {
          EndedSpans.Node oldest = spans.oldest();
          if (oldest != null) {
            spans.removeOldest();
            spans.settle();
            size--;
            assertThat(oldest.span)
                .as("the oldest of its thread")
                .isSameAs(model.get(threadOf.get(oldest.span)).poll());
          }
        }
        default -> {
          int thread = random.nextInt(THREADS);
          ReadableSpan span = span();
          threadOf.put(span, thread);
          model.get(thread).add(span);
          threads[thread].submit(() -> spans.add(span)).get();
          size++;
        }
      }
      assertThat(spans.size()).isEqualTo(size);
      assertThat(spans.isBelow(size)).isFalse();
      assertThat(spans.isBelow(size + 1)).isTrue();
      assertThat(spans.isBelow(size + 8_192)).isTrue();
    }
    List.of(threads).forEach(ExecutorService::shutdown);
    assertThat(takeAll()).hasSize(size);
  }

  @Test
  void threadsAtOnce_loseNothingWhileSpansAreTaken() throws Exception {
    int each = 20_000;
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    CountDownLatch begin = new CountDownLatch(1);
    List<Future<List<ReadableSpan>>> added = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      added.add(
          threads.submit(
              () -> {
                begin.await();
                List<ReadableSpan> mine = new ArrayList<>();
                for (int span = 0; span < each; span++) {
                  mine.add(span());
                  spans.add(mine.get(span));
                }
                return mine;
              }));
    }
    threads.shutdown();
    begin.countDown();
    List<ReadableSpan> taken = new ArrayList<>();
    while (!threads.isTerminated()) {
      taken.addAll(takeAll());
    }
    taken.addAll(takeAll());
    Map<ReadableSpan, Integer> placeOf = new HashMap<>();
    for (ReadableSpan span : taken) {
      placeOf.put(span, placeOf.size());
    }
    assertThat(placeOf).as("none twice").hasSameSizeAs(taken).hasSize(THREADS * each);
    for (Future<List<ReadableSpan>> mine : added) {
      assertThat(mine.get()).extracting(placeOf::get).isSorted();
    }
    assertThat(spans.size()).isZero();
  }

  private static ExecutorService[] threads() {
    ExecutorService[] threads = new ExecutorService[THREADS];
    Arrays.setAll(threads, i -> Executors.newSingleThreadExecutor());
    return threads;
  }

  private List<ReadableSpan> takeAll() {
    spans.collect();
    List<ReadableSpan> taken = new ArrayList<>();
    for (EndedSpans.Node oldest = spans.oldest(); oldest != null; oldest = spans.oldest()) {
      taken.add(oldest.span);
      spans.removeOldest();
    }
    spans.settle();
    return taken;
  }

  /** Equal to itself only. */
  private static ReadableSpan span() {
    return (ReadableSpan)
        Proxy.newProxyInstance(
            ReadableSpan.class.getClassLoader(),
            new Class<?>[] {ReadableSpan.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> System.identityHashCode(proxy);
                  default -> throw new IllegalStateException(method.getName());
                });
  }
}
