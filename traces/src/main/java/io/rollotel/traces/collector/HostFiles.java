package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.ProcessFileName;
import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.recording.HostName;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.Recordings;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Transfers the files of a run's processes from a host whose files its driver cannot see: sweeps
 * the recorder files of dead processes there, packs the files, and unpacks them in the driver's
 * directory. The original files stay.
 */
public final class HostFiles {

  /** If one host has more than this, its largest files stay there. */
  static final long MOST_BYTES = 64L << 20;

  private static final String TRACES = "traces";
  private static final String PROFILES = "profiles";
  private static final String LINES = ".jsonl";

  private static final int BUFFER_BYTES = 64 << 10;

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final int MAGIC = 0x524f4c46;

  /** The resource is at the beginning of a file's first line. */
  private static final int HEAD_BYTES = 16 << 10;

  /**
   * Names come from another host: none may lead out of the two directories, or to a hidden file.
   */
  private static final Pattern NAME =
      Pattern.compile(
          "(?=traces/.*\\.jsonl|open/.*\\.dead|profiles/.*\\.jfr)"
              + "[a-z]+/(?!\\.)[\\p{L}\\p{Nd}._~-]{1,230}");

  /** The limit for different files with one name. */
  private static final int MOST_OF_A_NAME = 100;

  /**
   * The result of a transfer.
   *
   * @param files how many new files came
   * @param leftFiles how many files stay because they are too large
   * @param leftBytes their size
   * @param folder their directory on that host
   */
  public record Unpacked(int files, int leftFiles, long leftBytes, String folder) {}

  private HostFiles() {}

  /**
   * Packs this host's files of a run. First waits until live processes have exported the spans that
   * they had ended, or written them to their own files, and moves spans that dead processes had
   * ended but not sent into a file of lines.
   *
   * @param mark the name of a file in the driver's {@code traces}: if it exists here, both see the
   *     same files
   * @param patienceNanos the longest wait for live processes
   * @param info receives a line for each dead process
   * @return empty if there is nothing to be packed
   */
  public static byte[] pack(
      Path outputDir, String runId, String mark, long patienceNanos, Consumer<String> info)
      throws IOException {
    return pack(outputDir, runId, mark, patienceNanos, info, MOST_BYTES);
  }

  static byte[] pack(
      Path outputDir,
      String runId,
      String mark,
      long patienceNanos,
      Consumer<String> info,
      long mostBytes)
      throws IOException {
    if (Files.exists(outputDir.resolve(TRACES).resolve(mark))) {
      return new byte[0];
    }
    try {
      awaitExport(outputDir, runId, System.nanoTime() + patienceNanos);
      sweep(outputDir, runId, info);
    } catch (IOException e) {
      info.accept("what dead processes left in " + outputDir + " is not recovered: " + e);
    }
    List<Path> files = files(outputDir, runId);
    if (files.isEmpty()) {
      return new byte[0];
    }
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    Deflater fast = new Deflater(Deflater.BEST_SPEED);
    try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(packed, fast))) {
      out.writeInt(MAGIC);
      out.writeUTF(outputDir.toString());
      long roomBytes = mostBytes;
      int leftFiles = 0;
      long leftBytes = 0;
      for (Path file : files) {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES)) {
          long length = HostProfiles.isProfile(file) ? HostProfiles.length(in) : Files.size(file);
          if (length > roomBytes) {
            leftFiles++;
            leftBytes += length;
          } else {
            roomBytes -= length;
            out.writeUTF(outputDir.relativize(file).toString().replace(File.separatorChar, '/'));
            out.writeLong(length);
            copy(in, length, out);
          }
        } catch (NoSuchFileException gone) {
          // A living process deletes the oldest parts of its profile.
        }
      }
      out.writeUTF("");
      out.writeInt(leftFiles);
      out.writeLong(leftBytes);
    } finally {
      fast.end();
    }
    return packed.toByteArray();
  }

  private static void awaitExport(Path outputDir, String runId, long deadlineNanos)
      throws IOException {
    while (deadlineNanos - System.nanoTime() > 0 && hasUnsent(outputDir, runId)) {
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private static boolean hasUnsent(Path outputDir, String runId) throws IOException {
    return Recordings.read(outputDir).all().stream()
        .anyMatch(
            recording ->
                recording.isAlive() && !recording.ended().isEmpty() && isOf(runId, recording));
  }

  private static void sweep(Path outputDir, String runId, Consumer<String> info)
      throws IOException {
    Path traces = outputDir.resolve(TRACES);
    String name = "~recovered-" + ProcessFileName.of(HostName.get() + '-' + runId) + LINES;
    Sweep.Appender appender =
        request -> {
          File recovered = traces.resolve(name).toFile();
          try (TracesWriter writer =
              TracesWriter.open(recovered, Signal.TRACES, FileRules.DEFAULT)) {
            writer.write(request, 0, request.length);
          } catch (MalformedRequestException e) {
            throw new IOException(e);
          }
        };
    new Sweep(
            outputDir,
            process -> traces.resolve(ProcessFileName.of(process) + LINES).toFile(),
            appender,
            info)
        .run(recording -> isOf(runId, recording));
  }

  private static boolean isOf(String runId, Recording recording) {
    return recording.resource().text("roll.run_id").equals(runId);
  }

  /** The files of the run: its spans, the smallest file first, then its profiles. */
  private static List<Path> files(Path outputDir, String runId) throws IOException {
    List<Path> files = new ArrayList<>();
    for (Recording recording : Recordings.read(outputDir).all()) {
      if (recording.isSwept() && isOf(runId, recording)) {
        files.add(recording.file());
      }
    }
    Path traces = outputDir.resolve(TRACES);
    if (Files.isDirectory(traces)) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(traces, '*' + LINES)) {
        for (Path file : found) {
          if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && isOf(runId, file)) {
            files.add(file);
          }
        }
      }
    }
    List<Path> sorted = smallestFirst(files);
    sorted.addAll(HostProfiles.ofRun(outputDir.resolve(PROFILES), runId));
    return sorted;
  }

  static List<Path> smallestFirst(List<Path> files) {
    record Sized(Path file, long bytes) {}
    List<Sized> sized = new ArrayList<>();
    for (Path file : files) {
      sized.add(
          new Sized(file, file.toFile().length())); // read once, because it may grow meanwhile
    }
    sized.sort(Comparator.comparingLong(Sized::bytes));
    List<Path> sorted = new ArrayList<>();
    sized.forEach(one -> sorted.add(one.file()));
    return sorted;
  }

  private static boolean isOf(String runId, Path lines) throws IOException {
    try (InputStream in = Files.newInputStream(lines)) {
      String head = new String(in.readNBytes(HEAD_BYTES), UTF_8);
      return head.contains("\"roll.run_id\"") && head.contains("\"" + runId + "\"");
    }
  }

  /** Exactly this many bytes, because the file may grow or shrink meanwhile. */
  private static void copy(InputStream in, long length, OutputStream out) throws IOException {
    long left = length;
    byte[] buffer = new byte[BUFFER_BYTES];
    int count = 0;
    while (left > 0 && count >= 0) {
      out.write(buffer, 0, count);
      left -= count;
      count = in.read(buffer, 0, (int) Math.min(left, buffer.length));
    }
    for (; left > 0; left--) {
      out.write('\n'); // readers ignore an empty line
    }
  }

  /**
   * Writes the files of another host into the driver's directory. Existing files are kept: if one
   * has the same name and other content, the new one gets a number.
   *
   * @param runBytes what the run may write
   * @throws IOException if not everything can be written, or the data is invalid; written files
   *     stay
   */
  public static Unpacked unpack(byte[] packed, Path outputDir, RunBytes runBytes)
      throws IOException {
    try (DataInputStream in =
        new DataInputStream(new InflaterInputStream(new ByteArrayInputStream(packed)))) {
      if (in.readInt() != MAGIC) {
        throw new IOException("its agent has another version");
      }
      String folder = in.readUTF();
      long roomBytes = MOST_BYTES;
      int files = 0;
      for (String name = in.readUTF(); !name.isEmpty(); name = in.readUTF()) {
        long length = in.readLong();
        roomBytes -= Math.max(0, length);
        if (!NAME.matcher(name).matches() || length < 0 || roomBytes < 0) {
          throw new IOException("no file of a worker: " + name + ", " + length + " bytes");
        }
        if (unpack(in, length, outputDir.resolve(name), runBytes)) {
          files++;
        }
      }
      return new Unpacked(files, in.readInt(), in.readLong(), folder);
    }
  }

  private static boolean unpack(DataInputStream in, long length, Path named, RunBytes runBytes)
      throws IOException {
    String name = String.valueOf(named.getFileName());
    int stem = name.lastIndexOf('.');
    Path free = named;
    List<Path> ofThisName = new ArrayList<>();
    while (Files.exists(free, LinkOption.NOFOLLOW_LINKS)) {
      if (ofThisName.size() == MOST_OF_A_NAME) {
        in.skipNBytes(length);
        return false;
      }
      ofThisName.add(free);
      int number = ofThisName.size() + 1;
      free = named.resolveSibling(name.substring(0, stem) + '-' + number + name.substring(stem));
    }
    runBytes.take(length);
    Files.createDirectories(free.toAbsolutePath().getParent());
    boolean isNew = false;
    try (OutputStream out = Files.newOutputStream(free, CREATE_NEW, WRITE)) {
      byte[] buffer = new byte[BUFFER_BYTES];
      for (long left = length; left > 0; ) {
        int count = (int) Math.min(left, buffer.length);
        in.readFully(buffer, 0, count);
        out.write(buffer, 0, count);
        left -= count;
      }
      isNew = true;
      for (Path other : ofThisName) {
        isNew &= !isSame(other, free);
      }
    } finally {
      if (!isNew) {
        Files.deleteIfExists(free);
      }
    }
    return isNew;
  }

  private static boolean isSame(Path there, Path come) throws IOException {
    return Files.isRegularFile(there, LinkOption.NOFOLLOW_LINKS) && Files.mismatch(there, come) < 0;
  }
}
