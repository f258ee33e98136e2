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
 * A mapped recorder file. It belongs to this process as long as this object holds the lock on it.
 *
 * <p>The code that creates it has no lambdas: the first one costs more than everything else here,
 * on the thread of the program's first span.
 */
final class RecorderMap {

  /**
   * The last mapping, kept reachable: the JDK ends the JVM if cleaning one up fails for want of
   * memory.
   */
  @SuppressWarnings("UnusedVariable")
  private static volatile @Nullable ByteBuffer lastMapped;

  /** The time between two signs of life from spans. */
  private static final long BEAT_NANOS = 100_000_000;

  private final RecorderFolder folder;
  private final File file;
  private final RandomAccessFile locked;
  private final ByteBuffer bytes;
  private final LongSupplier epochNanos;
  private final Slots slots;
  private final NameTable names;

  /** Not exact: one beat more or less does not matter. */
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
   * Makes the file, with every block of it on the disk: a hole in it would crash this JVM once the
   * disk is full. Readers regard it as unfinished until {@link #open}.
   */
  static RecorderMap make(File folder, String name, int size, LongSupplier epochNanos)
      throws IOException {
    RecordingCleanup.tidyIfMany(folder);
    RecorderFolder made = new RecorderFolder(folder);
    try {
      return make(made, made.create(name), size, epochNanos);
    } catch (IOException | RuntimeException | Error e) {
      folder.delete(); // this does nothing if others have files in it
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

  /** Without locks, the last sign of life shows which processes are alive. */
  @SuppressWarnings("UnusedVariable") // the lock ends with the file
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

  /** A concurrent reader sees from the checksum that it is incomplete. */
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

  /** The process is alive; the clock may be wrong. */
  void beat() {
    long now = epochNanos.getAsLong();
    beatEpochNanos = now;
    bytes.putLong(RecordingLayout.BEAT_EPOCH_NANOS_AT, now);
    bytes.putLong(RecordingLayout.BEAT_NANO_TIME_AT, System.nanoTime());
  }

  /** So many spans were dropped since the process started. */
  void dropped(long spans) {
    bytes.putLong(RecordingLayout.DROPPED_AT, spans);
  }

  private boolean hasDropped() {
    return bytes.getLong(RecordingLayout.DROPPED_AT) != 0;
  }

  /** A span started then. */
  void seen(long startEpochNanos) {
    if (Math.abs(startEpochNanos - beatEpochNanos) > BEAT_NANOS) {
      beat();
    }
  }

  /**
   * Removes the file, unless spans are open or were dropped, which may matter to the user. Then the
   * file shrinks to its contents.
   *
   * @param keepsOpen whether open spans matter: not if nobody will record their ends
   */
  void close(boolean keepsOpen) throws IOException {
    try {
      if (keepsOpen && (slots.hasOpen() || hasDropped())) {
        beat();
        bytes.putLong(RecordingLayout.EXITED_AT, 1);
        Recordings.compact(file, bytes);
      } else {
        slots.publish(RecordingLayout.MAGIC_AT, 0); // where a mapped file cannot be deleted
        file.delete();
        folder.removeIfEmpty();
      }
    } finally {
      locked.close(); // the lock ends with it, the mapping with the last thread that writes
      Recordings.unsetOwn(file);
    }
  }
}
