package io.rollotel.traces.recording;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads one recorder file from a copy, so that it does not change meanwhile. */
final class RecordingReader {

  private static final HexFormat HEX = HexFormat.of();
  private static final Map<String, Object> IS_RECOVERED = Map.of(Recording.RECOVERED, true);

  /** Of the largest file that a process may choose, 1 GiB. */
  private static final long MOST_SLOTS = (1 << 30) / RecordingLayout.SLOT_BYTES;

  /** An ended span, and its place in the order of ends. */
  private record Ended(long sequence, Span span) {}

  private final Path file;
  private final ByteBuffer bytes;
  private final RecordingLayout layout;
  private final Resource resource;
  private long tornSpans;

  private RecordingReader(Path file, ByteBuffer bytes, RecordingLayout layout) {
    this.file = file;
    this.bytes = bytes;
    this.layout = layout;
    this.resource = resource();
  }

  /**
   * Reads a file.
   *
   * @return null if its process has not begun to write it
   * @throws IOException if it cannot be read, or is not a recorder file
   */
  static @Nullable Recording read(Path file) throws IOException {
    try (FileChannel channel = open(file)) {
      if (channel.size() == 0) {
        return null; // whose process is just about to take the lock
      }
      boolean isLocked = Liveness.isLocked(channel);
      ByteBuffer header = copy(channel, RecordingLayout.HEADER_BYTES);
      if (header.limit() < Long.BYTES || header.getLong(RecordingLayout.MAGIC_AT) == 0) {
        return null;
      }
      if (header.getLong(RecordingLayout.MAGIC_AT) != RecordingLayout.MAGIC
          || header.limit() < RecordingLayout.HEADER_BYTES) {
        throw new IOException("no recorder file of this version, or cut off in its header");
      }
      RecordingLayout layout = layout(header);
      return new RecordingReader(file, copy(channel, layout.bytes()), layout).recording(isLocked);
    }
  }

  /** Whether a process has the lock on it. */
  static boolean isLocked(Path file) throws IOException {
    try (FileChannel channel = open(file)) {
      return Liveness.isLocked(channel);
    }
  }

  /** See {@link Recordings#compact}. */
  static byte[] compact(ByteBuffer bytes, boolean withEnded) throws IOException {
    return new CompactedRecording(bytes, layout(bytes)).bytes(withEnded);
  }

  /** Without the ended spans. */
  static byte[] compact(Path file) throws IOException {
    try (FileChannel channel = open(file)) {
      RecordingLayout layout = layout(copy(channel, RecordingLayout.HEADER_BYTES));
      return compact(copy(channel, layout.bytes()), false);
    }
  }

  /** By the header. */
  private static RecordingLayout layout(ByteBuffer bytes) throws IOException {
    long openSlots = bytes.getLong(RecordingLayout.OPEN_SLOTS_AT);
    long ringSlots = bytes.getLong(RecordingLayout.RING_SLOTS_AT);
    if (Long.bitCount(openSlots) != 1
        || openSlots < 0
        || ringSlots < 0
        || ringSlots > MOST_SLOTS
        || openSlots + ringSlots > MOST_SLOTS) {
      throw new IOException("a header that makes no sense");
    }
    return new RecordingLayout((int) openSlots, (int) ringSlots);
  }

  /** Opening a pipe would wait for somebody who writes to it. */
  private static FileChannel open(Path file) throws IOException {
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new IOException("not a regular file");
    }
    return FileChannel.open(file, StandardOpenOption.READ);
  }

  /** The first bytes of a file, as many as there are. */
  private static ByteBuffer copy(FileChannel channel, int most) throws IOException {
    ByteBuffer bytes = room((int) Math.min(channel.size(), most)).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) > 0) {
      // until it is complete, or was cut off
    }
    return bytes.flip();
  }

  /** The reader may have a smaller heap than the process that chose the file's size. */
  private static ByteBuffer room(int bytes) throws IOException {
    try {
      return ByteBuffer.allocate(bytes);
    } catch (OutOfMemoryError tooLarge) {
      throw new IOException("its " + bytes + " bytes do not fit into the heap", tooLarge);
    }
  }

  private Recording recording(boolean isLocked) {
    long beat = at(RecordingLayout.BEAT_EPOCH_NANOS_AT);
    long pid = at(RecordingLayout.PID_AT);
    Liveness liveness =
        new Liveness(
            resource.text("host.name"), pid, at(RecordingLayout.PROCESS_START_MILLIS_AT), beat);
    // For another host, only a sweep there shows this early that the process has died.
    boolean isAlive = !Recordings.isSwept(file) && liveness.isAlive(isLocked);
    List<Ended> ended = ended();
    List<Span> spans = ended.stream().map(Ended::span).toList();
    return new Recording(
        file,
        resource,
        pid,
        isAlive,
        at(RecordingLayout.EXITED_AT) != 0,
        at(RecordingLayout.CLOCK_EPOCH_NANOS_AT),
        isAlive ? Liveness.nowEpochNanos() : beat,
        open(),
        spans,
        at(RecordingLayout.OPEN_OVERFLOW_AT),
        at(RecordingLayout.OVERWRITTEN_AT),
        tornSpans,
        at(RecordingLayout.DROPPED_AT));
  }

  private long at(int offset) {
    return bytes.getLong(offset);
  }

  private Resource resource() {
    int length = bytes.getInt(RecordingLayout.RESOURCE_AT);
    if (length < 0 || length > RecordingLayout.RESOURCE_MOST_BYTES) {
      return new Resource(Map.of());
    }
    byte[] written = new byte[length];
    bytes.get(RecordingLayout.RESOURCE_AT + 8, written);
    return RecordingLayout.checksum(written) == bytes.getInt(RecordingLayout.RESOURCE_AT + 4)
        ? RecordingResource.read(written)
        : new Resource(Map.of());
  }

  private List<OpenSpan> open() {
    List<OpenSpan> open = new ArrayList<>();
    int at = layout.openAt();
    for (int i = 0; i < layout.openSlots() && isThere(at); i++, at += RecordingLayout.SLOT_BYTES) {
      long state = at(at + RecordingLayout.STATE);
      if ((state & 0xffff_ffffL) != RecordingLayout.OPEN) {
        continue; // free, or about to be taken by a span that has not started yet
      }
      if (state >>> 32 != checksum(RecordingLayout.OPEN, at)) {
        tornSpans++;
        continue;
      }
      open.add(
          new OpenSpan(
              traceId(at),
              id(at + RecordingLayout.SPAN_ID),
              parentId(at),
              name(at(at + RecordingLayout.FACTS)),
              at(at + RecordingLayout.START),
              at(at + RecordingLayout.THREAD_OR_END)));
    }
    open.sort(Comparator.comparingLong(OpenSpan::startEpochNanos).reversed());
    return List.copyOf(open);
  }

  private List<Ended> ended() {
    List<Ended> ended = new ArrayList<>();
    int at = layout.ringAt();
    for (int i = 0; i < layout.ringSlots() && isThere(at); i++, at += RecordingLayout.SLOT_BYTES) {
      long state = at(at + RecordingLayout.STATE);
      long sequence = state >>> 1 & 0x7fff_ffffL;
      if (state == RecordingLayout.FREE || (state & RecordingLayout.EXPORTED) != 0) {
        continue;
      }
      if (state >>> 32 != checksum(sequence, at)) {
        tornSpans++;
        continue;
      }
      ended.add(new Ended(sequence, span(at)));
    }
    ended.sort(Comparator.comparingLong(Ended::sequence));
    return ended;
  }

  private Span span(int at) {
    long facts = at(at + RecordingLayout.FACTS);
    return new Span(
        traceId(at),
        id(at + RecordingLayout.SPAN_ID),
        parentId(at),
        name(facts),
        (int) facts & 0xff,
        at(at + RecordingLayout.START),
        at(at + RecordingLayout.THREAD_OR_END),
        IS_RECOVERED,
        (int) facts >> 8 & 0xff,
        resource,
        (facts >> 16 & 1) == 0 ? "" : "worker",
        "");
  }

  private boolean isThere(int at) {
    return at + RecordingLayout.SLOT_BYTES <= bytes.limit();
  }

  private long checksum(long sequence, int at) {
    return RecordingLayout.checksum(
        sequence,
        at(at + RecordingLayout.TRACE_HIGH),
        at(at + RecordingLayout.TRACE_LOW),
        at(at + RecordingLayout.SPAN_ID),
        at(at + RecordingLayout.PARENT_ID),
        at(at + RecordingLayout.START),
        at(at + RecordingLayout.THREAD_OR_END),
        at(at + RecordingLayout.FACTS));
  }

  private String traceId(int at) {
    return id(at + RecordingLayout.TRACE_HIGH) + id(at + RecordingLayout.TRACE_LOW);
  }

  private String parentId(int at) {
    return at(at + RecordingLayout.PARENT_ID) == 0 ? "" : id(at + RecordingLayout.PARENT_ID);
  }

  private String id(int at) {
    return HEX.toHexDigits(at(at));
  }

  /** Empty if there is none, or it is unreadable. */
  private String name(long facts) {
    int offset = (int) (facts >>> 32);
    int at = layout.namesAt() + offset;
    if (offset <= 0 || offset > layout.nameBytes() - 8 || at + 8 > bytes.limit()) {
      return "";
    }
    int length = bytes.getInt(at);
    if (length < 0 || length > Math.min(layout.openAt(), bytes.limit()) - at - 8) {
      return "";
    }
    byte[] text = new byte[length];
    bytes.get(at + 8, text);
    return RecordingLayout.checksum(text) == bytes.getInt(at + 4) ? new String(text, UTF_8) : "";
  }
}
