package io.rollotel.traces.kit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.recording.RecordingLayout;
import io.rollotel.traces.recording.Recordings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The recorder file of a process with one open span, as docs/file-format.md has it. */
public final class PlantedRecording {

  private PlantedRecording() {}

  /** Writes it below an output directory; the span has begun just now. */
  public static void write(Path dir, String name, long spanId) throws IOException {
    long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    write(dir, name, spanId, now, now);
  }

  /** Writes it; the span has begun at a moment, and the process was last seen at another. */
  public static void write(
      Path dir, String name, long spanId, long startEpochNanos, long seenEpochNanos)
      throws IOException {
    RecordingLayout layout = RecordingLayout.of(RecordingLayout.LEAST_BYTES);
    ByteBuffer file = ByteBuffer.allocate(layout.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    file.putLong(RecordingLayout.MAGIC_AT, RecordingLayout.MAGIC);
    file.putLong(RecordingLayout.OPEN_SLOTS_AT, layout.openSlots());
    file.putLong(RecordingLayout.RING_SLOTS_AT, layout.ringSlots());
    file.putLong(RecordingLayout.BEAT_EPOCH_NANOS_AT, seenEpochNanos);
    int nameAt = 64;
    byte[] text = name.getBytes(UTF_8);
    file.putInt(layout.namesAt() + nameAt, text.length);
    file.putInt(layout.namesAt() + nameAt + 4, RecordingLayout.checksum(text));
    file.put(layout.namesAt() + nameAt + 8, text);
    long[] slot = {0, 1, spanId, 0, startEpochNanos, 23, RecordingLayout.facts(nameAt, 1, 0, true)};
    long sum =
        RecordingLayout.checksum(
            RecordingLayout.OPEN, slot[0], slot[1], slot[2], slot[3], slot[4], slot[5], slot[6]);
    int at = layout.openAt();
    file.putLong(at, sum << 32 | RecordingLayout.OPEN);
    for (int i = 0; i < slot.length; i++) {
      file.putLong(at + 8 + 8 * i, slot[i]);
    }
    Path folder = Files.createDirectories(dir.resolve(Recordings.FOLDER));
    Files.write(folder.resolve("worker-1" + Recordings.LIVE), file.array());
  }
}
