package io.rollotel.traces.file;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Renames a full file, so that its writer can begin a new one. Like otelcol's, the new name
 * contains the time: {@code traces-2026-11-21T17-05-00.000.jsonl}.
 */
final class FileRotation {

  /** The ending of a compressed file that is not complete. */
  private static final String PART = ".gz.part";

  /**
   * The parts that this process is writing. A closed writer may still compress its last file when
   * the next writer of that name begins.
   */
  private static final Set<Path> UNDER_WAY = ConcurrentHashMap.newKeySet();

  private static final long CLOSE_PATIENCE_MILLIS = 10_000;

  /** The time between two attempts, for each of which the file must be closed. */
  private static final long AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final File file;
  private final boolean isGzip;
  private final LongSupplier nanoTime;
  private @Nullable Thread compressing;
  private boolean hasFailed;
  private long failedNanos;

  FileRotation(File file, boolean isGzip, LongSupplier nanoTime) {
    this.file = file;
    this.isGzip = isGzip;
    this.nanoTime = nanoTime;
  }

  /**
   * False for a while after a failed attempt: then the file grows further, which is better than no
   * file.
   */
  boolean mayTry() {
    return !hasFailed || nanoTime.getAsLong() - failedNanos >= AGAIN_NANOS;
  }

  /**
   * Sets a file aside: renames it as a rotation would. Its writer notices that with the next line,
   * and begins a new file.
   *
   * @throws IOException if it is not there, or cannot be renamed
   */
  static Path setAside(Path file) throws IOException {
    Path full = unusedName(file);
    Files.move(file, full, StandardCopyOption.ATOMIC_MOVE);
    return full;
  }

  /** Renames the file, which must not be open. */
  void rotate() {
    Path full;
    try {
      full = WaitingHold.rotate(file.getAbsoluteFile().toPath().normalize());
    } catch (NoSuchFileException another) {
      return; // thread or process has just set it aside
    } catch (IOException e) { // for example, the disk has no room for a note
      hasFailed = true;
      failedNanos = nanoTime.getAsLong();
      return;
    }
    hasFailed = false;
    if (isGzip) {
      compressInBackground(full);
    }
  }

  private void compressInBackground(Path full) {
    Thread before = compressing;
    try {
      Thread thread = new Thread(null, () -> compress(full, before), "roll-otel-gzip", 0, false);
      thread.setDaemon(true);
      thread.setContextClassLoader(FileRotation.class.getClassLoader());
      thread.start();
      compressing = thread;
    } catch (OutOfMemoryError noThread) {
      // The file is left uncompressed, which must not cost the line that was about to be written.
    }
  }

  static Path unusedName(Path file) {
    String name = String.valueOf(file.getFileName());
    int dot = name.lastIndexOf('.');
    String stem = dot < 0 ? name : name.substring(0, dot);
    String suffix = dot < 0 ? "" : name.substring(dot);
    String time = timeNow();
    for (int number = 0; ; number++) {
      String more = number == 0 ? "" : "-" + number;
      Path path = file.resolveSibling(stem + "-" + time + more + suffix);
      if (!Files.exists(path) && !Files.exists(compressed(path))) {
        return path;
      }
    }
  }

  static String timeNow() {
    return time(LocalDateTime.now(ZoneOffset.UTC));
  }

  /**
   * {@code 2026-11-21T17-05-00.000}. Does not use a formatter: it would be a constant here, and a
   * class whose constants do not fit into a full heap can never be used again in the JVM.
   */
  static String time(LocalDateTime now) {
    StringBuilder text = new StringBuilder(23).append(now.toLocalDate()).append('T');
    digits(text, now.getHour(), 10).append('-');
    digits(text, now.getMinute(), 10).append('-');
    digits(text, now.getSecond(), 10).append('.');
    return digits(text, now.getNano() / 1_000_000, 100).toString();
  }

  private static StringBuilder digits(StringBuilder text, int number, int least) {
    for (int power = least; power > 1 && number < power; power /= 10) {
      text.append('0');
    }
    return text.append(number);
  }

  private static Path compressed(Path full) {
    return full.resolveSibling(full.getFileName() + ".gz");
  }

  /**
   * At any time, the file or its compressed form exists, for a moment both: readers use one of
   * them.
   */
  static void compress(Path full, @Nullable Thread before) {
    Path part = full.resolveSibling(full.getFileName() + PART);
    try {
      if (before != null) {
        before.join(); // one at a time
      }
      UNDER_WAY.add(part);
      removeParts(full);
      Files.deleteIfExists(part);
      try (OutputStream out =
          new GZIPOutputStream(
              Files.newOutputStream(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              64 << 10)) {
        Files.copy(full, out);
      }
      Files.move(part, compressed(full), StandardCopyOption.ATOMIC_MOVE);
      Files.delete(full);
    } catch (IOException | InterruptedException e) {
      // The file is left uncompressed, and can be read like that.
      part.toFile().delete();
    } finally {
      UNDER_WAY.remove(part);
    }
  }

  /** Removes what killed processes have left of this file: no other process writes it now. */
  private static void removeParts(Path full) {
    String original = SetAsideName.original(String.valueOf(full.getFileName()));
    try (DirectoryStream<Path> parts =
        Files.newDirectoryStream(full.resolveSibling(""), "*" + PART)) {
      for (Path part : parts) {
        String name = String.valueOf(part.getFileName());
        String of = name.substring(0, name.length() - PART.length());
        if (SetAsideName.is(of)
            && SetAsideName.original(of).equals(original)
            && !UNDER_WAY.contains(part)) {
          Files.deleteIfExists(part);
        }
      }
    } catch (IOException | DirectoryIteratorException another) {
      // They are left for the next time.
    }
  }

  /** Waits for the compression that is under way. */
  void close() {
    Thread thread = compressing;
    if (thread == null) {
      return;
    }
    try {
      thread.join(CLOSE_PATIENCE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
