package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The flight recorder of the shipped jar: processes that are killed, hang, or share a directory.
 */
@Timeout(3600)
class RecorderIT {

  /** The properties for longer runs. */
  private static final int KILLS = Integer.getInteger("recorder.kills", 3);

  private static final int SHORT_SPANS = Integer.getInteger("recorder.spans", 300_000);

  private static final int SPANS_PER_SECOND = 20_000;

  private @TempDir Path directory;

  private Path output() {
    return directory.resolve("output/otlp");
  }

  private ProgramRun worker(String... arguments) throws IOException {
    return ProgramRun.of(directory, RecordedWorker.class, arguments)
        .openTelemetry(System.getProperty("opentelemetry.newest"), false)
        .environment("ROLL_OTEL_EXPORTER", "file")
        .environment("ROLL_OTEL_EXIT_TIMEOUT", "10");
  }

  private Result openCommand(String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("open", output().toString()));
    arguments.addAll(List.of(options));
    return ProgramRun.of(directory, RecordedWorker.class)
        .withoutAgent()
        .withoutEnvironment("ROLL_OTEL_ENABLED")
        .jar(ProgramRun.AGENT, arguments.toArray(new String[0]))
        .run();
  }

  /** Everything that is known of all processes. */
  private record Known(List<String> spans, Set<String> open, List<Recording> recordings) {

    static Known of(Path output) throws IOException {
      TracesReader reader = new TracesReader();
      List<String> spans = new ArrayList<>();
      ReadSummary summary = reader.read(output, span -> spans.add(span.spanId()));
      assertThat(summary.unreadableLines()).as("%s", summary.firstUnreadable()).isZero();
      Set<String> open = new HashSet<>();
      for (Recording recording : reader.recordings()) {
        assertThat(recording.isAlive()).isFalse();
        recording.open().forEach(span -> assertThat(open.add(span.spanId())).isTrue());
      }
      return new Known(spans, open, reader.recordings());
    }
  }

  @Tag("campaign")
  @Test
  void killedUnderLoad_everyStartedSpanIsAccountedForOnce() throws Exception {
    Random random = new Random();
    Set<String> started = new HashSet<>();
    long overwritten;
    CollectProcess collector = CollectProcess.start(output(), 0, 0);
    try {
      for (int kill = 0; kill < KILLS; kill++) {
        Path truth = directory.resolve("truth" + kill);
        try (LiveProgram worker =
            worker("load", Integer.toString(SPANS_PER_SECOND), truth.toString()).start()) {
          worker.await("= ready");
          Thread.sleep(random.nextInt(2_000)); // the moment is what is random
          worker.kill();
        }
        started.addAll(ids(truth));
        Files.delete(truth);
      }
      Known known = Known.of(output());
      assertThat(known.recordings).hasSize(KILLS);
      assertThat(known.recordings.stream().mapToLong(Recording::unrecordedSpans).sum()).isZero();
      overwritten = known.recordings.stream().mapToLong(Recording::overwrittenSpans).sum();
      // None, unless other processes keep the export thread off the processors for half a second.
      assertThat(overwritten).isLessThan(started.size() / 20);
      check(known, started, overwritten);
    } finally {
      collector.stop();
    }
    // Its end has delivered what it could; nothing of that is lost or duplicated.
    Known swept = Known.of(output());
    check(swept, started, overwritten);
    assertThat(swept.recordings).allMatch(recording -> recording.ended().isEmpty());
    try (Stream<Path> left = Files.list(output().resolve("open"))) {
      assertThat(left).allMatch(file -> file.toString().endsWith(".dead"));
    }
  }

  /** Spans that were overwritten before their export are counted, and may be missing. */
  private static void check(Known known, Set<String> started, long overwritten) {
    Set<String> all = new HashSet<>(known.spans);
    all.addAll(known.open);
    assertThat(all).as("each span once").hasSize(known.spans.size() + known.open.size());
    Set<String> missing = new HashSet<>(started);
    missing.removeAll(all);
    assertThat((long) missing.size()).isLessThanOrEqualTo(overwritten);
  }

  private static List<String> ids(Path truth) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(truth));
    List<String> ids = new ArrayList<>();
    while (bytes.hasRemaining()) {
      long id = bytes.getLong();
      if (id != 0) {
        ids.add(String.format("%016x", id));
      }
    }
    return ids;
  }

  @Tag("campaign")
  @Test
  void spanThatStaysOpenWhileOthersPass_isNamedByOpenAndInTheReport() throws Exception {
    try (LiveProgram worker =
        worker("outer", Integer.toString(SHORT_SPANS))
            .environment("OTEL_TRACES_EXPORTER", SHORT_SPANS > 1_000_000 ? "none" : "otlp")
            .start()) {
      worker.await("= ready");
      Result live = openCommand();
      assertThat(live.exitCode()).as(live.err()).isZero();
      assertThat(live.out()).contains("pid " + worker.pid() + ", alive: 1 span open");
      assertThat(live.out()).containsPattern("s  worker.outer +thread \\d+  trace [0-9a-f]{32}");

      worker.kill();
      Result dead = openCommand();
      assertThat(dead.out()).contains("pid " + worker.pid() + ", dead, last sign of life ");
      assertThat(dead.out()).contains("worker.outer");
    }
    if (SHORT_SPANS > 1_000_000) {
      return;
    }
    Result report = report();
    assertThat(report.out()).containsPattern("open spans +for +on");
    assertThat(report.out()).containsPattern("worker.outer .* dead ");
    Result json = report("--json");
    assertThat(json.out()).contains("\"open\":[{", "\"name\":\"worker.outer\"", "\"alive\":false");
  }

  private Result report(String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("report", output().toString()));
    arguments.addAll(List.of(options));
    return ProgramRun.of(directory, RecordedWorker.class)
        .withoutAgent()
        .withoutEnvironment("ROLL_OTEL_ENABLED")
        .jar(ProgramRun.AGENT, arguments.toArray(new String[0]))
        .run();
  }

  @Test
  void deadlockedPair_isShownWithItsLocks() throws Exception {
    try (LiveProgram worker = worker("deadlock").start()) {
      worker.await("= ready");
      String out = untilOpenSays(worker, text -> text.contains("Java-level deadlock"));
      assertThat(out)
          .contains("worker.left", "worker.right")
          .contains("Found one Java-level deadlock")
          .containsPattern("- waiting to lock <0x[0-9a-f]+> \\(a java.lang.Object\\)")
          .containsPattern("which is held by \"Thread-\\d+\"")
          .contains("RecordedWorker.lockBoth");
    }
  }

  private String untilOpenSays(LiveProgram worker, Predicate<String> text) throws Exception {
    AtomicReference<String> said = new AtomicReference<>("");
    Patience.until(
        () -> "open says it, not " + said,
        worker.handle(),
        () -> {
          said.set(openCommand("--stacks").out());
          return text.test(said.get());
        });
    return said.get();
  }

  @Test
  void cleanExit_leavesNoFile() throws Exception {
    try (LiveProgram worker = worker("nothing").start()) {
      worker.await("= ready");
      assertThat(output().resolve("open")).isDirectoryContaining("glob:**.rec");
      assertThat(worker.end()).isEmpty();
    }
    assertThat(output().resolve("open")).doesNotExist();
  }

  @Test
  void recorderOfNoBytes_isOff() throws Exception {
    try (LiveProgram worker =
        worker("nothing").environment("ROLL_OTEL_RECORDER_BYTES", "0").start()) {
      worker.await("= ready");
      assertThat(worker.end()).isEmpty();
    }
    assertThat(output().resolve("open")).doesNotExist();
    assertThat(Result.spans(output())).extracting(Span::name).containsExactly("worker.inner");
  }

  /** A file in its place; a directory in which nobody can make a file. */
  @ParameterizedTest
  @ValueSource(strings = {"file", "/proc"})
  void folderThatCannotBeWritten_isOneLine(String inTheWay) throws Exception {
    Files.createDirectories(output());
    if (inTheWay.equals("file")) {
      Files.writeString(output().resolve("open"), "in the way");
    } else {
      assumeThat(Path.of(inTheWay)).exists();
      Files.createSymbolicLink(output().resolve("open"), Path.of(inTheWay));
    }
    try (LiveProgram worker = worker("nothing").start()) {
      worker.await("= ready");
      assertThat(worker.end())
          .hasSize(1)
          .allMatch(line -> line.startsWith("[roll-otel] open spans are not recorded: no file in"));
    }
    assertThat(Result.spans(output())).extracting(Span::name).containsExactly("worker.inner");
  }

  /** The file may have any length up to that of the disk's room. */
  @Test
  void diskThatIsFull_isOneLine() throws Exception {
    assumeThat(Path.of("/bin/bash")).exists();
    try (LiveProgram worker =
        worker("nothing").environment("ROLL_OTEL_RECORDER_BYTES", "1024m").startWithin(8_192)) {
      worker.await("= ready");
      assertThat(worker.end())
          .anyMatch(line -> line.startsWith("[roll-otel] open spans are not recorded: no file in"));
    }
    assertThat(output().resolve("open")).doesNotExist();
    assertThat(Result.spans(output())).extracting(Span::name).containsExactly("worker.inner");
  }

  @Test
  void fileDeletedUnderneath_isOneLineAtMost() throws Exception {
    try (LiveProgram worker = worker("outer", "10").start()) {
      worker.await("= ready");
      try (Stream<Path> files = Files.list(output().resolve("open"))) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      assertThat(openCommand().exitCode()).isEqualTo(1);
      assertThat(worker.end())
          .as("none where it ends before it looks")
          .hasSizeLessThanOrEqualTo(1)
          .allMatch(line -> line.contains("was deleted"));
    }
    assertThat(Result.spans(output())).hasSize(10);
  }

  @Test
  void twoProcessesOfOneName_areBothThere() throws Exception {
    try (LiveProgram one = worker("outer", "1").environment("ROLL_OTEL_INSTANCE", "me").start();
        LiveProgram other = worker("outer", "1").environment("ROLL_OTEL_INSTANCE", "me").start()) {
      one.await("= ready");
      other.await("= ready");
      Result live = openCommand();
      assertThat(live.out())
          .contains("pid " + one.pid() + ", alive: 1 span open")
          .contains("pid " + other.pid() + ", alive: 1 span open");
      assertThat(output().resolve("open/me.rec")).exists();
      assertThat(output().resolve("open/me-2.rec")).exists();
    }
  }

  /** More spans are open at once than there is room for. For Java 21 and later. */
  @Test
  void hundredThousandVirtualThreads_endWell() throws Exception {
    assumeThat(Runtime.version().feature()).isGreaterThanOrEqualTo(21);
    Result result =
        ProgramRun.of(directory, VirtualThreadsWorker.class, "100000")
            .environment("OTEL_BSP_MAX_QUEUE_SIZE", "200000")
            .environment("ROLL_OTEL_EXIT_TIMEOUT", "20")
            .jvmOptions("-Xmx2g")
            .run();
    assertThat(result.isClean().spans()).hasSize(101_000);
    assertThat(output().resolve("open")).doesNotExist();
  }

  @Test
  void virtualThreadThatHangs_hasItsStack() throws Exception {
    assumeThat(Runtime.version().feature()).isGreaterThanOrEqualTo(21);
    try (LiveProgram worker = worker("virtual").start()) {
      worker.await("= ready");
      assertThat(untilOpenSays(worker, text -> text.contains("RecordedWorker.hold")))
          .contains("worker.outer");
    }
  }

  /** Its input ends while a daemon thread is inside a span; it exits inside one. */
  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({"outer, worker.outer", "exit, worker.exit"})
  void processThatEndsInsideASpan_goesOnTellingOfIt(String how, String span) throws Exception {
    try (LiveProgram worker = worker(how, "1").start()) {
      worker.await("= ready");
      assertThat(worker.end()).isEmpty();
    }
    Path folder = output().resolve("open");
    tellsOf(span);
    assertThat(folder).isDirectoryContaining("glob:**.rec");
    assertThat(bytes(folder)).isLessThan(32 << 10);
    // The next driver reports it once.
    for (int run = 0; run < 2; run++) {
      CollectProcess.start(output(), 0, 0).stop();
      tellsOf(span);
      assertThat(folder).isDirectoryContaining("glob:**.dead");
      assertThat(bytes(folder)).isLessThan(32 << 10);
    }
    assertThat(report().out())
        .containsPattern(span + " .* ended ")
        .contains(", ended with 1 span open: " + span)
        .doesNotContain("died");
  }

  private void tellsOf(String span) throws IOException {
    Known known = Known.of(output());
    assertThat(known.spans).hasSize(1);
    assertThat(known.recordings).hasSize(1);
    assertThat(known.recordings.get(0).open()).extracting(OpenSpan::name).containsExactly(span);
  }

  private static long bytes(Path folder) throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }
}
