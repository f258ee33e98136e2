package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.file.SharedFolder;
import io.rollotel.traces.recording.HostName;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The lock that makes a process the driver, and the file beside it with the run's id and the
 * collector's address for the others. Not safe for use by several threads.
 */
final class DriverFile {

  /** For a run without a limit set by the user. */
  private static final String HALF = "half";

  private static final String LOCK = ".driver.lock";
  private static final String ADDRESS = ".driver";

  private static final Set<String> WEB = Set.of("http", "https");

  /** The characters that a header may contain. */
  private static final Pattern PLAIN = Pattern.compile("[\\x20-\\x7e]*");

  /** More than any address needs. A longer file contains no address. */
  private static final int MOST_BYTES = 64 << 10;

  private final File folder;
  private final Consumer<String> warn;
  private final Consumer<String> info;

  private final DriverLock lock;

  private boolean isDoubted;

  /** The last announced facts; null if there are none. */
  private byte @Nullable [] published;

  /** Whether {@link #published} could not be written, and that was logged. */
  private boolean isFailureLogged;

  /** Whether another process has become the driver here after the lock was deleted. */
  private boolean isSucceeded;

  DriverFile(File folder, Consumer<String> warn, Consumer<String> info) {
    this.folder = folder;
    this.warn = warn;
    this.info = info;
    this.lock = new DriverLock(new File(folder, LOCK).toPath(), warn);
  }

  /** Whether this process has the lock. */
  boolean isLocked() {
    return lock.isLocked();
  }

  /** Whether another process held the lock at this process's last attempt. */
  boolean isHeldByAnother() {
    return lock.isHeldByAnother();
  }

  /** Takes the lock if it is free, and deletes the address of a killed driver. */
  synchronized boolean tryLock() {
    try {
      if (!takeLock()) {
        return false;
      }
    } catch (IOException | RuntimeException e) {
      warn.accept("cannot write in " + folder + " (" + e + "): set ROLL_OTEL_OUTPUT_DIR");
      return false;
    }
    warnOfAnOpenFolder();
    // The address of a killed driver must not be mistaken for ours.
    File stale = new File(folder, ADDRESS);
    if (stale.delete()) {
      info.accept("removed the address of a driver that is gone: " + stale);
    }
    return true;
  }

  private boolean takeLock() throws IOException {
    Files.createDirectories(folder.toPath());
    return lock.tryLock();
  }

  /**
   * Recreates lock and address if they were deleted or moved: new processes look for them under
   * their names. If another process has become the driver meanwhile, it stays the driver, and this
   * one continues for the processes that know it.
   */
  synchronized void keep() {
    byte[] address = published;
    if (!lock.isLocked() || isSucceeded || address == null) {
      return;
    }
    try {
      if (lock.isGone()) {
        if (!takeLock()) {
          isSucceeded = true;
          warn.accept("another process collects in " + folder + " since its files were deleted");
          return;
        }
        info.accept("lock and address in " + folder + " were deleted: they are created again");
        write(address);
      } else if (!Files.exists(addressPath(), LinkOption.NOFOLLOW_LINKS)) {
        write(address);
      }
    } catch (IOException | RuntimeException e) {
      // The next check tries again; the writer of the spans reports that nothing can be written.
    }
  }

  private Path addressPath() {
    return new File(folder, ADDRESS).toPath();
  }

  private void warnOfAnOpenFolder() {
    for (File shared : new File[] {folder, folder.getAbsoluteFile().getParentFile()}) {
      if (shared != null && SharedFolder.isOpenToAll(shared.toPath())) {
        warn.accept(
            "all users may replace files in "
                + shared
                + ": remove their write permission, or set its sticky bit (chmod +t)");
        return;
      }
    }
  }

  /** Deletes the address and leaves the lock to the next run, if this process has it. */
  synchronized void close() {
    if (lock.isLocked()) {
      if (!lock.isGone()) { // otherwise the address is that of another driver
        new File(folder, ADDRESS).delete();
      }
      lock.unlock();
    }
  }

  /**
   * Tells the other processes.
   *
   * @param terms how much the run may write; null while that is unknown
   * @param collector null while there is none yet
   */
  synchronized void publish(
      String runId, RunBytes.@Nullable Terms terms, Rendezvous.@Nullable Collector collector) {
    StringBuilder address = new StringBuilder("# where the collector of this run listens\n");
    append(address, "run_id", runId);
    append(address, "host", HostName.get());
    append(address, "pid", Long.toString(ProcessHandle.current().pid()));
    append(address, "pid_namespace", HostName.pidNamespace());
    if (terms != null) {
      Long given = terms.given();
      append(address, "bytes_at_start", Long.toString(terms.startBytes()));
      append(address, "run_bytes", given == null ? HALF : Long.toString(given));
    }
    if (collector != null) {
      append(address, "endpoint", collector.endpoint().toString());
      if (collector.grpc() != null) {
        append(address, "grpc_endpoint", collector.grpc().toString());
      }
      append(address, "token", collector.token());
    }
    byte[] bytes = address.toString().getBytes(ISO_8859_1);
    published = bytes;
    if (isSucceeded) {
      return;
    }
    try {
      write(bytes);
      isFailureLogged = false;
    } catch (IOException e) {
      if (!isFailureLogged) { // what is announced changes several times at the start
        isFailureLogged = true;
        warn.accept(
            "cannot write in "
                + folder
                + " ("
                + e
                + "): other processes won't find this run's collector; make room, or set"
                + " ROLL_OTEL_OUTPUT_DIR");
      }
    }
  }

  private void write(byte[] address) throws IOException {
    File written = new File(folder, ADDRESS + "." + ProcessHandle.current().pid());
    try (OutputStream out = SharedFolder.replace(written.toPath())) {
      if (SharedFolder.isReadByOthers(written.toPath())) {
        info.accept("the token in " + written + " is readable by others on this file system");
      }
      out.write(address);
    }
    Files.move(
        written.toPath(),
        addressPath(),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  /**
   * Like {@link Properties#store}, which also writes the date, and so would fix the time zone
   * before the application may have set it.
   */
  private static void append(StringBuilder address, String name, String value) {
    address.append(name).append('=');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c > ' ' && c < 0x7f && c != '\\') {
        address.append(c);
      } else {
        address.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      }
    }
    address.append('\n');
  }

  /** Whether there is an address that may come from another user. */
  boolean isDoubted() {
    return isDoubted;
  }

  /** The run's id; null if there is no driver. */
  @Nullable String runId() {
    return read().getProperty("run_id");
  }

  /** A description of the lock's holder. */
  String holder() {
    Properties address = read();
    String pid = address.getProperty("pid", "");
    String host = address.getProperty("host", "");
    return pid.isEmpty()
        ? "another process"
        : "process " + pid + (host.equals(HostName.get()) ? "" : " of host " + host);
  }

  /** How much the run may write, as determined by the driver; null if that is missing. */
  RunBytes.@Nullable Terms terms() {
    Properties address = read();
    String given = address.getProperty("run_bytes", "");
    try {
      long startBytes = Long.parseLong(address.getProperty("bytes_at_start", ""));
      return new RunBytes.Terms(startBytes, given.equals(HALF) ? null : Long.valueOf(given));
    } catch (NumberFormatException none) {
      return null;
    }
  }

  /** The driver's collector, if this process can reach it; null otherwise. */
  Rendezvous.@Nullable Collector collector() {
    Properties address = read();
    String endpoint = address.getProperty("endpoint");
    String token = address.getProperty("token");
    if (endpoint == null || token == null) {
      return null;
    }
    try {
      URI uri = URI.create(endpoint);
      if (!isReachable(uri, address) || !PLAIN.matcher(token).matches()) {
        return null;
      }
      // Drivers before 0.2 have none.
      String grpc = address.getProperty("grpc_endpoint");
      URI grpcUri = grpc == null ? null : URI.create(grpc);
      boolean isGrpc = grpcUri != null && isReachable(grpcUri, address);
      return new Rendezvous.Collector(uri, token, null, isGrpc ? grpcUri : null);
    } catch (IOException | RuntimeException nonsense) {
      return null;
    }
  }

  private static boolean isReachable(URI uri, Properties address) throws IOException {
    if (!WEB.contains(String.valueOf(uri.getScheme())) || uri.getHost() == null) {
      return false;
    }
    // On a shared file system, another host's loopback address is visible but useless.
    return !InetAddress.getByName(uri.getHost()).isLoopbackAddress()
        || HostName.get().equals(address.getProperty("host"));
  }

  /** Empty if there is no file, or its process has died. */
  private Properties read() {
    Properties address = new Properties();
    Path file = new File(folder, ADDRESS).toPath();
    try {
      String doubt = SharedFolder.doubt(file);
      if (doubt != null) {
        doubt(file, doubt);
        return address;
      }
      try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
        address.load(new ByteArrayInputStream(in.readNBytes(MOST_BYTES)));
      }
      boolean isHere = HostName.get().equals(address.getProperty("host"));
      if (isHere && isSeenIfAlive(address) && !isAlive(address.getProperty("pid", ""))) {
        address.clear();
      }
    } catch (IOException | IllegalArgumentException none) {
      address.clear();
    }
    return address;
  }

  private void doubt(Path file, String why) {
    if (!isDoubted) {
      isDoubted = true;
      warn.accept(
          "the collector's address in " + file + " is not trusted: " + why + "; remove the file");
    }
  }

  /** Not if it is in another container, which may have the same name of the host. */
  private static boolean isSeenIfAlive(Properties address) {
    String namespace = address.getProperty("pid_namespace", "");
    return namespace.isEmpty() || namespace.equals(HostName.pidNamespace());
  }

  private static boolean isAlive(String pid) {
    return pid.matches("\\d{1,18}") && ProcessHandle.of(Long.parseLong(pid)).isPresent();
  }
}
