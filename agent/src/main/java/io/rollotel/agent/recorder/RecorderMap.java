package io.rollotel.agent.recorder;

import io.rollotel.traces.recording.RecordingCleanup;
import io.rollotel.traces.recording.RecordingLayout;
import io.rollotel.traces.recording.RecordingResource;
import io.rollotel.traces.recording.Recordings;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A recorder file, mapped; it is this process's as long as this has the lock on it.
 *
 * <p>What makes it has no lambdas and joins no text with {@code +}: the first of either costs more
 * than all else here, and that on the thread of the program's first span.
 */
final class RecorderMap {

  /**
   * The last mapping, kept reachable: the JDK ends the JVM if cleaning one up fails for want of
   * memory.
   */
  @SuppressWarnings("UnusedVariable")
  private static volatile @Nullable ByteBuffer lastMapped;

  /** Between two signs of life that spans give. */
  private static final long BEAT_NANOS = 100_000_000;

  private final RecorderFolder folder;
  private final File file;
  private final RandomAccessFile locked;
  private final ByteBuffer bytes;
  private final LongSupplier epochNanos;
  private final Slots slots;
  private final NameTable names;

  /** Not exact: one beat more or less. */
  private long beatEpochNanos;

  private RecorderMap(
      RecorderFolder folder,
      File file,
      RandomAccessFile locked,
      ByteBuffer bytes,
      int size,
      LongSupplier epochNanos) {
    this.folder = folder;
    this.file = file;
    this.locked = locked;
    this.bytes = bytes;
    this.epochNanos = epochNanos;
    RecordingLayout layout = RecordingLayout.of(size);
    slots = new Slots(bytes, layout);
    names = new NameTable(bytes, layout, slots);
  }

  /**
   * Makes the file, with every block of it on the disk: a hole in it would be a fault of this JVM
   * once the disk is full. To readers it is unfinished until {@link #open}.
   */
  static RecorderMap make(File folder, String name, int size, LongSupplier epochNanos)
      throws IOException {
    RecordingCleanup.tidyIfMany(folder);
    RecorderFolder made = new RecorderFolder(folder);
    try {
      return make(made, made.create(name), size, epochNanos);
    } catch (IOException | RuntimeException | Error e) {
      folder.delete(); // which does nothing where others have files in it
      throw e;
    }
  }

  private static RecorderMap make(
      RecorderFolder folder, File file, int size, LongSupplier epochNanos) throws IOException {
    // The JDK closes a channel under a thread that is interrupted; that is the application's.
    boolean interrupted = Thread.interrupted();
    Recordings.setOwn(file);
    RandomAccessFile opened = null;
    try {
      opened = new RandomAccessFile(file, "rw");
      lock(opened.getChannel());
      byte[] zeros = new byte[64 << 10];
      for (int written = 0; written < size; written += zeros.length) {
        opened.write(zeros, 0, Math.min(zeros.length, size - written));
      }
      ByteBuffer bytes =
          opened
              .getChannel()
              .map(FileChannel.MapMode.READ_WRITE, 0, size)
              .order(ByteOrder.LITTLE_ENDIAN);
      lastMapped = bytes;
      RecorderMap map = new RecorderMap(folder, file, opened, bytes, size, epochNanos);
      map.writeProcess();
      return map;
    } catch (IOException | RuntimeException | Error e) {
      if (opened != null) {
        opened.close();
      }
      Recordings.unsetOwn(file);
      file.delete();
      throw e;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Where there are no locks the last sign of life tells who lives. */
  @SuppressWarnings("UnusedVariable") // it goes with the file
  private static void lock(FileChannel channel) {
    try {
      channel.tryLock();
    } catch (IOException noLocksHere) {
      // as above
    }
  }

  private void writeProcess() {
    RecordingLayout layout = slots.layout();
    bytes.putLong(RecordingLayout.NAME_BYTES_AT, layout.nameBytes());
    bytes.putLong(RecordingLayout.OPEN_SLOTS_AT, layout.openSlots());
    bytes.putLong(RecordingLayout.RING_SLOTS_AT, layout.ringSlots());
    ProcessHandle process = ProcessHandle.current();
    bytes.putLong(RecordingLayout.PID_AT, process.pid());
    Optional<Instant> start = process.info().startInstant();
    bytes.putLong(
        RecordingLayout.PROCESS_START_MILLIS_AT,
        start.isPresent() ? start.get().toEpochMilli() : 0);
    bytes.putLong(RecordingLayout.CLOCK_EPOCH_NANOS_AT, epochNanos.getAsLong());
    bytes.putLong(RecordingLayout.CLOCK_NANO_TIME_AT, System.nanoTime());
  }

  /** From now on it can be read. */
  void open(Map<String, Object> resource) {
    resource(resource);
    beat();
    slots.publish(RecordingLayout.MAGIC_AT, RecordingLayout.MAGIC);
  }

  /** A reader that comes meanwhile sees by the checksum that it is not whole. */
  void resource(Map<String, Object> resource) {
    byte[] written = RecordingResource.write(resource);
    bytes.putInt(RecordingLayout.RESOURCE_AT, written.length);
    bytes.putInt(RecordingLayout.RESOURCE_AT + 4, RecordingLayout.checksum(written));
    for (int i = 0; i < written.length; i++) {
      bytes.put(RecordingLayout.RESOURCE_AT + 8 + i, written[i]);
    }
  }

  File file() {
    return file;
  }

  Slots slots() {
    return slots;
  }

  NameTable names() {
    return names;
  }

  /** The process lives; the clock may say anything. */
  void beat() {
    long now = epochNanos.getAsLong();
    beatEpochNanos = now;
    bytes.putLong(RecordingLayout.BEAT_EPOCH_NANOS_AT, now);
    bytes.putLong(RecordingLayout.BEAT_NANO_TIME_AT, System.nanoTime());
  }

  /** A span started then. */
  void seen(long startEpochNanos) {
    if (Math.abs(startEpochNanos - beatEpochNanos) > BEAT_NANOS) {
      beat();
    }
  }

  /**
   * Removes the file, unless spans are open: what they were doing may be the question. Then it
   * keeps no more than is in it.
   */
  void close() throws IOException {
    try {
      if (slots.hasOpen()) {
        beat();
        Recordings.compact(file, bytes);
      } else {
        slots.publish(RecordingLayout.MAGIC_AT, 0); // where a mapped file cannot be deleted
        file.delete();
        folder.removeIfEmpty();
      }
    } finally {
      locked.close(); // the lock goes with it, the mapping with the last thread that writes
      Recordings.unsetOwn(file);
    }
  }
}
