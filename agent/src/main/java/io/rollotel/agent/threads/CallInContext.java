package io.rollotel.agent.threads;

import io.rollotel.agent.api.Tracing;
import io.rollotel.agent.hook.TraceHook;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * The work of a {@link FutureTask}, with its context in one copy of the API. The task's field holds
 * this object instead of the work. That costs less than half of an entry in a table, and leaves no
 * weak reference to the garbage collector.
 *
 * <p>A plain {@link FutureTask} runs nothing but its work, so {@link #call} makes the context
 * current. A subclass as a whole runs in its context, including {@code done()}: the hook takes this
 * object out when the task begins, and {@link #call} would change no context.
 *
 * <p>Must not be used before the package of {@code FutureTask} is open to the agent.
 */
final class CallInContext implements Callable<@Nullable Object> {

  private static final VarHandle CALLABLE = callable();

  private static volatile boolean isOver;

  private final Callable<?> work;
  private final boolean isPlain;
  final Tracing tracing;
  final Object context;

  private CallInContext(Callable<?> work, boolean isPlain, Tracing tracing, Object context) {
    this.work = work;
    this.isPlain = isPlain;
    this.tracing = tracing;
    this.context = context;
  }

  private static VarHandle callable() {
    try {
      return MethodHandles.privateLookupIn(FutureTask.class, MethodHandles.lookup())
          .findVarHandle(FutureTask.class, "callable", Callable.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The tasks enter their contexts. Fails if this JDK's {@code FutureTask} is not as expected. */
  static void begin() {
    isOver = false;
  }

  /** The agent is detached: tasks that wait do their work alone. */
  static void end() {
    isOver = true;
  }

  /** Adds the context that is current in one copy to a task that no other thread knows yet. */
  static void put(FutureTask<?> task, Tracing tracing, Object context) {
    Callable<?> work = (Callable<?>) CALLABLE.get(task);
    if (work != null) { // a subclass may have run it in its constructor
      CALLABLE.set(task, new CallInContext(work, isPlain(task), tracing, context));
    }
  }

  private static boolean isPlain(FutureTask<?> task) {
    return task.getClass() == FutureTask.class;
  }

  /**
   * Takes the context that was last added to a task; null if none is left, another thread took it,
   * or the task's work enters it.
   */
  static @Nullable CallInContext take(FutureTask<?> task) {
    return !isPlain(task)
            && CALLABLE.get(task) instanceof CallInContext call
            && CALLABLE.compareAndSet(task, (Callable<?>) call, call.work)
        ? call
        : null;
  }

  @Override
  public @Nullable Object call() throws Exception {
    if (!isPlain || isOver) {
      return work.call();
    }
    Object before;
    Object scope;
    try {
      before = tracing.currentContext();
      scope = tracing.makeCurrent(context);
    } catch (Throwable t) {
      TraceHook.failed(t);
      return work.call();
    }
    try {
      return work.call();
    } finally {
      try {
        tracing.leave(scope, before);
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }

  /** As shown by the task. */
  @Override
  public String toString() {
    return work.toString();
  }
}
