package io.rollotel.traces.file;

import io.rollotel.traces.otlp.UnreadableLine;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Knows which of the files with unreadable lines are of another form. Of such a file, the reason
 * stands for those of all its lines. For one thread.
 */
public final class ForeignFiles {

  /** Why a file is of another form; empty if it is not. */
  private final Map<Path, String> reasons = new HashMap<>();

  /**
   * What to say about a line.
   *
   * @return what the file is, with no line's number, at its first line; null at further lines of
   *     such a file; the line itself for all others
   */
  public @Nullable UnreadableLine judged(UnreadableLine line) {
    boolean isFirst = !reasons.containsKey(line.file());
    String reason =
        reasons.computeIfAbsent(
            line.file(), file -> Objects.requireNonNullElse(ForeignFile.reason(file), ""));
    if (reason.isEmpty()) {
      return line;
    }
    return isFirst ? new UnreadableLine(line.file(), 0, reason) : null;
  }

  /** Whether a file is of another form, as far as {@link #judged} has found. */
  public boolean has(Path file) {
    return !reasons.getOrDefault(file, "").isEmpty();
  }

  /** Whether any file is. */
  public boolean hasAny() {
    return reasons.values().stream().anyMatch(reason -> !reason.isEmpty());
  }
}
