package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.recording.RecordingLayout;
import io.rollotel.traces.recording.Recordings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a driver recovers from the recorder files of processes that died long ago. */
class SweepTest extends RendezvousFixture {

  private static final int START = 5;

  private Path plantDead(String name, int ended, boolean isOneOpen) throws IOException {
    RecordingLayout layout = new RecordingLayout(1, ended);
    ByteBuffer file = ByteBuffer.allocate(layout.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    file.putLong(RecordingLayout.MAGIC_AT, RecordingLayout.MAGIC);
    file.putLong(RecordingLayout.OPEN_SLOTS_AT, layout.openSlots());
    file.putLong(RecordingLayout.RING_SLOTS_AT, layout.ringSlots());
    if (isOneOpen) {
      long sum = plantSlot(file, layout.openAt(), RecordingLayout.OPEN, name.hashCode(), 0);
      file.putLong(layout.openAt(), sum << 32 | RecordingLayout.OPEN);
    }
    for (int i = 0; i < ended; i++) {
      int at = layout.ringAt() + i * RecordingLayout.SLOT_BYTES;
      long sum = plantSlot(file, at, i, name.hashCode(), i + 1);
      file.putLong(at, RecordingLayout.ringState(i, sum, false));
    }
    Path folder = Files.createDirectories(directory.resolve(Recordings.FOLDER));
    return Files.write(folder.resolve(name + Recordings.LIVE), file.array());
  }

  private static long plantSlot(ByteBuffer file, int at, long sequence, long trace, long spanId) {
    long[] slot = {trace, 1, spanId + 1, 0, START, START + 3, RecordingLayout.facts(0, 1, 0, true)};
    for (int i = 0; i < slot.length; i++) {
      file.putLong(at + 8 + 8 * i, slot[i]);
    }
    return RecordingLayout.checksum(
        sequence, slot[0], slot[1], slot[2], slot[3], slot[4], slot[5], slot[6]);
  }

  private long spansInLines() throws IOException {
    return new TracesReader().read(directory.resolve("traces"), span -> {}).spans();
  }

  @Test
  void moreSpansThanARequestMayHold_areRecovered() throws Exception {
    Path dead = plantDead("many", 5000, false);
    try (Rendezvous driver = withSettings(Map.of("MAX_REQUEST_BYTES", "64k"))) {
      assertThat(driver.collector()).isNotNull();
    }
    assertThat(warnings).isEmpty();
    assertThat(spansInLines()).isEqualTo(5000);
    assertThat(dead).doesNotExist();
  }

  @Test
  void fileThatCannotBeReplaced_doesNotKeepTheOthersFromBeingRecovered() throws Exception {
    Path first = plantDead("a", 2, true);
    Path second = plantDead("b", 3, false);
    Path inItsWay = Files.createDirectories(first.resolveSibling("a.rec.tmp/not-empty"));
    for (int i = 0; i < 2; i++) {
      try (Rendezvous driver = join(true, null)) {
        assertThat(driver.collector()).isNotNull();
      }
      assertThat(spansInLines()).isEqualTo(5);
      assertThat(second).doesNotExist();
      assertThat(first).exists();
    }
    assertThat(warnings).allSatisfy(line -> assertThat(line).contains("a.rec.tmp already exists"));
    Files.delete(inItsWay);
    try (Rendezvous driver = join(true, null)) {
      assertThat(driver.collector()).isNotNull();
    }
    assertThat(first).doesNotExist();
    assertThat(first.resolveSibling("a.dead")).exists();
  }
}
