package io.rollotel.traces.partition;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The exclusive lock on a cache. */
final class CacheLock implements AutoCloseable {

  static final String NAME = "lock";
  static final String HOLDER = "holder";

  /**
   * The caches that this process has locked, which are not opened again: closing any channel of a
   * lock file would take the lock away.
   */
  private static final Set<Path> OWN = new HashSet<>();

  private final Path dir;
  private final FileChannel channel;

  private CacheLock(Path dir, FileChannel channel) {
    this.dir = dir;
    this.channel = channel;
  }

  /**
   * Takes the lock.
   *
   * @param dir its real path
   * @throws IOException if another process has it; the message names it, and says what to do
   */
  static CacheLock take(Path dir) throws IOException {
    synchronized (OWN) {
      if (!OWN.add(dir)) {
        throw held(dir);
      }
      boolean isTaken = false;
      try {
        FileChannel channel =
            FileChannel.open(
                dir.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
          @Nullable FileLock lock = channel.tryLock();
          if (lock == null) {
            throw held(dir);
          }
          Files.writeString(dir.resolve(HOLDER), describe());
          isTaken = true;
          return new CacheLock(dir, channel);
        } finally {
          if (!isTaken) {
            channel.close();
          }
        }
      } finally {
        if (!isTaken) {
          OWN.remove(dir);
        }
      }
    }
  }

  private static String describe() {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (IOException unknown) {
      host = "this host";
    }
    return "process "
        + ProcessHandle.current().pid()
        + " on "
        + host
        + ", since "
        + Instant.now().truncatedTo(ChronoUnit.SECONDS);
  }

  private static IOException held(Path dir) {
    String holder;
    try {
      holder = Files.readString(dir.resolve(HOLDER)).strip();
    } catch (IOException notYet) {
      holder = "another process";
    }
    return new IOException(
        "the cache "
            + dir
            + " is in use by "
            + holder
            + ": wait until it has ended, or choose another directory with --cache DIR");
  }

  @Override
  public void close() throws IOException {
    synchronized (OWN) {
      OWN.remove(dir);
      Files.deleteIfExists(dir.resolve(HOLDER));
      channel.close(); // the lock ends with it
    }
  }
}
