package io.rollotel.traces.collector;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates the collector's threads. They are numbered, and none keeps the JVM alive. */
final class DaemonThreads implements ThreadFactory {

  private static final int STACK_BYTES = 256 << 10;

  private final String name;
  private final AtomicInteger number = new AtomicInteger();

  DaemonThreads(String name) {
    this.name = name;
  }

  @Override
  public Thread newThread(Runnable task) {
    String numbered = "roll-otel-" + name + "-" + number.incrementAndGet();
    Thread thread = new Thread(null, task, numbered, STACK_BYTES, false);
    thread.setDaemon(true);
    // Not the application's class loader, which could then never be collected.
    thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
    return thread;
  }
}
