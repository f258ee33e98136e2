package io.rollotel.traces.recording;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A copy of a recorder file without unused room: the header, the names in use and the slots in use,
 * unchanged.
 */
final class CompactedRecording {

  private final ByteBuffer whole;
  private final RecordingLayout layout;

  /** From the bytes of a file, which may be truncated after its header. */
  CompactedRecording(ByteBuffer whole, RecordingLayout layout) {
    this.whole = whole;
    this.layout = layout;
  }

  /**
   * The file's bytes.
   *
   * @param withEnded whether to keep ended spans that were not exported; they are the rest of those
   *     that were dropped, and no longer count as such
   */
  byte[] bytes(boolean withEnded) {
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < layout.openSlots(); i++) {
      int at = layout.openAt() + i * RecordingLayout.SLOT_BYTES;
      if (isThere(at) && (whole.getLong(at) & 0xffff_ffffL) == RecordingLayout.OPEN) {
        open.add(at);
      }
    }
    List<Integer> ended = new ArrayList<>();
    for (int i = 0; withEnded && i < layout.ringSlots(); i++) {
      int at = layout.ringAt() + i * RecordingLayout.SLOT_BYTES;
      if (isThere(at)
          && whole.getLong(at) != RecordingLayout.FREE
          && (whole.getLong(at) & RecordingLayout.EXPORTED) == 0) {
        ended.add(at);
      }
    }
    int names = nameBytes();
    RecordingLayout small = RecordingLayout.holding(open.size(), ended.size(), names);
    ByteBuffer compact = ByteBuffer.allocate(small.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    copy(0, compact, 0, RecordingLayout.HEADER_BYTES);
    compact.putLong(RecordingLayout.NAME_BYTES_AT, small.nameBytes());
    compact.putLong(RecordingLayout.OPEN_SLOTS_AT, small.openSlots());
    compact.putLong(RecordingLayout.RING_SLOTS_AT, small.ringSlots());
    if (withEnded) {
      long dropped = whole.getLong(RecordingLayout.DROPPED_AT);
      compact.putLong(RecordingLayout.DROPPED_AT, Math.max(0, dropped - ended.size()));
    }
    copy(layout.namesAt(), compact, small.namesAt(), names);
    copySlots(open, compact, small.openAt());
    copySlots(ended, compact, small.ringAt());
    return compact.array();
  }

  private int nameBytes() {
    long used = whole.getLong(RecordingLayout.NAMES_USED_AT);
    int most = Math.min(layout.nameBytes(), whole.limit() - layout.namesAt());
    return (int) Math.max(0, Math.min(used, most));
  }

  private boolean isThere(int at) {
    return at + RecordingLayout.SLOT_BYTES <= whole.limit();
  }

  private void copySlots(List<Integer> slots, ByteBuffer to, int first) {
    for (int i = 0; i < slots.size(); i++) {
      int at = first + i * RecordingLayout.SLOT_BYTES;
      copy(slots.get(i), to, at, RecordingLayout.SLOT_BYTES);
    }
  }

  private void copy(int from, ByteBuffer to, int at, int length) {
    byte[] bytes = new byte[length];
    whole.get(from, bytes);
    to.put(at, bytes);
  }
}
