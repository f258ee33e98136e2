package io.rollotel.agent.api;

/**
 * opentelemetry-javaagent, if it is attached too. It answers for the global of every copy of the
 * API, the agent's own included, and the contexts of those copies keep no spans but its own. So
 * worker spans go through it: one tree, and each span once.
 */
public final class OtherAgent {

  private static final String NAMES = "io.opentelemetry.javaagent.";

  /** Determined on first use, in the application's main: both agents have started by then. */
  private static final boolean ATTACHED = find();

  private OtherAgent() {}

  /** Whether it is attached; its bridge may still be switched off. */
  public static boolean isAttached() {
    return ATTACHED;
  }

  /** Whether this {@code OpenTelemetry} comes from its bridge. */
  public static boolean gave(Object openTelemetry) {
    return openTelemetry.getClass().getName().startsWith(NAMES);
  }

  private static boolean find() {
    try {
      Class.forName(NAMES + "OpenTelemetryAgent", false, ClassLoader.getSystemClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError none) {
      return false;
    }
  }
}
