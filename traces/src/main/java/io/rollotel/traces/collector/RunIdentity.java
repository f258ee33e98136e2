package io.rollotel.traces.collector;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The run that a process takes part in. The user or a driver may set it from the start. Otherwise
 * the first call that comes from a run decides; if there was none when the id is needed, it is
 * random. Any thread; takes no lock.
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

  /** The id; null while it is open. */
  @Nullable String known() {
    return decided.get();
  }

  /** Decides, unless decided already; returns the decision. */
  String decide(String id) {
    String before = decided.compareAndExchange(null, id);
    return before == null ? id : before;
  }

  /** A call has come from this run. The first one counts. */
  void received(String id) {
    received.compareAndSet(null, id);
  }

  /** Which run the first call came from; null if none has come. */
  @Nullable String ofCalls() {
    return received.get();
  }
}
