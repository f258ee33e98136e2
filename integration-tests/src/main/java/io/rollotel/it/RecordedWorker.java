package io.rollotel.it;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.rollotel.annotations.Register;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * What the flight recorder is for: spans under load, a span that stays open, workers that wait for
 * each other. Says {@code = ready} and runs until its input ends.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class RecordedWorker {

  private static final int THREADS = 8;
  private static final long MOST_BEHIND_NANOS = 20_000_000;
  private static final Object FIRST = new Object();
  private static final Object SECOND = new Object();
  private static final CountDownLatch UNDER_LOAD = new CountDownLatch(THREADS);
  private static final CountDownLatch BOTH_LOCKED = new CountDownLatch(2);

  private RecordedWorker() {}

  /** Takes what to do, and its argument. */
  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "load" -> load(Integer.parseInt(arguments[1]), Path.of(arguments[2]));
      case "outer" -> daemon(() -> outer(Integer.parseInt(arguments[1])));
      case "exit" -> exit();
      case "virtual" ->
          Thread.class
              .getMethod("startVirtualThread", Runnable.class) // compiled for Java 17
              .invoke(null, (Runnable) () -> outer(1));
      case "deadlock" -> {
        daemon(() -> left());
        daemon(() -> right());
        BOTH_LOCKED.await();
        System.out.println("= ready");
      }
      default -> {
        inner();
        System.out.println("= ready");
      }
    }
    System.in.read();
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
  }

  /** Threads that write the id of each span into a mapped file as soon as it has started. */
  private static void load(int spansPerSecond, Path truth) throws Exception {
    try (FileChannel channel =
        FileChannel.open(
            truth, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long bytesEach = 8L * 1_000_000;
      for (int i = 0; i < THREADS; i++) {
        LongBuffer started =
            channel.map(FileChannel.MapMode.READ_WRITE, i * bytesEach, bytesEach).asLongBuffer();
        daemon(() -> steady(spansPerSecond / THREADS, started));
      }
    }
    UNDER_LOAD.await();
    System.out.println("= ready");
  }

  /** A third of the spans are made by hand, and as many lie inside another. */
  private static void steady(int spansPerSecond, LongBuffer started) {
    Tracer tracer = GlobalOpenTelemetry.getTracer("by hand");
    long lastNanos = System.nanoTime();
    while (started.remaining() > spansPerSecond) {
      LockSupport.parkNanos(1_000_000);
      // No more than the rate, also after a time in which the machine did not let it run.
      long now = System.nanoTime();
      long due = Math.min(now - lastNanos, MOST_BEHIND_NANOS) / 1_000 * spansPerSecond / 1_000_000;
      lastNanos = now;
      for (long i = 0; i < due; i += 3) {
        work(tracer, started);
        UNDER_LOAD.countDown();
      }
    }
  }

  private static void note(LongBuffer started, Span span) {
    started.put(Long.parseUnsignedLong(span.getSpanContext().getSpanId(), 16));
  }

  @Register(trace = true)
  private static void work(Tracer tracer, LongBuffer started) {
    note(started, Span.current());
    below(started);
    Span byHand = tracer.spanBuilder("by hand").startSpan();
    note(started, byHand);
    byHand.end();
  }

  @Register(trace = true)
  private static void below(LongBuffer started) {
    note(started, Span.current());
  }

  @Register(trace = true)
  private static void outer(int spans) {
    for (int i = 0; i < spans; i++) {
      inner();
    }
    System.out.println("= ready");
    hold();
  }

  /** Like a program that exits inside a span. */
  @Register(trace = true)
  private static void exit() {
    inner();
    System.out.println("= ready");
    System.exit(0);
  }

  /** For as long as the JVM lives. */
  private static void hold() {
    while (true) {
      LockSupport.park();
    }
  }

  @Register(trace = true)
  private static void inner() {}

  @Register(trace = true)
  private static void left() {
    lockBoth(FIRST, SECOND);
  }

  @Register(trace = true)
  private static void right() {
    lockBoth(SECOND, FIRST);
  }

  private static void lockBoth(Object one, Object other) {
    synchronized (one) {
      BOTH_LOCKED.countDown();
      try {
        BOTH_LOCKED.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      synchronized (other) {
        inner();
      }
    }
  }
}
