package io.rollotel.agent.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.log.Stderr;
import io.rollotel.traces.collector.HostFiles;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.file.RequestReader;
import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.HostName;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads back what was written, from a copy, since a process does not read its own file. */
class RecorderTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long NOBODY = 1L << 40;
  private static final int SMALLEST = RecordingLayout.LEAST_BYTES;

  private static final Map<String, Object> RESOURCE =
      Map.of("service.instance.id", "host:1", "host.name", HostName.get(), "roll.run_id", "r");

  private @TempDir Path directory;
  private @TempDir Path copies;
  private Recorder recorder;

  @BeforeEach
  void open() {
    recorder = open(SMALLEST);
  }

  private Recorder open(int bytes) {
    Recorder opened = new Recorder(bytes, directory.resolve(Recordings.FOLDER).toFile());
    opened.open("host-1", RESOURCE);
    return opened;
  }

  @AfterEach
  void close() {
    recorder.close();
  }

  @Test
  void detachDuringASpan_leavesNoFile() {
    File folder = directory.resolve(Recordings.FOLDER).toFile();
    recorder.startedHere(1, 2, 3, 0, SECOND, recorder.facts("worker.train", 1, true));
    assertThat(folder.list()).isNotEmpty();

    recorder.discard();

    assertThat(folder).doesNotExist();
  }

  private void start(long id) {
    recorder.started(7, id, id, id / 2, id * SECOND, recorder.facts("span " + id % 10, 1, false));
  }

  private void end(long id) {
    long facts = recorder.facts("span " + id % 10, 5, true);
    recorder.ended(
        Recorder.BY_ID, 7, id, id, id / 2, id * SECOND, id * SECOND + id, facts, 2, false);
  }

  private Path file() {
    return directory.resolve("open/host-1.rec");
  }

  private Path copy() throws IOException {
    return copyOf(file());
  }

  private Path copyOf(Path file) throws IOException {
    Path copy = Files.createTempDirectory(copies, "copy").resolve("open/host-1.rec");
    Files.createDirectories(copy.getParent());
    return Files.copy(file, copy);
  }

  private static Recording read(Path copy) {
    Recordings found = Recordings.read(copy.getParent().getParent());
    assertThat(found.unreadable()).isEmpty();
    assertThat(found.all()).hasSize(1);
    return found.all().get(0);
  }

  private static void set(Path copy, int at, long value) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(copy.toFile(), "rw")) {
      file.seek(at);
      file.writeLong(Long.reverseBytes(value));
    }
  }

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

  @Test
  void deadProcess_isRecoveredByTheReaderAndSweptByTheDriver() throws IOException {
    for (long id = 1; id <= 9; id++) {
      start(id);
    }
    for (long id = 2; id <= 9; id++) {
      end(id);
    }
    recorder.exported(new ExportedSpanIds(new long[] {9}));
    Path copy = copy();
    set(copy, RecordingLayout.PID_AT, NOBODY);
    Path run = copy.getParent().getParent();
    Set<String> before = recovered(run, 1);
    assertThat(before).hasSize(7);
    Rendezvous driver = new Rendezvous(run.toFile(), true, true, "r", line -> {}, line -> {});
    assertThat(driver.collector()).isNotNull();
    assertThat(copy).doesNotExist();
    assertThat(copy.resolveSibling("host-1.dead")).exists();
    assertThat(Files.size(copy.resolveSibling("host-1.dead"))).isLessThan(16 << 10);
    driver.close();
    assertThat(recovered(run, 1)).isEqualTo(before);
    assertThat(Files.readAllLines(run.resolve("traces/traces.jsonl"))).hasSize(1);
  }

  @Test
  void deadProcessWithoutOpenSpans_leavesNoFileAfterTheSweep() throws IOException {
    start(1);
    end(1);
    Path copy = copy();
    set(copy, RecordingLayout.PID_AT, NOBODY);
    Path run = copy.getParent().getParent();
    try (Rendezvous driver =
        new Rendezvous(run.toFile(), true, true, "r", line -> {}, line -> {})) {
      assertThat(driver.collector()).isNotNull();
      assertThat(copy.getParent()).isEmptyDirectory();
    }
    assertThat(recovered(run, 0)).containsExactly("0000000000000001");
  }

  @Test
  void liveProcessOfAnotherHost_isWaitedForUntilItHasNoUnsentSpan() throws Exception {
    start(1);
    end(1);
    Path copy = copy();
    Path there = copy.getParent().getParent();
    long patienceNanos = TimeUnit.MINUTES.toNanos(5);
    FutureTask<byte[]> packed =
        new FutureTask<>(() -> HostFiles.pack(there, "r", "mark", patienceNanos, line -> {}));
    new Thread(packed).start();
    assertThat(packed).isNotDone();
    set(copy, RecordingLayout.PID_AT, NOBODY);
    assertThat(packed.get(1, TimeUnit.MINUTES)).isNotEmpty();
  }

  @Test
  void deadProcessOfAnotherHost_comesHome() throws IOException {
    for (long id = 1; id <= 3; id++) {
      start(id);
    }
    end(2);
    end(3);
    Path copy = copy();
    Path there = copy.getParent().getParent();
    Path home = Files.createTempDirectory(copies, "home");
    assertThat(HostFiles.pack(there, "r", "mark", 0, line -> {})).as("it lives").isEmpty();
    set(copy, RecordingLayout.PID_AT, NOBODY);
    assertThat(HostFiles.pack(there, "another", "mark", 0, line -> {})).isEmpty();
    assertThat(copy).as("of another run than that").exists();
    byte[] packed = HostFiles.pack(there, "r", "mark", 0, line -> {});
    assertThat(HostFiles.unpack(packed, home, RunBytes.UNLIMITED).files()).isEqualTo(2);
    assertThat(recovered(home, 1))
        .containsExactlyInAnyOrder("0000000000000002", "0000000000000003");
    set(home.resolve("open/host-1.dead"), RecordingLayout.PID_AT, ProcessHandle.current().pid());
    assertThat(read(home.resolve("open/host-1.dead")).isAlive())
        .as("whoever has its number here")
        .isFalse();
  }

  @Test
  void requestsOfADirectory_haveWhatDeadProcessesEndedAsWell() throws Exception {
    for (int id = 1; id <= 3; id++) {
      start(id);
      end(id);
    }
    start(4);
    Path copy = copy();
    Path run = copy.getParent().getParent();
    assertThat(recoveredRequests(run)).as("it lives").isEmpty();
    set(copy, RecordingLayout.PID_AT, NOBODY);
    assertThat(recoveredRequests(run)).isEqualTo(recovered(run, 1)).hasSize(3);
  }

  private Set<String> recoveredRequests(Path run) throws IOException {
    Path file = Files.createTempDirectory(copies, "merged").resolve("merged.jsonl");
    RequestReader requests = new RequestReader(CallJoins.NONE, line -> assertThat(line).isNull());
    try (TracesWriter writer = TracesWriter.open(file.toFile())) {
      for (int i = 0; i < 2; i++) { // once each, however often it is read
        requests.readRecovered(run, (signal, request, n) -> append(writer, request));
      }
    }
    Set<String> ids = new HashSet<>();
    new TracesReader().read(file, span -> assertThat(ids.add(span.spanId())).isTrue());
    return ids;
  }

  private static void append(TracesWriter writer, byte[] request) throws IOException {
    try {
      writer.write(request, 0, request.length);
    } catch (MalformedRequestException e) {
      throw new IOException(e);
    }
  }

  private static Set<String> recovered(Path run, int open) throws IOException {
    TracesReader reader = new TracesReader();
    Set<String> ids = new HashSet<>();
    reader.read(
        run,
        span -> {
          assertThat(span.attributes()).containsEntry("roll.recovered", true);
          assertThat(ids.add(span.spanId())).isTrue();
        });
    assertThat(reader.recordings().stream().mapToInt(recording -> recording.open().size()).sum())
        .isEqualTo(open);
    return ids;
  }
}
