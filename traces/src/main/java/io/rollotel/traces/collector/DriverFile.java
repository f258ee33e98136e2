package io.rollotel.traces.collector;

import io.rollotel.traces.recording.HostName;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.URI;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.Properties;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lock that makes a process the driver, and the file beside it that tells the others the run's
 * id and where the collector listens. Not safe for use by several threads.
 */
final class DriverFile {

  private static final String LOCK = ".driver.lock";
  private static final String ADDRESS = ".driver";

  private final File folder;
  private final Consumer<String> warn;
  private final Consumer<String> info;

  private @Nullable RandomAccessFile lockFile;
  private @Nullable FileLock lock;
  private boolean isHeldByAnother;

  DriverFile(File folder, Consumer<String> warn, Consumer<String> info) {
    this.folder = folder;
    this.warn = warn;
    this.info = info;
  }

  /** Whether this process has the lock. */
  boolean isLocked() {
    return lock != null;
  }

  /** Whether another had it when this process last tried. */
  boolean isHeldByAnother() {
    return isHeldByAnother;
  }

  /** Takes the lock, if nobody has it, and deletes what a killed driver has left. */
  boolean tryLock() {
    isHeldByAnother = false;
    try {
      Files.createDirectories(folder.toPath());
      lockFile = new RandomAccessFile(new File(folder, LOCK), "rw");
      lock = lockFile.getChannel().tryLock();
      isHeldByAnother = lock == null;
    } catch (OverlappingFileLockException sameProcess) {
      isHeldByAnother = true;
    } catch (IOException | RuntimeException e) {
      warn.accept("cannot write in " + folder + " (" + e + "): set ROLL_OTEL_OUTPUT_DIR");
    }
    if (lock == null) {
      unlock();
      return false;
    }
    // What a killed driver left behind must not be taken for ours.
    File stale = new File(folder, ADDRESS);
    if (stale.delete()) {
      info.accept("removed the address of a driver that is gone: " + stale);
    }
    return true;
  }

  /** Deletes the address and leaves the lock to the next run, if this process has it. */
  void close() {
    if (lock != null) {
      new File(folder, ADDRESS).delete();
      unlock();
    }
  }

  private void unlock() {
    lock = null;
    RandomAccessFile open = lockFile;
    lockFile = null;
    if (open != null) {
      try {
        open.close(); // the lock goes with it
      } catch (IOException e) {
        warn.accept("the lock in " + folder + " was not left cleanly: " + e);
      }
    }
  }

  /**
   * Tells the other processes.
   *
   * @param collector null while there is none yet
   */
  void publish(String runId, Rendezvous.@Nullable Collector collector) {
    Properties address = new Properties();
    address.setProperty("run_id", runId);
    address.setProperty("host", HostName.get());
    address.setProperty("pid", Long.toString(ProcessHandle.current().pid()));
    if (collector != null) {
      address.setProperty("endpoint", collector.endpoint().toString());
      address.setProperty("token", collector.token());
    }
    File written = new File(folder, ADDRESS + "." + ProcessHandle.current().pid());
    try {
      try (OutputStream out = new FileOutputStream(written)) {
        // Before the token is in it. A file system without owners keeps it open to all.
        if (!written.setReadable(false, false) || !written.setReadable(true, true)) {
          info.accept("the token in " + written + " is readable by others on this file system");
        }
        address.store(out, "where the collector of this run listens");
      }
      Files.move(
          written.toPath(),
          new File(folder, ADDRESS).toPath(),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      warn.accept("cannot write in " + folder + " (" + e + "): other processes won't find it");
    }
  }

  /** The run's id; null where there is no driver. */
  @Nullable String runId() {
    return read().getProperty("run_id");
  }

  /** The driver's collector, as far as this process can reach it; null where there is none. */
  Rendezvous.@Nullable Collector collector() {
    Properties address = read();
    String endpoint = address.getProperty("endpoint");
    String token = address.getProperty("token");
    if (endpoint == null || token == null) {
      return null;
    }
    try {
      URI uri = URI.create(endpoint);
      boolean loopback = InetAddress.getByName(uri.getHost()).isLoopbackAddress();
      // On a shared file system another host's loopback address is there to be seen, not used.
      if (loopback && !HostName.get().equals(address.getProperty("host"))) {
        return null;
      }
      return new Rendezvous.Collector(uri, token);
    } catch (IOException | RuntimeException nonsense) {
      return null;
    }
  }

  /** Empty where there is no file, or its process has died. */
  private Properties read() {
    Properties address = new Properties();
    try (InputStream in = new FileInputStream(new File(folder, ADDRESS))) {
      address.load(in);
      boolean isHere = HostName.get().equals(address.getProperty("host"));
      if (isHere && !isAlive(address.getProperty("pid", ""))) {
        address.clear();
      }
    } catch (IOException | IllegalArgumentException none) {
      address.clear();
    }
    return address;
  }

  private static boolean isAlive(String pid) {
    return pid.matches("\\d{1,18}") && ProcessHandle.of(Long.parseLong(pid)).isPresent();
  }
}
