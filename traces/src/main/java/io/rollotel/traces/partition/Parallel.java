package io.rollotel.traces.partition;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Work on several threads, which all end with it. */
final class Parallel {

  /** The work of a thread on a numbered item. */
  interface Task {
    void run(Iterable<Integer> numbers) throws IOException;
  }

  private Parallel() {}

  /**
   * Processes each number below the count, each in one thread.
   *
   * @throws IOException the exception of the first failed task, or if this thread was interrupted
   */
  static void run(int threads, int count, Task task) throws IOException {
    AtomicInteger next = new AtomicInteger();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Iterable<Integer> numbers =
        () ->
            new Iterator<>() {
              private int number = -1;

              @Override
              public boolean hasNext() {
                if (number < 0) {
                  number = failure.get() == null ? next.getAndIncrement() : count;
                }
                return number < count;
              }

              @Override
              public Integer next() {
                if (!hasNext()) {
                  throw new NoSuchElementException();
                }
                int taken = number;
                number = -1;
                return taken;
              }
            };
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < Math.min(threads, count); i++) {
      Runnable work =
          () -> {
            try {
              task.run(numbers);
            } catch (IOException | RuntimeException | Error e) {
              failure.compareAndSet(null, e);
            }
          };
      Thread thread = new Thread(work, "roll-otel-partitions-" + i);
      thread.setDaemon(true);
      thread.start();
      all.add(thread);
    }
    join(all, failure);
  }

  /** Waits for the threads, even if this one is interrupted: then they end soon. */
  static void join(List<Thread> threads, AtomicReference<@Nullable Throwable> failure)
      throws IOException {
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          failure.compareAndSet(null, new InterruptedIOException("interrupted"));
        }
      }
    }
    Throwable thrown = failure.get();
    if (thrown instanceof InterruptedIOException) {
      Thread.currentThread().interrupt();
    }
    if (thrown instanceof Error error) {
      throw error;
    } else if (thrown instanceof RuntimeException unexpected) {
      throw unexpected;
    } else if (thrown instanceof IOException e) {
      throw e;
    }
  }
}
