package io.rollotel.agent.threads;

import io.rollotel.agent.api.Tracing;
import io.rollotel.agent.api.TracingCopies;
import io.rollotel.agent.background.WeakIdentity;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.loader.InnerLoader;
import io.rollotel.agent.transform.AnnotatedClassTransformer;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CompletableFuture.AsynchronousCompletionTask;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Which context a task takes along to the thread that runs it, in every copy of the OpenTelemetry
 * API. Behind {@code TaskHook}.
 *
 * <p>Tasks are not wrapped, because queues, rejection handlers and {@code remove} compare them. A
 * {@link FutureTask} contains its context ({@link CallInContext}); that of any other task is in a
 * table, as long as the task lives. If no context is current, nothing is stored or allocated. No
 * method here throws.
 */
final class TaskContexts {

  /** The current context of one copy of the API. */
  private record Captured(Tracing tracing, Object context, @Nullable Captured next) {}

  /**
   * The context made current in one copy: its scope, and the context before it. For {@code
   * TaskHook.end}.
   */
  private record Entered(
      Tracing tracing, Object scope, @Nullable Object before, @Nullable Entered next)
      implements Runnable {

    @Override
    public void run() {
      for (Entered one = this; one != null; one = one.next) {
        try {
          one.tracing.leave(one.scope, one.before);
        } catch (Throwable t) {
          TraceHook.failed(t);
        }
      }
    }
  }

  /** A task that is handed over several times at once, so the table cannot have its context. */
  private static final class Wrapped implements Runnable {

    private final Runnable task;
    private final Captured captured;

    Wrapped(Runnable task, Captured captured) {
      this.task = task;
      this.captured = captured;
    }

    @Override
    public void run() {
      Entered entered = enter(captured);
      try {
        task.run();
      } finally {
        if (entered != null) {
          entered.run();
        }
      }
    }

    @Override
    public String toString() {
      return task.toString();
    }
  }

  /**
   * Threads of these classes serve the whole process, not the code that happens to start them. So
   * do the JDK's own.
   */
  private static final List<String> SERVERS =
      List.of(
          "io.netty.",
          "io.grpc.",
          "kotlinx.coroutines.",
          "org.apache.kafka.",
          "org.apache.logging.",
          "org.apache.pekko.",
          "org.apache.spark.",
          "org.apache.tomcat.",
          "org.apache.zookeeper.",
          "org.eclipse.jetty.",
          "akka.",
          "ch.qos.logback.",
          "com.mysql.",
          "com.zaxxer.",
          "okhttp3.",
          "reactor.");

  private final ConcurrentHashMap<WeakIdentity, Captured> contexts = new ConcurrentHashMap<>();

  /**
   * An upper bound on the number of contexts: increased before one is stored and decreased after it
   * was removed. The map's own count adds up parts that change meanwhile: while other threads use
   * the map, it may report zero although a context is in it, and a task would lose that context.
   */
  private final AtomicInteger kept = new AtomicInteger();

  private final ReferenceQueue<Object> dropped = new ReferenceQueue<>();
  private final TracingCopies tracings;

  TaskContexts(TracingCopies tracings) {
    this.tracings = tracings;
  }

  /** See {@code TaskHook.handOver}. */
  void handOver(Object task) {
    try {
      if (task instanceof FutureTask<?> future) {
        putInto(future);
        return;
      }
      if (task instanceof AsynchronousCompletionTask && has(task)) {
        return; // a stage keeps the context that was current when it was made
      }
      Captured captured = task instanceof Thread thread && servesAll(thread) ? null : capture();
      if (captured != null) {
        put(task, captured);
      } else if (kept.get() > 0) {
        take(task);
      }
    } catch (Throwable t) {
      TraceHook.failed(t);
    }
  }

  /** See {@code TaskHook.submit}. */
  Runnable submit(Runnable task) {
    try {
      if (task instanceof FutureTask || task instanceof AsynchronousCompletionTask) {
        return task; // it got its context when it was created
      }
      Captured captured = capture();
      if (captured == null) {
        if (kept.get() > 0) {
          take(task);
        }
        return task;
      }
      // A lambda that captures nothing is a single object for all calls.
      if (task.getClass().isHidden() || has(task)) {
        return new Wrapped(task, captured);
      }
      put(task, captured);
    } catch (Throwable t) {
      TraceHook.failed(t);
    }
    return task;
  }

  /** See {@code TaskHook.wrap}. */
  Runnable wrap(Runnable task) {
    try {
      Captured captured = capture();
      return captured == null ? task : new Wrapped(task, captured);
    } catch (Throwable t) {
      TraceHook.failed(t);
      return task;
    }
  }

  /** See {@code TaskHook.begin}. */
  @Nullable Object begin(Object task) {
    try {
      if (task instanceof FutureTask<?> future) {
        return enter(future);
      }
      Captured captured = kept.get() == 0 ? null : take(task);
      return captured == null ? null : enter(captured);
    } catch (Throwable t) {
      TraceHook.failed(t);
      return null;
    }
  }

  /** See {@code TaskHook.clear}. */
  @Nullable Object clear() {
    Entered entered = null;
    try {
      for (WeakReference<Tracing> copy : tracings.all()) {
        Tracing tracing = copy.get();
        Object before = tracing == null ? null : tracing.currentContext();
        if (tracing != null && before != null) {
          entered = new Entered(tracing, tracing.makeCurrent(null), before, entered);
        }
      }
    } catch (Throwable t) {
      TraceHook.failed(t);
    }
    return entered;
  }

  private @Nullable Captured capture() {
    Captured captured = null;
    for (WeakReference<Tracing> copy : tracings.all()) {
      Tracing tracing = copy.get();
      Object context = tracing == null ? null : tracing.currentContext();
      if (tracing != null && context != null) {
        captured = new Captured(tracing, context, captured);
      }
    }
    return captured;
  }

  private static @Nullable Entered enter(Captured captured) {
    Entered entered = null;
    for (Captured one = captured; one != null; one = one.next) {
      entered = enter(one.tracing, one.context, entered);
    }
    return entered;
  }

  /** Returns the contexts entered, without this one if it fails. */
  private static @Nullable Entered enter(
      Tracing tracing, Object context, @Nullable Entered entered) {
    try {
      Object before = tracing.currentContext();
      Object scope = tracing.makeCurrent(context);
      return new Entered(tracing, scope, before, entered);
    } catch (Throwable t) {
      TraceHook.failed(t);
      return entered;
    }
  }

  private void putInto(FutureTask<?> task) {
    for (WeakReference<Tracing> copy : tracings.all()) {
      Tracing tracing = copy.get();
      Object context = tracing == null ? null : tracing.currentContext();
      if (tracing != null && context != null) {
        CallInContext.put(task, tracing, context);
      }
    }
  }

  private static @Nullable Entered enter(FutureTask<?> task) {
    CallInContext call = CallInContext.take(task);
    // A periodic task belongs to no single call.
    boolean isEntered =
        call != null
            && !(task instanceof RunnableScheduledFuture<?> scheduled && scheduled.isPeriodic());
    Entered entered = null;
    for (; call != null; call = CallInContext.take(task)) {
      if (isEntered) {
        entered = enter(call.tracing, call.context, entered);
      }
    }
    return entered;
  }

  private void put(Object task, Captured captured) {
    for (Reference<?> gone = dropped.poll(); gone != null; gone = dropped.poll()) {
      if (contexts.remove(gone) != null) {
        kept.decrementAndGet();
      }
    }
    kept.incrementAndGet();
    if (contexts.put(new WeakIdentity(task, dropped), captured) != null) {
      kept.decrementAndGet();
    }
  }

  private boolean has(Object task) {
    return kept.get() > 0 && contexts.containsKey(new WeakIdentity(task, null));
  }

  private @Nullable Captured take(Object task) {
    Captured captured = contexts.remove(new WeakIdentity(task, null));
    if (captured != null) {
      kept.decrementAndGet();
    }
    return captured;
  }

  private static boolean servesAll(Thread thread) {
    Class<?> type = thread.getClass();
    if (type == Thread.class) {
      return thread.getName().startsWith("roll-otel");
    }
    if (type.getClassLoader() instanceof InnerLoader) {
      return true;
    }
    if (AnnotatedClassTransformer.isOfTheJdk(type.getModule())) {
      return true;
    }
    String name = type.getName();
    for (String server : SERVERS) {
      if (name.startsWith(server)) {
        return true;
      }
    }
    return false;
  }
}
