package io.rollotel.agent.background;

import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Pins a virtual thread to its carrier thread while it begins tracing.
 *
 * <p>That waits for other threads and holds locks meanwhile. Since JDK 24, a virtual thread gives
 * its carrier away when it waits, whether it holds a lock or not. A thread that cannot do so,
 * because it links a traced method or initialises a class, may then wait for the lock on that
 * carrier. Once all carriers are taken in this way, no virtual thread of the program runs again.
 */
public final class Pinning {

  private static final int FIRST_RELEASE = 24;

  /** The JDK's internal methods; initialised by the first virtual thread. */
  private static final class Pins {

    static final @Nullable MethodHandle PIN = find("pin");
    static final @Nullable MethodHandle UNPIN = find("unpin");

    /** Null if this JDK has it in another form, or has no real virtual threads. */
    private static @Nullable MethodHandle find(String name) {
      Instrumentation agents = instrumentation;
      if (agents == null) {
        return null;
      }
      try {
        agents.redefineModule(
            Object.class.getModule(),
            Set.of(),
            Map.of("jdk.internal.vm", Set.of(Pinning.class.getModule())),
            Map.of(),
            Set.of(),
            Map.of());
        return MethodHandles.lookup()
            .findStatic(
                Class.forName("jdk.internal.vm.Continuation"),
                name,
                MethodType.methodType(void.class));
      } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
        return null;
      }
    }
  }

  private static volatile @Nullable Instrumentation instrumentation;

  private Pinning() {}

  /** Through which the JDK's internal methods are opened, if they are needed. */
  public static void use(Instrumentation agents) {
    instrumentation = agents;
  }

  /**
   * From now on, the calling thread keeps its carrier when it waits.
   *
   * @return whether {@link #unpin} must follow: not for platform threads, which need none
   */
  public static boolean pin() {
    return Runtime.version().feature() >= FIRST_RELEASE
        && Thread.currentThread().getClass().getName().equals("java.lang.VirtualThread")
        && isCalled(Pins.PIN);
  }

  /** Reverses {@link #pin}, if that returned true. */
  public static void unpin(boolean isPinned) {
    if (isPinned && !isCalled(Pins.UNPIN)) {
      isCalled(Pins.UNPIN); // the stack was full; a thread that stays pinned takes a carrier
    }
  }

  private static boolean isCalled(@Nullable MethodHandle method) {
    try {
      if (method != null) {
        method.invokeExact();
      }
      return method != null;
    } catch (Throwable t) {
      return false;
    }
  }
}
