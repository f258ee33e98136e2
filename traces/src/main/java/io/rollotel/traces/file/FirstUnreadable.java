package io.rollotel.traces.file;

import io.rollotel.traces.otlp.UnreadableLine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The first things that could not be read. One file with many such lines does not hide the others:
 * of as many files again, the first line is kept as well.
 */
public final class FirstUnreadable {

  private static final int MOST = 20;
  private static final int MOST_OF_OTHER_FILES = 20;

  private final List<UnreadableLine> lines = new ArrayList<>();
  private final Set<Path> files = new HashSet<>();

  /** Keeps a line if it is one of the first. */
  public void add(UnreadableLine line) {
    boolean isFirst = lines.size() < MOST;
    if (isFirst || (lines.size() < MOST + MOST_OF_OTHER_FILES && !files.contains(line.file()))) {
      lines.add(line);
      files.add(line.file());
    }
  }

  /** What was kept, in the order of reading. */
  public List<UnreadableLine> lines() {
    return List.copyOf(lines);
  }
}
