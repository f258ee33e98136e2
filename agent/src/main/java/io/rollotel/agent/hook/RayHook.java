package io.rollotel.agent.hook;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Called by Ray's woven runtime for Java. Like {@link TraceHook}, it is on the system class path
 * and uses only JDK types.
 *
 * <p>Nothing here throws: Ray's calls go on as they would without it.
 */
public final class RayHook {

  /** What stands behind the hook: the agent, once Ray's classes are loaded. */
  public interface Target {

    /** See {@link RayHook#sending}; {@code isVoid} if the call has no result. */
    @Nullable Object sending(
        Object runtime, Object function, @Nullable Object actor, boolean isVoid) throws Throwable;

    /** See {@link RayHook#creating}. */
    @Nullable Object creating(Object runtime, Object function) throws Throwable;

    /** See {@link RayHook#carry}. */
    void carry(Object value) throws Throwable;

    /** See {@link RayHook#submitting}. */
    void submitting(Object task) throws Throwable;

    /** See {@link RayHook#sent}. */
    void sent(Object sending, @Nullable Object returned, @Nullable Throwable thrown)
        throws Throwable;

    /** See {@link RayHook#executing}. */
    @Nullable Object executing(Object executor, List<String> function, List<?> arguments)
        throws Throwable;

    /** See {@link RayHook#phase}. */
    void phase(String name) throws Throwable;

    /** See {@link RayHook#caught}. */
    void caught(Throwable thrown) throws Throwable;

    /** See {@link RayHook#executed}. */
    void executed(Object execution, @Nullable Throwable thrown) throws Throwable;

    /** See {@link RayHook#using}. */
    @Nullable Object using(String name, Object runtime, int objects) throws Throwable;

    /** See {@link RayHook#bytes}. */
    void bytes(Object values) throws Throwable;

    /** See {@link RayHook#used}. */
    void used(Object use, @Nullable Throwable thrown) throws Throwable;

    /** See {@link RayHook#jvmOptions}. */
    List<String> jvmOptions(Object config, List<String> given) throws Throwable;

    /** See {@link RayHook#connected}. */
    void connected(Object node) throws Throwable;

    /** See {@link RayHook#ending}. */
    void ending(Object runtime, boolean isAll) throws Throwable;

    /** See {@link RayHook#left}. */
    byte[] left(String runId, String mark) throws Throwable;
  }

  private static volatile @Nullable Target target;

  private RayHook() {}

  /** Puts the agent behind the hook, or with null takes it away. */
  public static void connect(@Nullable Target newTarget) {
    target = newTarget;
  }

  /**
   * A call is about to be submitted.
   *
   * @param runtime Ray's runtime
   * @param function the descriptor of the called function
   * @param actor the handle of the called actor; null for functions
   * @param returned the type of the result; empty if there is none
   * @return for {@link #sent}
   */
  public static @Nullable Object sending(
      Object runtime, Object function, @Nullable Object actor, Optional<?> returned) {
    Target behind = target;
    try {
      return behind == null ? null : behind.sending(runtime, function, actor, returned.isEmpty());
    } catch (Throwable t) {
      TraceHook.failed(t);
      return null;
    }
  }

  /**
   * A new actor is about to be created.
   *
   * @param runtime Ray's runtime
   * @param function the descriptor of its constructor or factory
   * @return for {@link #sent}
   */
  public static @Nullable Object creating(Object runtime, Object function) {
    Target behind = target;
    try {
      return behind == null ? null : behind.creating(runtime, function);
    } catch (Throwable t) {
      TraceHook.failed(t);
      return null;
    }
  }

  /** An argument of the call that is being submitted has been serialised to this value. */
  public static void carry(Object value) {
    Target behind = target;
    if (behind != null) {
      try {
        behind.carry(value);
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }

  /** In LOCAL mode: the call becomes this task. */
  public static void submitting(Object task) {
    Target behind = target;
    if (behind != null) {
      try {
        behind.submitting(task);
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }

  /** The call has been submitted, or could not be. */
  public static void sent(
      @Nullable Object sending, @Nullable Object returned, @Nullable Throwable thrown) {
    Target behind = target;
    if (behind != null && sending != null) {
      try {
        behind.sent(sending, returned, thrown);
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }

  /**
   * A call has arrived.
   *
   * @param function class, method and signature
   * @param arguments as they came, still serialised
   * @return for {@link #executed}
   */
  public static @Nullable Object executing(
      Object executor, List<String> function, List<?> arguments) {
    Target behind = target;
    try {
      return behind == null ? null : behind.executing(executor, function, arguments);
    } catch (Throwable t) {
      TraceHook.failed(t);
      return null;
    }
  }

  /** A phase of the call on this thread begins; the empty name ends the one before. */
  public static void phase(String name) {
    Target behind = target;
    if (behind != null) {
      try {
        behind.phase(name);
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }

  /** The executor has caught the exception of the call on this thread, and may not pass it on. */
  public static void caught(Throwable thrown) {
    Target behind = target;
    if (behind != null) {
      try {
        behind.caught(thrown);
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }

  /** The call has been executed. */
  public static void executed(@Nullable Object execution, @Nullable Throwable thrown) {
    Target behind = target;
    if (behind != null && execution != null) {
      try {
        behind.executed(execution, thrown);
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }

  /**
   * The object store is about to be used.
   *
   * @param name {@code get}, {@code wait} or {@code put}
   * @param objects the objects used; null for a single one
   * @return for {@link #used}
   */
  public static @Nullable Object using(String name, Object runtime, @Nullable List<?> objects) {
    Target behind = target;
    try {
      return behind == null
          ? null
          : behind.using(name, runtime, objects == null ? 1 : objects.size());
    } catch (Throwable t) {
      TraceHook.failed(t);
      return null;
    }
  }

  /**
   * Notes what this thread's use of the object store moves: one stored value, or a list of them.
   */
  public static void bytes(Object values) {
    Target behind = target;
    if (behind != null) {
      try {
        behind.bytes(values);
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }

  /** The object store has been used. */
  public static void used(@Nullable Object use, @Nullable Throwable thrown) {
    Target behind = target;
    if (behind != null && use != null) {
      try {
        behind.used(use, thrown);
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }

  /** The JVM options for the workers of the job that this configuration is for. */
  public static List<String> jvmOptions(Object config, List<String> given) {
    Target behind = target;
    try {
      return behind == null ? given : behind.jvmOptions(config, given);
    } catch (Throwable t) {
      TraceHook.failed(t);
      return given;
    }
  }

  /** The driver's node is known; its job has not been submitted yet. */
  public static void connected(Object node) {
    Target behind = target;
    if (behind != null) {
      try {
        behind.connected(node);
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }

  /**
   * Workers are about to be killed, without a chance to send their last spans.
   *
   * @param runtime Ray's runtime
   * @param isAll whether the job ends; otherwise one actor is killed
   */
  public static void ending(Object runtime, boolean isAll) {
    Target behind = target;
    if (behind != null) {
      try {
        behind.ending(runtime, isAll);
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
  }

  /**
   * Collects the files that the run's processes have left on this host. Drivers call this as a Ray
   * task at the end of their job.
   *
   * @param mark the name of a file that the driver has made
   * @return the packed files; empty if there are none
   */
  public static byte[] left(String runId, String mark) {
    Target behind = target;
    try {
      return behind == null ? new byte[0] : behind.left(runId, mark);
    } catch (Throwable t) {
      TraceHook.failed(t);
      return new byte[0];
    }
  }
}
