package io.rollotel.it;

import io.rollotel.annotations.Register;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes this many traced calls a second, whatever happens, or all at once if the second argument is
 * {@code burst}. Answers each line of its input with the number of calls so far, and makes no more
 * after {@code stop}.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class SteadyWorker {

  private static final AtomicLong MADE = new AtomicLong();
  private static volatile boolean stopped;

  private SteadyWorker() {}

  /** Runs until its input ends. */
  public static void main(String[] arguments) throws Exception {
    int calls = Integer.parseInt(arguments[0]);
    if (arguments.length > 1) {
      while (MADE.get() < calls) {
        train();
      }
      System.out.println("= " + MADE);
      return;
    }
    Thread steady = new Thread(() -> steady(calls));
    steady.setDaemon(true);
    steady.start();
    System.out.println("= ready");
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.equals("stop")) {
        stopped = true;
        steady.join();
      }
      System.out.println("= " + MADE);
    }
  }

  private static void steady(int callsPerSecond) {
    long startNanos = System.nanoTime();
    while (!stopped) {
      long due = (System.nanoTime() - startNanos) / 1_000 * callsPerSecond / 1_000_000;
      while (MADE.get() < due) {
        train();
      }
      try {
        Thread.sleep(2);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Register(trace = true)
  private static void train() {
    MADE.incrementAndGet();
  }
}
