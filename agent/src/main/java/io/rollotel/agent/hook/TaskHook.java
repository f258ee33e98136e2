package io.rollotel.agent.hook;

import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Called by the JDK's woven classes, to pass the context from thread to thread.
 *
 * <p>They see nothing of the class path, so this class is not used as it lies here: {@code
 * io.rollotel.agent.threads} defines a copy of it beside them, under another name. (The usual way,
 * a jar appended to the boot class path, switches class data sharing off.)
 *
 * <p>Nothing here throws but {@link #run}, which throws what the task does: the calls in the JDK's
 * classes are not guarded.
 */
public final class TaskHook {

  private static volatile @Nullable Consumer<Object> handedOver;
  private static volatile @Nullable UnaryOperator<Runnable> submitted;
  private static volatile @Nullable UnaryOperator<Runnable> wrapped;
  private static volatile @Nullable Function<Object, @Nullable Object> begun;
  private static volatile @Nullable Supplier<@Nullable Object> cleared;

  private TaskHook() {}

  /**
   * Puts the agent behind the hook, or with nothing but nulls takes it away.
   *
   * @param newHandedOver for {@link #handOver}
   * @param newSubmitted for {@link #submit}
   * @param newWrapped for {@link #wrap}
   * @param newBegun for {@link #begin}
   * @param newCleared for {@link #clear}
   */
  public static void connect(
      @Nullable Consumer<Object> newHandedOver,
      @Nullable UnaryOperator<Runnable> newSubmitted,
      @Nullable UnaryOperator<Runnable> newWrapped,
      @Nullable Function<Object, @Nullable Object> newBegun,
      @Nullable Supplier<@Nullable Object> newCleared) {
    begun = newBegun;
    cleared = newCleared;
    wrapped = newWrapped;
    submitted = newSubmitted;
    handedOver = newHandedOver;
  }

  /**
   * This thread hands the task over to another thread: the context that is current here will be
   * current in the task.
   */
  public static void handOver(@Nullable Object task) {
    Consumer<Object> behind = handedOver;
    if (behind != null && task != null) {
      try {
        behind.accept(task);
      } catch (Throwable t) {
        if (!(t instanceof VirtualMachineError)) {
          passOnStop(t);
        }
        // The stack or the memory is full: the context is not passed on.
      }
    }
  }

  /** {@link #handOver}, if there is an executor. */
  public static void handOverWith(Object task, @Nullable Object executor) {
    if (executor != null) {
      handOver(task);
    }
  }

  /**
   * Like {@link #handOver}, for a task that may be handed over many times: returns the object to
   * queue.
   */
  public static @Nullable Runnable submit(@Nullable Runnable task) {
    UnaryOperator<Runnable> behind = submitted;
    if (behind == null || task == null) {
      return task;
    }
    try {
      return behind.apply(task);
    } catch (Throwable t) {
      if (!(t instanceof VirtualMachineError)) {
        passOnStop(t);
      }
      return task;
    }
  }

  /** Like {@link #handOver}, for tasks that another object will run. */
  public static @Nullable Runnable wrap(@Nullable Runnable task) {
    UnaryOperator<Runnable> behind = wrapped;
    if (behind == null || task == null) {
      return task;
    }
    try {
      return behind.apply(task);
    } catch (Throwable t) {
      if (!(t instanceof VirtualMachineError)) {
        passOnStop(t);
      }
      return task;
    }
  }

  /**
   * The task starts on this thread; {@link #end} takes the result, which is null if there is
   * nothing to do.
   */
  public static @Nullable Object begin(Object task) {
    Function<Object, @Nullable Object> behind = begun;
    try {
      return behind == null ? null : behind.apply(task);
    } catch (Throwable t) {
      if (!(t instanceof VirtualMachineError)) {
        passOnStop(t);
      }
      return null;
    }
  }

  /** From here on, this thread works for others: no context is current until {@link #end}. */
  public static @Nullable Object clear() {
    Supplier<@Nullable Object> behind = cleared;
    try {
      return behind == null ? null : behind.get();
    } catch (Throwable t) {
      if (!(t instanceof VirtualMachineError)) {
        passOnStop(t);
      }
      return null;
    }
  }

  /**
   * Restores the context from before {@link #begin} or {@link #clear}, even if the agent has been
   * detached meanwhile.
   */
  public static void end(@Nullable Object begun) {
    if (begun != null) {
      try {
        ((Runnable) begun).run();
      } catch (Throwable t) {
        if (!(t instanceof VirtualMachineError)) {
          passOnStop(t);
        }
        // The task's result or exception is passed on.
      }
    }
  }

  /** Replaces {@code task.run()}. */
  public static void run(Runnable task) {
    Object begun = begin(task);
    try {
      task.run();
    } finally {
      end(begun);
    }
  }

  /**
   * As {@link TraceHook#passOnStop}, which the JDK's copy of this class does not see. Not called
   * where the stack is full: the call itself would throw.
   */
  private static void passOnStop(Throwable thrown) {
    if (thrown instanceof Error error
        && error.getClass().getName().equals("java.lang.ThreadDeath")) { // gone in later JDKs
      throw error;
    }
  }
}
