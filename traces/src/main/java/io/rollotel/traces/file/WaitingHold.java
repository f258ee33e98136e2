package io.rollotel.traces.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The lock that a process holds on the note of its own file for as long as it lives, or until the
 * file no longer waits. So other processes know when they may send a dead process's file. Several
 * parts of one process share it.
 */
final class WaitingHold {

  /** A process that checks whether another is alive holds that one's lock for a moment. */
  private static final int ATTEMPTS = 10;

  private static final long PAUSE_NANOS = 10_000_000;

  /**
   * The locks of this process, shared by all its parts. Closing another channel to one of these
   * files would release the lock, so no other code here opens them, and a file that has no lock is
   * opened only while no other thread can take one.
   */
  private static final Map<Path, WaitingHold> HELD = new HashMap<>();

  private final FileChannel channel;
  private final WaitingNote note;

  /** The full files of this process that have not been requested yet, the oldest first. */
  private final Queue<Path> full = new ArrayDeque<>();

  private int parts;

  private WaitingHold(FileChannel channel, WaitingNote note) {
    this.channel = channel;
    this.note = note;
  }

  /**
   * Marks a process's own file, which it is about to write, as waiting. An existing file of that
   * name is set aside first, and keeps waiting for the same endpoint.
   *
   * @throws IOException if it cannot be, since another process may use it, or there are no locks;
   *     says why
   */
  static void take(Path file, List<String> endpoints) throws IOException {
    synchronized (HELD) {
      WaitingHold held = HELD.get(file);
      if (held == null) {
        held = made(file, endpoints);
        HELD.put(file, held);
      }
      held.parts++;
    }
  }

  private static WaitingHold made(Path file, List<String> endpoints) throws IOException {
    Path path = WaitingNote.of(file);
    Files.createDirectories(Objects.requireNonNull(path.getParent()));
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      FileChannel channel =
          FileChannel.open(
              path,
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              LinkOption.NOFOLLOW_LINKS);
      WaitingHold made = null;
      try {
        Object key = key(path);
        FileLock lock = channel.tryLock();
        if (lock != null && Objects.equals(key, key(path))) { // it was not just removed
          WaitingNote before = WaitingNote.read(channel);
          if (before != null && !before.writer().isOfThisBoot()) {
            throw new IOException(
                "a process of another host, or from before a restart of this one, has a file of"
                    + " that name, and may live");
          }
          setAside(file, before);
          WaitingNote note = new WaitingNote(0, ProcessMark.ofThis(), endpoints);
          channel.truncate(0);
          channel.write(note.bytes(), 0);
          made = new WaitingHold(channel, note);
          return made;
        }
      } catch (OverlappingFileLockException anotherLoader) {
        throw new IOException("another part of this process has it", anotherLoader);
      } finally {
        if (made == null) {
          channel.close();
        }
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    throw new IOException("another process of that name lives");
  }

  private static @Nullable Object key(Path path) throws IOException {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
        ? Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey()
        : null;
  }

  /** It contains lines of an earlier process, or of a run whose spans went elsewhere. */
  private static void setAside(Path file, @Nullable WaitingNote before) throws IOException {
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) > 0) {
      moveAside(file, before);
    }
  }

  private static Path moveAside(Path file, @Nullable WaitingNote note) throws IOException {
    Path full = FileRotation.unusedName(file);
    if (note != null) {
      note.write(full);
    }
    try {
      Files.move(file, full, StandardCopyOption.ATOMIC_MOVE);
      return full;
    } catch (IOException e) {
      Files.deleteIfExists(WaitingNote.of(full));
      throw e;
    }
  }

  /**
   * Renames a full file, which must not be open. If it waits, it keeps waiting under its new name.
   *
   * @return its new name
   */
  static Path rotate(Path file) throws IOException {
    synchronized (HELD) {
      WaitingHold held = HELD.get(file);
      Path renamed = moveAside(file, held == null ? null : held.note);
      if (held != null) {
        held.full.add(renamed);
      }
      return renamed;
    }
  }

  /**
   * Sets this process's files aside for sending: first its full files, one with each call.
   *
   * @return its new name; null if it does not wait, or there is none
   */
  static @Nullable Path setAside(Path file) throws IOException {
    WaitingHold held;
    synchronized (HELD) {
      held = HELD.get(file);
      Path full = held == null ? null : held.full.poll();
      if (full != null) {
        return full;
      }
    }
    return held != null
            && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
            && Files.size(file) > 0
        ? moveAside(file, held.note)
        : null;
  }

  /**
   * Sets aside a dead process's file.
   *
   * @return its new name; null if another process, or another part of this one, has it
   */
  static @Nullable Path setAsideOfTheDead(Path file) throws IOException {
    synchronized (HELD) {
      return HELD.containsKey(file) ? null : setAsideIfUnlocked(file);
    }
  }

  private static @Nullable Path setAsideIfUnlocked(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            WaitingNote.of(file),
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS)) {
      FileLock lock = channel.tryLock();
      WaitingNote note = lock == null ? null : WaitingNote.read(channel);
      if (note == null || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        return null;
      }
      Path full = moveAside(file, note);
      Files.deleteIfExists(WaitingNote.of(file));
      return full;
    }
  }

  /** Whether this process has it. */
  static boolean isHeld(Path file) {
    synchronized (HELD) {
      return HELD.containsKey(file);
    }
  }

  /**
   * The note of a file that this process does not have; null if it has the file, there is no note,
   * or another program wrote it.
   */
  static @Nullable WaitingNote note(Path file) {
    synchronized (HELD) {
      return HELD.containsKey(file) ? null : WaitingNote.read(file);
    }
  }

  /** Whether this process has it, or had it and left it waiting. */
  static boolean isOfThisProcess(Path file) {
    synchronized (HELD) {
      WaitingNote note = note(file);
      return HELD.containsKey(file) || (note != null && note.writer().equals(ProcessMark.ofThis()));
    }
  }

  /** Whether no process has it, including this one. False if unknown. */
  static boolean isFree(Path file) {
    synchronized (HELD) {
      return !HELD.containsKey(file) && isUnlocked(file);
    }
  }

  private static boolean isUnlocked(Path file) {
    try (FileChannel channel =
            FileChannel.open(
                WaitingNote.of(file), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
      return lock != null;
    } catch (OverlappingFileLockException thisProcess) {
      return false;
    } catch (IOException e) {
      return !Files.exists(WaitingNote.of(file), LinkOption.NOFOLLOW_LINKS);
    }
  }

  /**
   * A part of this process has stopped writing there. If no file waits, the note is removed as
   * well.
   */
  static void letGo(Path file) throws IOException {
    synchronized (HELD) {
      WaitingHold held = HELD.get(file);
      if (held == null || --held.parts > 0) {
        return;
      }
      HELD.remove(file);
      if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        Files.deleteIfExists(WaitingNote.of(file));
      }
      held.channel.close();
    }
  }

  /** Removes a note whose file is gone, unless a process has it. */
  static void removeIfFree(Path file) {
    synchronized (HELD) {
      if (!HELD.containsKey(file)) {
        removeIfUnlocked(file);
      }
    }
  }

  private static void removeIfUnlocked(Path file) {
    try (FileChannel channel =
        FileChannel.open(
            WaitingNote.of(file), StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      FileLock lock = channel.tryLock();
      if (lock != null && !Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        Files.deleteIfExists(WaitingNote.of(file));
      }
    } catch (IOException | OverlappingFileLockException left) {
      // It is small.
    }
  }
}
