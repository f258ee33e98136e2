package io.rollotel.traces.file;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The own files of processes in an output directory whose spans wait for an endpoint, each with its
 * note: those of this process, and those of processes of this host that have died. A file without a
 * note is in its final place, and not included. For one thread.
 *
 * <p>A process has died if it ran on this kernel, no process holds the lock on its note, and its
 * process id, if visible, is gone. For all other processes that is unknown, so their files are left
 * alone.
 */
public final class WaitingFiles {

  /** The waiting files, as seen from outside. */
  public record Count(int files, long bytes) {}

  /** A note as read, so that it is read only once. */
  private record Known(long bytes, long modifiedMillis, WaitingNote note) {}

  /** After this time, a file that could not be sent is tried again. */
  private static final long LATER_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final Path folder;
  private final Path own;
  private final List<String> endpoints;

  private final Map<Path, Known> known = new HashMap<>();

  /** The files that cannot be sent now, and until when. */
  private final Map<Path, Long> leftUntilNanos = new HashMap<>();

  /** The files of the last search that have not been returned yet. */
  private final Deque<Path> found = new ArrayDeque<>();

  /**
   * The files beside a process's own.
   *
   * @param endpoints this process's endpoints: files that wait for others are left alone
   */
  public WaitingFiles(File ownFile, Collection<String> endpoints) {
    own = normal(ownFile);
    folder = own.resolveSibling("");
    this.endpoints = List.copyOf(endpoints);
  }

  private static Path normal(File file) {
    return file.getAbsoluteFile().toPath().normalize();
  }

  /**
   * Marks an own file that is about to be written as waiting for endpoints.
   *
   * @throws IOException if that is impossible; the message says why
   */
  public static void begin(File ownFile, Collection<String> endpoints) throws IOException {
    WaitingHold.take(normal(ownFile), List.copyOf(endpoints));
  }

  /** This part of the process no longer writes its own file. */
  public static void end(File ownFile) throws IOException {
    WaitingHold.letGo(normal(ownFile));
  }

  /**
   * The next file to send: the one from {@code setAside}, then those in the directory.
   *
   * @param setAside sets this process's own closed file aside and returns its new name; null if
   *     there is none
   * @param looksAround whether to search for files of others
   * @return null if no file waits for this process to send it
   */
  public @Nullable WaitingFile next(OwnFile setAside, boolean looksAround) {
    try {
      Path ours = setAside.setAside();
      WaitingFile claimed = ours == null ? null : claim(ours);
      if (claimed != null) {
        return claimed;
      }
    } catch (IOException e) {
      // It is left unchanged, and the next search tries again.
    }
    if (looksAround && found.isEmpty()) {
      lookAround();
    }
    for (Path file = found.poll(); file != null; file = found.poll()) {
      WaitingFile claimed = isToBeSent(file) ? claim(file) : null;
      if (claimed != null) {
        return claimed;
      }
    }
    return null;
  }

  /** Sets a process's own file aside while its writer may have it open. */
  @FunctionalInterface
  public interface OwnFile {
    /** Returns its new name; null if there is none, or it is empty. */
    @Nullable Path setAside() throws IOException;
  }

  /**
   * Sets aside the own file of this process, which its writer has closed. Its full files, which
   * were set aside before, come first, one with each call.
   *
   * @return its new name; null if there is none, it is empty, or it does not wait
   */
  public static @Nullable Path setAside(File ownFile) throws IOException {
    return WaitingHold.setAside(normal(ownFile));
  }

  /** The data of this process's own file that is still there, set aside or not. */
  public static List<Path> ofThisProcess(File ownFile) {
    Path own = normal(ownFile);
    List<Path> found = new ArrayList<>();
    for (Path file : files(own.resolveSibling(""))) {
      String name = String.valueOf(file.getFileName());
      boolean isNamedSo = own.resolveSibling(SetAsideName.original(name)).equals(own);
      if (isNamedSo && WaitingHold.isOfThisProcess(file) && file.toFile().length() > 0) {
        found.add(file);
      }
    }
    return found;
  }

  /** This file is not returned again for some time, so that others get their turn. */
  public void later(WaitingFile file) {
    leftUntilNanos.put(Path.of(file.toString()), System.nanoTime() + LATER_NANOS);
  }

  /** The waiting files in an output directory, of any process. */
  public static Count count(File outputDir) {
    int files = 0;
    long bytes = 0;
    for (Path file : files(new File(outputDir, "traces").toPath())) {
      long length = file.toFile().length();
      files += length > 0 ? 1 : 0;
      bytes += length;
    }
    return new Count(files, bytes);
  }

  private void lookAround() {
    List<Path> files = files(folder);
    known.keySet().retainAll(files);
    leftUntilNanos.values().removeIf(until -> until - System.nanoTime() <= 0);
    leftUntilNanos.keySet().retainAll(files);
    found.addAll(files);
  }

  private @Nullable WaitingFile claim(Path file) {
    try {
      boolean isSetAside = SetAsideName.is(String.valueOf(file.getFileName()));
      Path setAside = isSetAside ? file : WaitingHold.setAsideOfTheDead(file);
      return setAside == null || leftUntilNanos.containsKey(setAside)
          ? null
          : WaitingFile.claim(setAside);
    } catch (NoSuchFileException another) {
      return null; // process was faster
    } catch (IOException | RuntimeException e) {
      leftUntilNanos.put(file, System.nanoTime() + LATER_NANOS);
      return null;
    }
  }

  /** The files that have notes, by name and so by age. Reads only names. */
  private static List<Path> files(Path folder) {
    List<Path> found = new ArrayList<>();
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return found;
    }
    try (DirectoryStream<Path> entries =
        Files.newDirectoryStream(folder, "*.{jsonl,jsonl.gz}" + WaitingNote.ENDING)) {
      for (Path note : entries) {
        String name = String.valueOf(note.getFileName());
        found.add(
            note.resolveSibling(name.substring(0, name.length() - WaitingNote.ENDING.length())));
      }
    } catch (IOException | RuntimeException none) {
      return List.of();
    }
    Collections.sort(found);
    return found;
  }

  private boolean isToBeSent(Path file) {
    if (file.equals(own) || leftUntilNanos.containsKey(file) || WaitingFile.isClaimed(file)) {
      return false; // the writer of its own file sets it aside
    }
    WaitingNote note = note(file);
    if (note == null || !note.isFor(endpoints) || WaitingHold.isHeld(file)) {
      return false;
    }
    String name = String.valueOf(file.getFileName());
    Path original = file.resolveSibling(SetAsideName.original(name));
    boolean isForThis =
        note.writer().equals(ProcessMark.ofThis())
            ? SetAsideName.is(name)
            : isDead(note.writer(), original);
    if (isForThis && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      WaitingHold.removeIfFree(file); // a note whose file is gone
      return false;
    }
    return isForThis;
  }

  private @Nullable WaitingNote note(Path file) {
    File there = WaitingNote.of(file).toFile();
    Known before = known.get(file);
    long bytes = there.length();
    long modifiedMillis = there.lastModified();
    if (before != null && before.bytes == bytes && before.modifiedMillis == modifiedMillis) {
      return before.note;
    }
    WaitingNote note = WaitingHold.note(file);
    if (note == null) {
      known.remove(file); // another part of this process may just have it
    } else {
      known.put(file, new Known(bytes, modifiedMillis, note));
    }
    return note;
  }

  /**
   * Whether it has certainly died. Its lock is checked last, since that opens a file; if this
   * process holds it, an earlier one with its name has died.
   */
  private static boolean isDead(ProcessMark writer, Path original) {
    return writer.isOfThisBoot()
        && !writer.isSeen()
        && (WaitingHold.isHeld(original) || WaitingHold.isFree(original));
  }
}
