package io.rollotel.agent.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.log.Stderr;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.RecordingLayout;
import io.rollotel.traces.recording.Recordings;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the file of a recorder is, how long, and what it is worth when damaged. */
class RecorderFileTest extends RecorderFixture {

  @Test
  void detachDuringASpan_leavesNoFile() {
    File folder = directory.resolve(Recordings.FOLDER).toFile();
    recorder.startedHere(1, 2, 3, 0, SECOND, recorder.facts("worker.train", 1, true));
    assertThat(folder.list()).isNotEmpty();

    recorder.discard();

    assertThat(folder).doesNotExist();
  }

  @Test
  void cleanClose_removesTheFile() {
    start(2);
    end(2);
    recorder.close();
    assertThat(directory.resolve("open")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({"1000, 990", "3, 0"})
  void cleanCloseAfterSpansWereDropped_keepsThoseOfTheRingAndTheNumberOfTheOthers(
      long dropped, long left) throws IOException {
    for (long id = 1; id <= 20; id++) {
      start(id);
      end(id);
    }
    recorder.exported(new ExportedSpanIds(LongStream.rangeClosed(1, 10).toArray()));
    recorder.dropped(dropped);
    assertThat(read(copy()).droppedSpans()).isEqualTo(dropped);
    recorder.close();
    Recording after = read(copy());
    assertThat(after.hasExited()).isTrue();
    assertThat(after.open()).isEmpty();
    assertThat(after.ended()).hasSize(10);
    assertThat(after.droppedSpans()).isEqualTo(left);
  }

  @Test
  void cleanCloseWithSpansOpen_keepsNoMoreThanIsKnown() throws IOException {
    for (long id = 1; id <= 200; id++) {
      start(id);
    }
    for (long id = 101; id <= 200; id++) {
      end(id);
    }
    recorder.exported(new ExportedSpanIds(LongStream.rangeClosed(101, 195).toArray()));
    Recording before = read(copy());
    recorder.close();
    assertThat(Files.size(file())).isLessThan(32 << 10);
    Recording after = read(copy());
    assertThat(after.open()).isEqualTo(before.open()).hasSize(100);
    assertThat(after.ended()).isEqualTo(before.ended()).hasSize(5);
    assertThat(after.resource()).isEqualTo(before.resource());
    assertThat(after.open()).allMatch(span -> span.name().startsWith("span "));
    recorder = open(SMALLEST);
    assertThat(directory.resolve("open/host-1-2.rec")).exists();
  }

  @Test
  void onlyOneSpanOpenFarFromItsThreadsSlots_keepsTheFile() throws IOException {
    List<Integer> places = new ArrayList<>();
    long facts = recorder.facts("nested", 1, true);
    int near = 8;
    for (long id = 1; id <= near + 1; id++) {
      places.add(recorder.startedHere(1, 1, 5_000L << 32, 0, id, facts));
    }
    for (int i = 0; i < near; i++) {
      recorder.ended(places.get(i), 1, 1, 5_000L << 32, 0, i, i, facts, 0, false);
    }
    recorder.close();
    assertThat(read(copy()).open()).hasSize(1);
  }

  @Test
  void foldersAroundTheFile_goIfItWasTheRecorderThatMadeThem() throws Exception {
    File folder = directory.resolve("a/b/open").toFile();
    Files.createDirectory(directory.resolve("a"));
    Recorder one = new Recorder(SMALLEST, folder);
    one.open("one", RESOURCE);
    Recorder other = new Recorder(SMALLEST, folder);
    other.open("other", RESOURCE);
    one.close();
    assertThat(folder).exists();
    other.close();
    assertThat(folder).doesNotExist();
    assertThat(directory.resolve("a")).exists();
    one = new Recorder(SMALLEST, directory.resolve("a/c/open").toFile());
    one.open("one", RESOURCE);
    one.close();
    assertThat(directory.resolve("a/c")).doesNotExist();
    assertThat(directory.resolve("a")).exists();
  }

  @Test
  void processesThatComeWhileOthersGo_allHaveAFile() throws Exception {
    File folder = directory.resolve("new/output/open").toFile();
    List<Thread> processes = new ArrayList<>();
    try (Stderr stderr = new Stderr()) {
      for (int t = 0; t < 4; t++) {
        String name = "process-" + t;
        Thread process =
            new Thread(
                () -> {
                  for (int i = 0; i < 100; i++) {
                    Recorder own = new Recorder(SMALLEST, folder);
                    own.open(name, RESOURCE);
                    own.close();
                  }
                });
        processes.add(process);
        process.start();
      }
      for (Thread process : processes) {
        process.join();
      }
      assertThat(stderr.lines()).isEmpty();
    }
    assertThat(folder).doesNotExist();
  }

  @Test
  void fileMadeAhead_isTheOneThatIsOpened() throws Exception {
    File folder = directory.resolve("ahead").toFile();
    Recorder ahead = new Recorder(SMALLEST, folder);
    Thread maker = new Thread(() -> ahead.make("host-1"));
    maker.start();
    ahead.open("host-1", RESOURCE);
    maker.join();
    ahead.startedHere(1, 1, 7, 0, SECOND, ahead.facts("first", 1, true));
    assertThat(folder.list()).containsExactly("host-1.rec");
    assertThat(read(copyOf(folder.toPath().resolve("host-1.rec"))).open())
        .extracting(OpenSpan::name)
        .containsExactly("first");
    ahead.close();
  }

  @Test
  void fileMadeAndNeverOpened_goesAtTheEnd() {
    File folder = directory.resolve("ahead").toFile();
    Recorder ahead = new Recorder(SMALLEST, folder);
    ahead.make("host-1");
    assertThat(folder.list()).containsExactly("host-1.rec");
    ahead.close();
    assertThat(folder).doesNotExist();
  }

  @Test
  void secondOfTheSameName_hasAFileOfItsOwn() throws Exception {
    Recorder other = open(SMALLEST);
    other.started(1, 1, 5, 0, SECOND, other.facts("other", 1, false));
    start(1);
    assertThat(read(copy()).open()).extracting(OpenSpan::name).containsExactly("span 1");
    assertThat(directory.resolve("open/host-1-2.rec")).exists();
    other.close();
  }

  @Test
  void folderThatCannotBeMade_isOneLineAndOff() throws Exception {
    Files.writeString(directory.resolve("open/taken"), "");
    try (Stderr stderr = new Stderr();
        Recorder off = new Recorder(SMALLEST, directory.resolve("open/taken").toFile())) {
      off.open("host-1", RESOURCE);
      long facts = off.facts("a", 1, false);
      off.started(1, 1, 1, 0, 1, facts);
      off.ended(off.startedHere(1, 1, 2, 0, 1, facts), 1, 1, 2, 0, 1, 2, facts, 0, false);
      off.ended(Recorder.BY_ID, 1, 1, 1, 0, 1, 2, facts, 0, false);
      off.exported(new ExportedSpanIds(new long[] {1}));
      off.beat();
      assertThat(stderr.lines()).hasSize(1);
      assertThat(stderr.lines().get(0)).contains("open spans are not recorded");
    }
  }

  @Test
  void interruptedThread_opensItAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    Recorder other = open(SMALLEST);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(directory.resolve("open/host-1-2.rec")).exists();
    other.close();
  }

  @Test
  void fileDeletedUnderneath_costsNothingButTheFile() throws IOException {
    start(1);
    Files.delete(file());
    try (Stderr stderr = new Stderr()) {
      end(1);
      for (long id = 2; id < 10_000; id++) {
        start(id);
        end(id);
      }
      recorder.close();
      assertThat(stderr.lines()).isEmpty();
    }
  }

  @Test
  void fileDeletedUnderTheProcess_isSaidOnceAndNothingFails() throws Exception {
    start(1);
    Files.move(directory.resolve(Recordings.FOLDER), directory.resolve("away"));
    try (Stderr stderr = new Stderr()) {
      recorder.beat();
      start(2);
      recorder.beat();
      end(1);
      end(2);
      recorder.close();
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("was deleted", "its open spans cannot be recovered");
    }
  }

  @Tag("campaign")
  @Test
  void stackOverflowOfTheApplication_isNotTheEndOfTheFile() throws Exception {
    Thread deep = new Thread(null, () -> overflow(200), "deep", 256 << 10);
    deep.start();
    deep.join();
    recorder.beat();
    start(3);
    Recording read = read(copy());
    assertThat(read.open()).extracting(OpenSpan::name).containsExactly("span 3");
    end(3);
    recorder.close();
    assertThat(file()).as("as long as a slot is taken it stays").doesNotExist();
  }

  private void overflow(int times) {
    for (int i = 0; i < times; i++) {
      Deque<Integer> slots = new ArrayDeque<>();
      descend(slots);
      endAt(0, slots);
    }
  }

  private void descend(Deque<Integer> slots) {
    try {
      descend(slots);
    } catch (StackOverflowError e) {
      // From here on each span starts with a bit more stack.
    }
    if (slots.size() < 16) {
      slots.push(recorder.startedHere(7, 1, 1, 0, SECOND, recorder.facts("deep", 1, true)));
    }
  }

  /** Each byte of the slot in turn, as the writing of it may have been cut off. */
  @Test
  void tornSlots_areLeftOutAndCounted() throws IOException {
    start(1);
    end(2);
    RecordingLayout layout = RecordingLayout.of(SMALLEST);
    int open = layout.openAt() + RecordingLayout.SLOT_BYTES;
    for (int field = RecordingLayout.TRACE_HIGH; field < RecordingLayout.SLOT_BYTES; field += 8) {
      for (int slot : new int[] {open, layout.ringAt()}) {
        Path copy = copy();
        set(copy, slot + field, 0x1234_5678_9abc_def0L);
        Recording read = read(copy);
        assertThat(read.tornSpans()).isEqualTo(1);
        assertThat(read.open().size() + read.ended().size()).isEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 7, 100, 8191, 8192, 9000, 40_000, 70_000, 100_001})
  void fileThatIsCutOff_isReadAsFarAsItGoes(int length) throws IOException {
    for (long id = 1; id <= 300; id++) {
      start(id);
      end(id);
    }
    start(400);
    Path copy = copy();
    try (RandomAccessFile file = new RandomAccessFile(copy.toFile(), "rw")) {
      file.setLength(length);
    }
    Recordings found = Recordings.read(copy.getParent().getParent());
    if (length < 8) {
      assertThat(found.all()).isEmpty();
      assertThat(found.unreadable()).isEmpty();
    } else if (length < RecordingLayout.HEADER_BYTES) {
      assertThat(found.unreadable()).hasSize(1);
    } else {
      assertThat(found.unreadable()).isEmpty();
      assertThat(found.all()).hasSize(1);
    }
  }

  @Test
  void garbage_isNamedOrReadButNeverThrows() throws IOException {
    Random random = new Random(5);
    Path folder = Files.createDirectories(copies.resolve("garbage/open"));
    for (int i = 0; i < 50; i++) {
      byte[] bytes = Files.readAllBytes(file());
      for (int n = 0; n < 2_000; n++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      for (int n = 0; n < random.nextInt(20); n++) {
        bytes[8 + random.nextInt(400)] = (byte) random.nextInt();
      }
      Files.write(folder.resolve(i + ".rec"), bytes);
    }
    Recordings found = Recordings.read(folder.getParent());
    assertThat(found.all().size() + found.unreadable().size()).isEqualTo(50);
  }

  private void endAt(int depth, Deque<Integer> slots) {
    try {
      endAt(depth + 1, slots);
    } catch (StackOverflowError e) {
      // They end likewise.
    }
    Integer slot = slots.peek();
    if (slot != null) {
      recorder.ended(slot, 7, 1, 1, 0, SECOND, SECOND, 0, 1, true);
      slots.pop();
    }
  }
}
