package io.rollotel.agent.threads;

import io.rollotel.agent.api.Tracing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * The work of a {@link FutureTask}, with its context in one copy of the API. Until the task begins,
 * the task's field holds this object instead of the work. That costs less than half of an entry in
 * a table, and leaves no weak reference to the garbage collector. {@link #call} makes no context
 * current: the task as a whole runs in its context, including {@code done()}.
 *
 * <p>Must not be used before the package of {@code FutureTask} is open to the agent.
 */
final class CallInContext implements Callable<@Nullable Object> {

  private static final VarHandle CALLABLE = callable();

  private final Callable<?> work;
  final Tracing tracing;
  final Object context;

  private CallInContext(Callable<?> work, Tracing tracing, Object context) {
    this.work = work;
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

  /** Does nothing, but fails if this JDK's {@code FutureTask} is not as expected. */
  static void initialize() {}

  /** Adds the context that is current in one copy to a task that no other thread knows yet. */
  static void put(FutureTask<?> task, Tracing tracing, Object context) {
    Callable<?> work = (Callable<?>) CALLABLE.get(task);
    if (work != null) { // a subclass may have run it in its constructor
      CALLABLE.set(task, new CallInContext(work, tracing, context));
    }
  }

  /**
   * Takes the context that was last added to a task; null if none is left, or another thread took
   * it.
   */
  static @Nullable CallInContext take(FutureTask<?> task) {
    return CALLABLE.get(task) instanceof CallInContext call
            && CALLABLE.compareAndSet(task, (Callable<?>) call, call.work)
        ? call
        : null;
  }

  @Override
  public @Nullable Object call() throws Exception {
    return work.call();
  }

  /** As shown by the task. */
  @Override
  public String toString() {
    return work.toString();
  }
}
