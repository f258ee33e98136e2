package io.rollotel.agent.log;

import io.rollotel.traces.report.PlainText;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The agent's lines on stderr, {@code [roll-otel] …}. Not java.util.logging, which must not be
 * loaded before the application has chosen its log manager.
 */
public final class AgentLog {

  private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();
  private static volatile int level = 1;

  /** Receives the lines while the agent is being attached or detached; otherwise null. */
  private static volatile @Nullable Consumer<String> listener;

  private AgentLog() {}

  /**
   * Sets the level: {@code debug}, {@code info}, {@code warn} or {@code off}, or null for the
   * default. Any other word changes nothing.
   */
  public static void setLevel(@Nullable String word) {
    switch (word == null ? "warn" : word.trim().toLowerCase(Locale.ROOT)) {
      case "off" -> level = 0;
      case "warn" -> level = 1;
      case "info" -> level = 2;
      case "debug" -> level = 3;
      default -> {}
    }
  }

  /** Passes warnings to this listener as well; null for none. */
  public static void listen(@Nullable Consumer<String> newListener) {
    listener = newListener;
  }

  /** A problem that the user should fix or know about. */
  public static void warn(String line) {
    print(1, line);
    Consumer<String> waiting = listener;
    if (waiting != null) {
      waiting.accept(line);
    }
  }

  /** {@link #warn}, but each line only once per attachment of the agent. */
  public static void warnOnce(String line) {
    warnOnce(line, "");
  }

  /** The same for a line that ends with what only the first one of its kind says. */
  public static void warnOnce(String line, String details) {
    // Lines name kinds of problems, not data; the bound is for lines that do contain data.
    if (LOGGED.size() < 1_000 && LOGGED.add(line)) {
      warn(line + details);
    }
  }

  /** What the agent did. */
  public static void info(String line) {
    print(2, line);
  }

  /** Whether {@link #debug} prints: callers can skip composing an expensive message otherwise. */
  public static boolean isDebug() {
    return level >= 3;
  }

  /** For debugging the agent. */
  public static void debug(String line) {
    print(3, line);
  }

  /** Whether {@link #info} prints. */
  public static boolean saysInfo() {
    return level >= 2;
  }

  private static void print(int wanted, String line) {
    if (level >= wanted) {
      System.err.println("[roll-otel] " + plain(line));
    }
  }

  /**
   * The line may quote a file or the network; control characters must not reach the terminal. If
   * the class that takes care of that cannot be read any more, it says this instead.
   */
  private static String plain(String line) {
    try {
      return PlainText.escaped(line);
    } catch (LinkageError gone) {
      return "the agent's jar was overwritten or removed while this JVM used it";
    }
  }
}
