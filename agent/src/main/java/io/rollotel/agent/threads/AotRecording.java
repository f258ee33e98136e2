package io.rollotel.agent.threads;

import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Set;

/**
 * Whether this JVM records an AOT cache ({@code -XX:AOTCacheOutput}, {@code -XX:AOTMode=record}).
 * Such a JVM crashes when it ends if {@code java.lang.Thread} has been changed (JDK 25).
 */
final class AotRecording {

  private static final int FIRST_RELEASE = 25;

  private AotRecording() {}

  /** Asks the JDK's internals; false if this JDK has them in another form. */
  static boolean isOn(Instrumentation instrumentation) {
    if (Runtime.version().feature() < FIRST_RELEASE) {
      return false;
    }
    try {
      instrumentation.redefineModule(
          Object.class.getModule(),
          Set.of(),
          Map.of("jdk.internal.misc", Set.of(AotRecording.class.getModule())),
          Map.of(),
          Set.of(),
          Map.of());
      return (boolean)
          Class.forName("jdk.internal.misc.CDS").getMethod("isDumpingArchive").invoke(null);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return false;
    }
  }
}
