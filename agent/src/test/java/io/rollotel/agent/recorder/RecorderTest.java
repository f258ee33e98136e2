package io.rollotel.agent.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.RecordingLayout;
import io.rollotel.traces.recording.Recordings;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which spans a recorder keeps. */
class RecorderTest extends RecorderFixture {

  @Test
  void openAndEndedSpans_areReadAsTheyWere() throws IOException {
    start(3);
    start(4);
    recorder.started(0, 1, 0x80, 0, 2 * SECOND, recorder.facts("root", 1, true));
    end(3);
    Recording read = read(copy());
    assertThat(read.open())
        .containsExactly(
            new OpenSpan(
                "00000000000000070000000000000004",
                "0000000000000004",
                "0000000000000002",
                "span 4",
                4 * SECOND,
                Thread.currentThread().getId()),
            new OpenSpan(
                "00000000000000000000000000000001",
                "0000000000000080",
                "",
                "root",
                2 * SECOND,
                Thread.currentThread().getId()));
    assertThat(read.ended()).hasSize(1);
    Span ended = read.ended().get(0);
    assertThat(ended.traceId()).isEqualTo("00000000000000070000000000000003");
    assertThat(ended.parentSpanId()).isEqualTo("0000000000000001");
    assertThat(ended.name()).isEqualTo("span 3");
    assertThat(ended.kind()).isEqualTo(5);
    assertThat(ended.statusCode()).isEqualTo(2);
    assertThat(ended.startEpochNanos()).isEqualTo(3 * SECOND);
    assertThat(ended.endEpochNanos()).isEqualTo(3 * SECOND + 3);
    assertThat(ended.scopeName()).isEqualTo("worker");
    assertThat(ended.attributes()).isEqualTo(Map.of("roll.recovered", true));
    assertThat(ended.resource().attributes()).isEqualTo(RESOURCE);
    assertThat(read.pid()).isEqualTo(ProcessHandle.current().pid());
    assertThat(read.isAlive()).isTrue();
  }

  @Test
  void exportedSpans_needNotBeRecovered() throws IOException {
    for (long id = 1; id <= 50; id++) {
      start(id);
      end(id);
    }
    recorder.exported(new ExportedSpanIds(new long[] {3, 1, 2, 50, 999}));
    recorder.exported(new ExportedSpanIds(new long[] {40}));
    assertThat(read(copy()).ended())
        .extracting(span -> Long.parseLong(span.spanId(), 16))
        .hasSize(45)
        .startsWith(4L, 5L)
        .doesNotContain(40L);
  }

  @Test
  void moreEndedSpansThanThereIsRoomFor_overwriteTheOldestAndAreCounted() throws IOException {
    int room = RecordingLayout.of(SMALLEST).ringSlots();
    for (long id = 1; id <= room + 10; id++) {
      end(id);
    }
    Recording read = read(copy());
    assertThat(read.ended()).hasSize(room);
    assertThat(read.ended().get(0).spanId()).isEqualTo("000000000000000b");
    assertThat(read.overwrittenSpans()).isEqualTo(10);
  }

  @Test
  void moreOpenSpansThanThereIsRoomFor_areCountedAndEndAllTheSame() throws IOException {
    int most = RecordingLayout.of(SMALLEST).openSlots();
    Random random = new Random(1);
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 2 * most; i++) {
      ids.add(random.nextLong() | 1);
      start(ids.get(i));
    }
    Recording full = read(copy());
    assertThat(full.open().size() + full.unrecordedSpans()).isEqualTo(2L * most);
    assertThat(full.open().size()).isGreaterThan(most * 9 / 10);
    ids.forEach(this::end);
    Recording read = read(copy());
    assertThat(read.open()).isEmpty();
    assertThat(read.ended()).hasSize(Math.min(2 * most, RecordingLayout.of(SMALLEST).ringSlots()));
  }

  @Test
  void oneSpanThatStaysOpen_keepsItsSlotWhileOthersPass() throws IOException {
    start(1);
    for (long id = 2; id < 200_000; id++) {
      start(id);
      end(id);
    }
    assertThat(read(copy()).open()).extracting(OpenSpan::name).containsExactly("span 1");
  }

  @Test
  void namesThatThereIsNoRoomFor_areLeftOut() throws IOException {
    for (int i = 0; i < 1_000; i++) {
      recorder.started(1, 1, i * 7L + 1, 0, 1, recorder.facts("é".repeat(100) + i, 1, false));
    }
    List<OpenSpan> open = read(copy()).open();
    assertThat(open).anyMatch(span -> span.name().isEmpty());
    assertThat(open).anyMatch(span -> span.name().endsWith("é0"));
  }

  @Test
  void clockSetBack_agesAreNeverNegative() throws IOException {
    AtomicLong clock = new AtomicLong(1_000 * SECOND);
    File folder = directory.resolve(Recordings.FOLDER).toFile();
    RecorderMap map = RecorderMap.make(folder, "clock", SMALLEST, clock::get);
    map.open(RESOURCE);
    map.slots().open(0, 1, 1, 1, 0, 1_000 * SECOND, 1, 0);
    clock.set(500 * SECOND);
    map.seen(500 * SECOND);
    Path copy = copies.resolve("open/clock.rec");
    Files.createDirectories(copy.getParent());
    Files.copy(map.file().toPath(), copy);
    Recording read = read(copy);
    assertThat(read.isAlive()).as("its last sign is long ago").isFalse();
    assertThat(read.lastSignEpochNanos()).isEqualTo(500 * SECOND);
    assertThat(read.ageNanos(read.open().get(0))).isZero();
    map.close(true);
  }

  @Test
  void readerBesideWriters_seesNoTornSpan() throws Exception {
    recorder.close();
    recorder = open(1 << 20);
    CountDownLatch stop = new CountDownLatch(1);
    List<Thread> writers = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      long first = t + 1L;
      Thread writer =
          new Thread(
              () -> {
                Random random = new Random(first);
                while (stop.getCount() != 0) {
                  record(random.nextLong());
                }
              });
      writers.add(writer);
      writer.start();
    }
    for (int i = 0; i < 20; i++) {
      for (Span span : read(copy()).ended()) {
        assertThat(span.traceId().substring(0, 16)).isEqualTo(span.spanId());
      }
    }
    stop.countDown();
    for (Thread writer : writers) {
      writer.join();
    }
    // If a writer is suspended while the others go round the whole ring, which takes milliseconds
    // here, two of them have written one place. It stays so until the next round.
    for (long id = 1; id <= (1 << 20) / RecordingLayout.SLOT_BYTES; id++) {
      record(id);
    }
    assertThat(read(copy()).tornSpans()).isZero();
  }

  private void record(long id) {
    long facts = recorder.facts("name", 1, false);
    if ((id & 1) == 0) {
      recorder.started(id, ~id, id, 0, id, facts);
      recorder.ended(Recorder.BY_ID, id, ~id, id, 0, id, id, facts, 0, false);
    } else {
      int slot = recorder.startedHere(id, ~id, id, 0, id, facts);
      recorder.ended(slot, id, ~id, id, 0, id, id, facts, 0, false);
    }
  }

  /** Threads take places in the ring in blocks; some threads end a span only now and then. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 40})
  void spansEndedByManyThreads_theRingKnowsTheLastOfThemAndIsToldOfEach(int threads)
      throws IOException {
    File folder = directory.resolve(Recordings.FOLDER).toFile();
    RecorderMap map = RecorderMap.make(folder, "many", 2 << 20, () -> SECOND);
    map.open(RESOURCE);
    Slots slots = map.slots();
    int room = slots.endedRoom();
    assertThat(room).isBetween(15_000, slots.layout().ringSlots());
    Random random = new Random(threads);
    int spans = 5 * room;
    Set<String> last = new HashSet<>();
    for (long id = 1; id <= spans; id++) {
      // The first most often.
      long thread = random.nextInt(10) > 0 ? 0 : random.nextInt(threads);
      slots.end(thread, 1, 1, id, 0, 1, 2, 0, false);
      if (id > spans - room) {
        last.add(String.format("%016x", id));
      }
    }
    Recording full = read(copyOf(map.file().toPath()));
    // Sets, since AssertJ would look for each through all.
    Set<String> missing = new HashSet<>(last);
    missing.removeAll(spanIds(full));
    assertThat(missing).isEmpty();
    assertThat(full.ended().size() + full.overwrittenSpans()).isEqualTo(spans);
    for (Span span : full.ended()) {
      slots.exported(new ExportedSpanIds(new long[] {Long.parseLong(span.spanId(), 16)}));
    }
    // The rest of a block may hold spans that are older than the ring.
    Set<String> left = spanIds(read(copyOf(map.file().toPath())));
    left.retainAll(last);
    assertThat(left).isEmpty();
    map.close(true);
  }

  private static Set<String> spanIds(Recording recording) {
    return recording.ended().stream()
        .map(Span::spanId)
        .collect(Collectors.toCollection(HashSet::new));
  }

  @Test
  void slotsOfAThread_whenTakenByNestedSpans_areFoundElsewhere() throws IOException {
    int most = 100;
    List<Integer> places = new ArrayList<>();
    long facts = recorder.facts("nested", 1, true);
    for (long id = 1; id <= most; id++) {
      places.add(recorder.startedHere(1, 1, id << 32, 0, id, facts));
    }
    assertThat(Set.copyOf(places)).hasSize(most).doesNotContain(0);
    assertThat(read(copy()).open()).hasSize(most);
    for (int i = most - 1; i >= 0; i--) {
      long id = i + 1;
      recorder.ended(places.get(i), 1, 1, id << 32, 0, id, id, facts, 0, false);
      assertThat(read(copy()).open()).hasSize(i);
    }
  }
}
