package io.rollotel.traces.collector;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lock on a file, held by one part of one process.
 *
 * <p>On POSIX systems a process loses its lock on a file as soon as it closes <em>any</em>
 * descriptor of that file, and the JDK closes the descriptor of an unreachable channel. So each
 * file is opened once, and stays open as long as any part of this process has it locked.
 */
final class DriverLock {

  /**
   * The open channel of each lock file. A static field, because the locks belong to the process.
   * The class is its monitor: no channel may close while another part of the process takes the
   * lock.
   */
  private static final Map<Object, FileChannel> OPEN = new HashMap<>();

  private final Path path;
  private final Consumer<String> warn;

  private volatile @Nullable FileLock lock;
  private volatile boolean isHeldByAnother;

  /** The file that {@link #lock} is on; its path if the file system has no file keys. */
  private @Nullable Object key;

  DriverLock(Path path, Consumer<String> warn) {
    this.path = path;
    this.warn = warn;
  }

  boolean isLocked() {
    return lock != null;
  }

  /** Whether another process or another part of this one held the lock at the last attempt. */
  boolean isHeldByAnother() {
    return isHeldByAnother;
  }

  /**
   * Takes the lock, if it is free. If this object has the lock of a file that was deleted since, it
   * releases that lock only after getting the new one.
   *
   * @throws IOException if the file can be neither opened nor locked
   */
  boolean tryLock() throws IOException {
    synchronized (DriverLock.class) {
      FileChannel known = Files.exists(path, LinkOption.NOFOLLOW_LINKS) ? OPEN.get(key()) : null;
      FileChannel channel =
          known != null
              ? known
              : FileChannel.open(
                  path,
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE,
                  LinkOption.NOFOLLOW_LINKS);
      Object opened = path;
      FileLock taken = null;
      try {
        opened = key();
        taken = channel.tryLock();
      } catch (OverlappingFileLockException sameProcess) {
        OPEN.put(opened, channel);
        isHeldByAnother = true;
        return false;
      } finally {
        if (taken == null && !OPEN.containsValue(channel)) {
          channel.close();
        }
      }
      isHeldByAnother = taken == null;
      if (taken != null) {
        unlock();
        OPEN.put(opened, channel);
        key = opened;
        lock = taken;
      }
      return taken != null;
    }
  }

  /** Whether the locked file was deleted or replaced. False if the file system fails. */
  boolean isGone() {
    try {
      return !key().equals(key);
    } catch (NoSuchFileException e) {
      return true;
    } catch (IOException passing) {
      return false;
    }
  }

  /** Leaves the lock to others, if this object has it. */
  void unlock() {
    synchronized (DriverLock.class) {
      FileLock left = lock;
      if (left == null) {
        return;
      }
      lock = null;
      OPEN.remove(key);
      try {
        left.acquiredBy().close(); // the lock ends with it
      } catch (IOException e) {
        warn.accept("the lock " + path + " was not released cleanly: " + e);
      }
    }
  }

  private Object key() throws IOException {
    Object key =
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    return key == null ? path : key;
  }
}
