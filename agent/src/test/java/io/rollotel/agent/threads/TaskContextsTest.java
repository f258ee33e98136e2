package io.rollotel.agent.threads;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.api.TestTracings;
import io.rollotel.agent.api.Tracing;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class TaskContextsTest {

  private static final int THREADS = 4;
  private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(700);

  private final ThreadLocal<Object> current = new ThreadLocal<>();
  private final Tracing tracing =
      (Tracing)
          Proxy.newProxyInstance(
              Tracing.class.getClassLoader(),
              new Class<?>[] {Tracing.class},
              (proxy, method, arguments) -> {
                switch (method.getName()) {
                  case "makeCurrent" -> current.set(arguments[0]);
                  case "leave" -> current.set(arguments[1]);
                  case "currentContext" -> {
                    return current.get();
                  }
                  default -> throw new AssertionError(method);
                }
                return "scope";
              });

  private final TaskContexts contexts = new TaskContexts(TestTracings.of(tracing));
  private final AtomicReference<Object> handedOver = new AtomicReference<>();
  private final AtomicInteger lost = new AtomicInteger();
  private final AtomicInteger begun = new AtomicInteger();

  /**
   * Few contexts exist at a time. Half of the threads run their own tasks at once, the others each
   * other's. A count that is not atomic loses some of them within this time; the map's own count
   * does so too rarely to show on two processors.
   */
  @Test
  void tasksOfManyThreads_keepTheirContexts() throws InterruptedException {
    long startNanos = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      boolean runsItsOwn = i % 2 == 0;
      Thread thread =
          new Thread(
              () -> {
                while (System.nanoTime() - startNanos < NANOS) {
                  Object task = handOver();
                  Object next = runsItsOwn ? task : handedOver.getAndSet(task);
                  if (next != null) {
                    begin(next);
                  }
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(begun).hasPositiveValue();
    assertThat(lost).as("of " + begun).hasValue(0);
  }

  /** A task whose context is the task itself. */
  private Object handOver() {
    Object task = new Object();
    current.set(task);
    contexts.handOver(task);
    current.remove();
    return task;
  }

  private void begin(Object task) {
    begun.incrementAndGet();
    Object entered = contexts.begin(task);
    if (entered == null || current.get() != task) {
      lost.incrementAndGet();
    }
    if (entered != null) {
      ((Runnable) entered).run();
    }
  }
}
