package io.rollotel.agent.recorder;

import io.rollotel.traces.recording.Recordings;
import java.io.File;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** The directory of the files: created when needed, and removed once it is empty. */
final class RecorderFolder {

  /** Other processes of the same name, and dead ones whose files have not been collected yet. */
  private static final int MOST_OF_A_NAME = 1_000;

  /** How often to try: another process may remove the directory whenever it is empty. */
  private static final int TRIES = 20;

  private final File folder;

  /** The enclosing directories that did not exist, the innermost first. */
  private final Deque<File> made = new ArrayDeque<>();

  RecorderFolder(File folder) {
    this.folder = folder;
  }

  /** Creates an empty file with this name, or with a number appended. */
  File create(String name) throws IOException {
    for (int i = 1; ; i++) {
      make(folder);
      try {
        return createNew(name);
      } catch (IOException e) {
        // Another process may have removed the directory, and a third may have created it again.
        if (i == TRIES) {
          throw e;
        }
      }
    }
  }

  private File createNew(String name) throws IOException {
    for (int i = 1; i <= MOST_OF_A_NAME; i++) {
      String number = i == 1 ? "" : "-".concat(Integer.toString(i));
      File file = new File(folder, name.concat(number).concat(Recordings.LIVE));
      // An existing file belongs to another process, or holds spans that have not been recovered
      // yet.
      if (file.createNewFile()) {
        return file;
      }
    }
    throw new IOException(MOST_OF_A_NAME + " files of this name in " + folder);
  }

  private void make(File directory) {
    if (directory.isDirectory()) {
      return;
    }
    File around = directory.getParentFile();
    if (around != null) {
      make(around);
    }
    if (directory.mkdir() && !directory.equals(folder)) {
      made.push(directory);
    }
  }

  /**
   * The folder belongs to the recorders, whichever process created it; its parents belong to
   * others, unless this process created them.
   */
  void removeIfEmpty() {
    boolean isEmpty = folder.delete();
    while (isEmpty && !made.isEmpty()) {
      isEmpty = made.pop().delete();
    }
  }
}
