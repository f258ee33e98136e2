package io.rollotel.traces.recording;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Deletes obsolete recorder files of dead processes, so that their folder does not grow without
 * end. Several processes may do so at the same time.
 */
public final class RecordingCleanup {

  /**
   * The files of this many processes are kept; the oldest files of dead processes are removed
   * first.
   */
  public static final int MOST_FILES = 1_000;

  /** A process that has not written its header for this long has died meanwhile. */
  private static final long UNFINISHED_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private record Dated(File file, long modifiedMillis) {}

  private RecordingCleanup() {}

  /** Removes files that never held anything, and the oldest if there are too many. */
  public static void tidy(File folder) {
    long nowMillis = System.currentTimeMillis();
    List<Dated> files = new ArrayList<>();
    for (File file : files(folder)) {
      long modifiedMillis = file.lastModified();
      if (nowMillis - modifiedMillis > UNFINISHED_MILLIS && isUnfinished(file)) {
        file.delete();
      } else {
        files.add(new Dated(file, modifiedMillis));
      }
    }
    files.sort(Comparator.comparingLong(Dated::modifiedMillis));
    int tooMany = files.size() - MOST_FILES;
    for (int i = 0; i < files.size() && tooMany > 0; i++) {
      if (isDead(files.get(i).file)) {
        files.get(i).file.delete();
        tooMany--;
      }
    }
  }

  /** Like {@link #tidy}, if there are too many files: usually it only lists the directory. */
  public static void tidyIfMany(File folder) {
    String[] names = folder.list();
    if (names != null && names.length > MOST_FILES) {
      tidy(folder);
    }
  }

  private static List<File> files(File folder) {
    File[] files =
        folder.listFiles(
            (in, name) ->
                name.endsWith(Recordings.LIVE)
                    || name.endsWith(Recordings.SWEPT)
                    || name.endsWith(Recordings.UNFINISHED));
    return files == null ? List.of() : Arrays.asList(files);
  }

  private static boolean isUnfinished(File file) {
    if (!file.getName().endsWith(Recordings.LIVE)) {
      return file.getName().endsWith(Recordings.UNFINISHED);
    }
    try {
      return !Recordings.isOwn(file.toPath())
          && !RecordingReader.isLocked(file.toPath())
          && RecordingReader.read(file.toPath()) == null;
    } catch (IOException | RuntimeException unreadable) {
      return false;
    }
  }

  private static boolean isDead(File file) {
    if (file.getName().endsWith(Recordings.SWEPT)) {
      return true;
    }
    try {
      Recording recording =
          Recordings.isOwn(file.toPath()) ? null : RecordingReader.read(file.toPath());
      return recording != null && !recording.isAlive();
    } catch (IOException | RuntimeException unreadable) {
      return false; // it may live
    }
  }
}
