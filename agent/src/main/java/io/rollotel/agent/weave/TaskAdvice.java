package io.rollotel.agent.weave;

import io.rollotel.agent.hook.TaskHook;
import java.util.concurrent.Executor;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** Inlined into the JDK's classes that hand work from thread to thread; no logic of its own. */
final class TaskAdvice {

  private TaskAdvice() {}

  /** A method that hands {@code this} over. */
  static final class HandOverThis {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void start(@Advice.This Object task) {
      TaskHook.handOver(task);
    }
  }

  /** A constructor of what is handed over afterwards. */
  static final class HandOverNew {
    @Advice.OnMethodExit(suppress = Throwable.class)
    static void end(@Advice.This Object task) {
      TaskHook.handOver(task);
    }
  }

  /** The constructor of a stage: without an executor it runs where its source completes. */
  static final class HandOverNewIfAsync {
    @Advice.OnMethodExit(suppress = Throwable.class)
    static void end(@Advice.This Object task, @Advice.Argument(0) @Nullable Executor executor) {
      if (executor != null) {
        TaskHook.handOver(task);
      }
    }
  }

  /** A method that hands its first argument over. */
  static final class HandOverFirst {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void start(@Advice.Argument(0) @Nullable Object task) {
      if (task != null) {
        TaskHook.handOver(task);
      }
    }
  }

  /** As {@link HandOverFirst}, for the second. */
  static final class HandOverSecond {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void start(@Advice.Argument(1) @Nullable Object task) {
      if (task != null) {
        TaskHook.handOver(task);
      }
    }
  }

  /** A method that queues its first argument. */
  static final class Submit {
    @SuppressWarnings("UnusedAssignment") // written for Byte Buddy
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void start(@Advice.Argument(value = 0, readOnly = false) @Nullable Runnable task) {
      if (task != null) {
        task = TaskHook.submit(task);
      }
    }
  }

  /** A constructor that takes the thread's task as its fourth argument. */
  static final class WrapFourth {
    @SuppressWarnings("UnusedAssignment") // written for Byte Buddy
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void start(@Advice.Argument(value = 3, readOnly = false) @Nullable Runnable task) {
      if (task != null) {
        task = TaskHook.wrap(task);
      }
    }
  }

  /** A method that does the task's work. */
  static final class Run {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static @Nullable Object start(@Advice.This Object task) {
      return TaskHook.begin(task);
    }

    @Advice.OnMethodExit(
        onThrowable = Throwable.class,
        suppress = Throwable.class,
        backupArguments = false)
    static void end(@Advice.Enter @Nullable Object begun) {
      TaskHook.end(begun);
    }
  }

  /** A method that makes a thread for everybody, or runs other people's tasks while it waits. */
  static final class Clear {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static @Nullable Object start() {
      return TaskHook.clear();
    }

    @Advice.OnMethodExit(
        onThrowable = Throwable.class,
        suppress = Throwable.class,
        backupArguments = false)
    static void end(@Advice.Enter @Nullable Object begun) {
      TaskHook.end(begun);
    }
  }
}
