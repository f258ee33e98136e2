package io.rollotel.traces.recording;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A recorder file with no more room than what is in it takes: the header, the names that were used,
 * the slots that are taken, as they are.
 */
final class CompactRecorder {

  private final ByteBuffer whole;
  private final RecorderLayout layout;

  /** Of the bytes of a file, which may be cut off behind its header. */
  CompactRecorder(ByteBuffer whole, RecorderLayout layout) {
    this.whole = whole;
    this.layout = layout;
  }

  /**
   * The file's bytes.
   *
   * @param withEnded whether ended spans are kept, those that were not exported
   */
  byte[] bytes(boolean withEnded) {
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < layout.openSlots(); i++) {
      int at = layout.openAt() + i * RecorderLayout.SLOT_BYTES;
      if (isThere(at) && (whole.getLong(at) & 0xffff_ffffL) == RecorderLayout.OPEN) {
        open.add(at);
      }
    }
    List<Integer> ended = new ArrayList<>();
    for (int i = 0; withEnded && i < layout.ringSlots(); i++) {
      int at = layout.ringAt() + i * RecorderLayout.SLOT_BYTES;
      if (isThere(at)
          && whole.getLong(at) != RecorderLayout.FREE
          && (whole.getLong(at) & RecorderLayout.EXPORTED) == 0) {
        ended.add(at);
      }
    }
    int names = nameBytes();
    RecorderLayout small = RecorderLayout.holding(open.size(), ended.size(), names);
    ByteBuffer compact = ByteBuffer.allocate(small.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    copy(0, compact, 0, RecorderLayout.HEADER_BYTES);
    compact.putLong(RecorderLayout.NAME_BYTES_AT, small.nameBytes());
    compact.putLong(RecorderLayout.OPEN_SLOTS_AT, small.openSlots());
    compact.putLong(RecorderLayout.RING_SLOTS_AT, small.ringSlots());
    copy(layout.namesAt(), compact, small.namesAt(), names);
    copySlots(open, compact, small.openAt());
    copySlots(ended, compact, small.ringAt());
    return compact.array();
  }

  private int nameBytes() {
    long used = whole.getLong(RecorderLayout.NAMES_USED_AT);
    int most = Math.min(layout.nameBytes(), whole.limit() - layout.namesAt());
    return (int) Math.max(0, Math.min(used, most));
  }

  private boolean isThere(int at) {
    return at + RecorderLayout.SLOT_BYTES <= whole.limit();
  }

  private void copySlots(List<Integer> slots, ByteBuffer to, int first) {
    for (int i = 0; i < slots.size(); i++) {
      int at = first + i * RecorderLayout.SLOT_BYTES;
      copy(slots.get(i), to, at, RecorderLayout.SLOT_BYTES);
    }
  }

  private void copy(int from, ByteBuffer to, int at, int length) {
    byte[] bytes = new byte[length];
    whole.get(from, bytes);
    to.put(at, bytes);
  }
}
