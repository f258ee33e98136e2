package io.rollotel.benchmarks;

import io.rollotel.annotations.Register;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Traced calls that are parked for a moment, five times each: with a profile that records each
 * park, many spans with a large recording. See {@code benchmarks/recording}.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class ManyParks {

  private static final int PARKS = 5;

  private ManyParks() {}

  /**
   * Makes the calls.
   *
   * @param arguments how many threads, and how many calls each makes
   */
  public static void main(String[] arguments) throws InterruptedException {
    call(1);
    Thread.sleep(2_000); // Flight Recorder begins with the first traced call
    int calls = Integer.parseInt(arguments[1]);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
      Thread thread = new Thread(() -> call(calls), "parks " + i);
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void call(int times) {
    for (int i = 0; i < times; i++) {
      park();
    }
  }

  @Register(trace = true)
  private static void park() {
    for (int i = 0; i < PARKS; i++) {
      LockSupport.parkNanos(1);
    }
  }
}
