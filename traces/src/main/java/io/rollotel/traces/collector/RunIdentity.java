package io.rollotel.traces.collector;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The run of a process. The user or a driver may set it from the start. Otherwise the first
 * received call of a run determines it; if there was none when the id is needed, it is random. Any
 * thread; takes no lock.
 */
final class RunIdentity {

  private static final int LONGEST = 128;

  private final AtomicReference<@Nullable String> decided = new AtomicReference<>();
  private final AtomicReference<@Nullable String> received = new AtomicReference<>();

  /**
   * Whether an id may travel with a call, or may have come with one: printable ASCII without
   * blanks, commas, quotes and backslashes, 128 characters at most.
   */
  static boolean mayTravel(String id) {
    if (id.isEmpty() || id.length() > LONGEST) {
      return false;
    }
    for (int i = 0; i < id.length(); i++) {
      char c = id.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == ',' || c == '"' || c == '\'' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  /** The id; null while it is undetermined. */
  @Nullable String known() {
    return decided.get();
  }

  /** Determines the id, unless it is determined already; returns it. */
  String decide(String id) {
    String before = decided.compareAndExchange(null, id);
    return before == null ? id : before;
  }

  /** A call has come from this run. The first one counts. */
  void received(String id) {
    received.compareAndSet(null, id);
  }

  /** The run of the first received call; null if there was none. */
  @Nullable String ofCalls() {
    return received.get();
  }
}
