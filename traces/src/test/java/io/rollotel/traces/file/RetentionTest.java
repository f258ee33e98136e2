package io.rollotel.traces.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetentionTest {

  private @TempDir Path directory;
  private final List<String> said = new ArrayList<>();

  /** A file of these runs that was written so many minutes ago. */
  private Path write(String name, int minutesAgo, String... runs) throws IOException {
    if (name.endsWith(".jfr")) {
      return writeProfile(name, minutesAgo, runs[0]);
    }
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    StringBuilder lines = new StringBuilder();
    for (String run : runs) {
      lines
          .append("{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":")
          .append("\"roll.run_id\",\"value\":{\"stringValue\":\"")
          .append(run)
          .append("\"}}]},\"scopeSpans\":[]}]}\n");
    }
    try (OutputStream plain = Files.newOutputStream(file);
        OutputStream out = name.endsWith(".gz") ? new GZIPOutputStream(plain) : plain) {
      out.write(lines.toString().getBytes());
    }
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60L * minutesAgo)));
    return file;
  }

  /** As Flight Recorder writes a short text. */
  private Path writeProfile(String name, int minutesAgo, String run) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "FLR\4" + (char) run.length() + run + "\1");
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60L * minutesAgo)));
    return file;
  }

  private Retention keeping(long runs, long bytes) {
    return new Retention(directory, new Retention.Rules(runs, bytes), said::add);
  }

  private Retention.Removal clean(Retention retention, String... written) {
    return retention.remove(retention.plan(List.of(written)));
  }

  private List<String> left() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> Files.isRegularFile(file) && !file.endsWith(".runs"))
          .map(file -> directory.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  @Test
  void oldestRuns_goWithAllTheirFiles() throws IOException {
    write("traces/traces-2026-11-21T17-05-00.000.jsonl", 50, "one");
    write("traces/traces-2026-11-21T17-06-00.000.jsonl.gz", 49, "one");
    write("traces/host-1.jsonl", 48, "one");
    write("traces/refused/host-1.jsonl", 48, "one");
    write("metrics/metrics.jsonl", 48, "one");
    write("logs/logs.jsonl", 48, "one");
    write("profiles/host-1.1.jfr", 48, "one");
    write("traces/traces-2026-11-21T18-05-00.000.jsonl", 40, "two");
    write("profiles/host-2.1.jfr", 40, "two");
    write("traces/traces.jsonl", 30, "three");

    assertThat(keeping(2, 0).plan(List.of()).runs()).containsExactly("one");
    Retention.Removal gone = clean(keeping(2, 0));
    assertThat(gone.runs()).containsExactly("one");
    assertThat(gone.files()).hasSize(7);
    assertThat(gone).asString().startsWith("1 run (one): 7 files, ");
    assertThat(left())
        .containsExactly(
            "profiles/host-2.1.jfr",
            "traces/traces-2026-11-21T18-05-00.000.jsonl",
            "traces/traces.jsonl");
    assertThat(clean(keeping(2, 0)).isEmpty()).isTrue();
    assertThat(said).isEmpty();
  }

  /**
   * A run's name, the start of its span in seconds from 2020 on, 0 for none, and its age in
   * minutes.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a 100 10 | b 200 50 | c 300 40 | a,b", // a copy has other times
        "a 300 50 | b 200 50 | c 100 50 | c,b",
        "a 100 50 | b 100 60 | c 100 40 | b,a",
        "c 100 50 | b 100 50 | a 100 50 | a,b",
        "c 0 50 | b 0 60 | a 0 40 | b,c",
        "a 100 10 | b 0 50 | c 300 40 | a,c", // without spans: when it was written
      })
  void oldest_isTheRunWhoseFirstSpanStartedFirst(String one, String two, String three, String gone)
      throws IOException {
    for (String run : List.of(one, two, three)) {
      String[] parts = run.split(" ");
      int start = Integer.parseInt(parts[1]);
      start(
          write("traces/" + parts[0] + ".jsonl", 99, parts[0]), start, Integer.parseInt(parts[2]));
    }
    List<String> planned = keeping(1, 0).plan(List.of()).runs();
    assertThat(planned).containsExactly(gone.split(","));
    assertThat(clean(keeping(1, 0)).runs()).as("by the notes").isEqualTo(planned);
  }

  /** The youngest of runs that share a file may be the newest of all. */
  @Test
  void runsThatShareAFile_areAsOldAsItsLastWrite() throws IOException {
    start(write("traces/ac.jsonl", 50, "a", "c"), 100, 50);
    start(write("traces/b.jsonl", 99, "b"), 200, 60);
    assertThat(keeping(2, 0).plan(List.of()).runs()).containsExactly("b");
  }

  /** A counter's start is that of its process or host. */
  @Test
  void metrics_makeNoRunOlder() throws IOException {
    start(write("traces/a.jsonl", 99, "a"), 200, 50);
    start(write("traces/b.jsonl", 99, "b"), 300, 50);
    start(write("metrics/metrics.jsonl", 99, "b"), 100, 50);
    assertThat(keeping(1, 0).plan(List.of()).runs()).containsExactly("a");
  }

  /** Adds a span to a file that was written then. */
  private static void start(Path file, int second, int ageMinutes) throws IOException {
    Files.writeString(
        file,
        "{\"startTimeUnixNano\":\"" + (second == 0 ? 0 : 1_600_000_000 + second) + "000000000\"}\n",
        StandardOpenOption.APPEND);
    Instant written = Instant.ofEpochSecond(1_700_000_000 - 60L * ageMinutes);
    Files.setLastModifiedTime(file, FileTime.from(written));
  }

  /** Each run has 150 bytes or so. */
  @ParameterizedTest
  @CsvSource({"10000, 0", "400, 1", "150, 3", "1, 3"})
  void size_isThatOfAllRunsAndTheOneThatIsWrittenStays(long bytes, int gone) throws IOException {
    write("traces/traces-2026-11-21T17-05-00.000.jsonl", 50, "one");
    write("traces/traces-2026-11-21T18-05-00.000.jsonl", 40, "two");
    write("traces/traces-2026-11-21T19-05-00.000.jsonl", 30, "three");
    write("traces/traces.jsonl", 20, "four");
    assertThat(clean(keeping(0, bytes), "four").runs()).hasSize(gone);
    assertThat(left()).hasSize(4 - gone).contains("traces/traces.jsonl");
  }

  @Test
  void runsThatShareAFile_goTogetherOrNotAtAll() throws IOException {
    write("traces/traces.jsonl", 50, "one", "two");
    write("traces/host-2.jsonl", 40, "two", "three");
    write("traces/other.jsonl", 30, "four");
    assertThat(clean(keeping(3, 0)).isEmpty()).isTrue();
    assertThat(clean(keeping(2, 0)).isEmpty()).isTrue();
    assertThat(clean(keeping(1, 0)).runs()).containsExactly("one", "three", "two");
    assertThat(left()).containsExactly("traces/other.jsonl");
  }

  @Test
  void whatIsNotARunsOrIsBeingWritten_stays() throws IOException {
    write("traces/old.jsonl", 50, "one");
    write("traces/foreign.jsonl", 50);
    write("traces/traces.jsonl.part", 50, "one");
    write("page.html", 50, "one");
    write("profiles/stranger.jfr", 50, "unknown");
    write("traces/live.jsonl", 0, "two");
    write("metrics/live.jsonl", 45, "two");
    Path away = write("elsewhere.jsonl", 50, "three");
    Files.createSymbolicLink(directory.resolve("traces/link.jsonl"), away);
    Files.createSymbolicLink(directory.resolve("logs"), directory.resolve("traces"));
    write("traces/last.jsonl", 10, "four");

    assertThat(clean(keeping(1, 0)).runs()).containsExactly("one", "four");
    assertThat(left())
        .containsExactly(
            "elsewhere.jsonl",
            "metrics/live.jsonl",
            "page.html",
            "profiles/stranger.jfr",
            "traces/foreign.jsonl",
            "traces/link.jsonl",
            "traces/live.jsonl",
            "traces/traces.jsonl.part");
  }

  private interface Change {
    void to(Path file) throws IOException;
  }

  private static Stream<Arguments> changes() {
    return Stream.of(
        arguments(
            "grown",
            (Change) file -> Files.writeString(file, Files.readString(file) + "a line more\n")),
        arguments(
            "touched",
            (Change) file -> Files.setLastModifiedTime(file, FileTime.from(Instant.now()))),
        arguments(
            "another of the same size and time",
            (Change)
                file -> {
                  FileTime time = Files.getLastModifiedTime(file);
                  Path copy = Files.copy(file, file.resolveSibling("copy.part"));
                  Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING);
                  Files.setLastModifiedTime(file, time);
                }));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("changes")
  void runOfWhichAFileHasChangedMeanwhile_staysAsAWhole(String what, Change change)
      throws IOException {
    Path file = write("traces/traces.jsonl", 50, "one");
    write("logs/logs.jsonl", 50, "one");
    write("traces/two.jsonl", 10, "two");
    Retention retention = keeping(1, 0);
    Retention.Removal plan = retention.plan(List.of());
    assertThat(plan.files()).hasSize(2);
    change.to(file);
    assertThat(retention.remove(plan).isEmpty()).isTrue();
    assertThat(left())
        .containsExactly("logs/logs.jsonl", "traces/traces.jsonl", "traces/two.jsonl");
  }

  /** Nobody can tell to which run it writes, or whether it is alive. */
  @Test
  void recorderThatCannotBeRead_isOfAProcessThatMayWriteToAnyRun() throws IOException {
    write("traces/one.jsonl", 50, "one");
    write("traces/two.jsonl", 10, "two");
    Path recorder = Files.createDirectory(directory.resolve("open")).resolve("host-1.rec");
    Files.writeString(recorder, "garbage".repeat(10));
    Retention retention = keeping(1, 0);
    assertThat(clean(retention).isEmpty()).isTrue();
    assertThat(clean(retention).isEmpty()).isTrue();
    assertThat(said).singleElement().asString().contains("host-1.rec", "no run is removed");
    Files.delete(recorder);
    assertThat(clean(retention).runs()).containsExactly("one");
  }

  @Test
  void runInTheMiddleOfALargeFileThatIsWritten_keepsItsOtherFiles() throws IOException {
    String[] runs = new String[60_000];
    Arrays.fill(runs, 0, 20_000, "one");
    Arrays.fill(runs, 20_000, 21_000, "two");
    Arrays.fill(runs, 21_000, runs.length, "three");
    write("traces/traces.jsonl", 0, runs);
    write("metrics/metrics.jsonl", 50, "two");
    write("traces/old.jsonl", 50, "old");
    assertThat(clean(keeping(1, 0)).runs()).containsExactly("old");
    assertThat(left()).containsExactly("metrics/metrics.jsonl", "traces/traces.jsonl");
  }

  @Test
  void fileThatHasGrown_isSearchedWhereItIsNew() throws IOException {
    Path file = write("traces/traces.jsonl", 0, "one");
    keeping(9, 0).plan(List.of());
    String first = Files.readString(file);
    Files.writeString(file, first + first.replace("one", "two"));
    keeping(9, 0).plan(List.of());
    assertThat(Files.readString(directory.resolve("traces/.runs"))).endsWith("\tone\ttwo\n");
    Files.writeString(file, Files.readString(file).replace("one", "abc") + first);
    keeping(9, 0).plan(List.of());
    assertThat(Files.readString(directory.resolve("traces/.runs")))
        .as("another file of that name")
        .endsWith("\tabc\tone\ttwo\n");
  }

  @Test
  void profileThatWasThereBeforeItsRunsLines_goesWithThem() throws IOException {
    write("profiles/host-1.1.jfr", 50, "one");
    write("traces/young.jsonl", 30, "two");
    clean(keeping(1, 0));
    write("traces/old.jsonl", 50, "one");
    clean(keeping(1, 0));
    assertThat(left()).containsExactly("traces/young.jsonl");
  }

  @ParameterizedTest
  @CsvSource({"a, ab", "ab, a", "17, 1701", "run, my-run", "0123456789abcdef, 0123456789abcdef0"})
  void profileOfARunWhoseIdIsPartOfAnother_staysWithItsOwn(String old, String young)
      throws IOException {
    write("traces/old.jsonl", 50, old);
    write("traces/young.jsonl", 10, young);
    writeProfile("profiles/old.jfr", 50, old);
    writeProfile("profiles/young.jfr", 50, young);
    assertThat(clean(keeping(1, 0)).runs()).containsExactly(old);
    assertThat(left()).containsExactly("profiles/young.jfr", "traces/young.jsonl");
  }

  @Name("io.rollotel.test.Run")
  static final class RunEvent extends Event {
    private final String runId;

    RunEvent(String runId) {
      this.runId = runId;
    }

    String runId() {
      return runId;
    }
  }

  /** As Flight Recorder itself writes them: short, pooled, and not of Latin letters. */
  @ParameterizedTest
  @ValueSource(
      strings = {"a", "0123456789abcdef", "quoted \"run\" \\ here", "l\u00e4uft", "\u8dd1\u6b65"})
  void profileOfFlightRecorder_isOfTheRunThatItNames(String run) throws IOException {
    write("traces/old.jsonl", 50, run.replace("\\", "\\\\").replace("\"", "\\\""));
    write("traces/young.jsonl", 10, "another");
    Path profile = Files.createDirectory(directory.resolve("profiles")).resolve("host.jfr");
    try (Recording recording = new Recording()) {
      recording.enable(RunEvent.class);
      recording.start();
      new RunEvent(run).commit();
      recording.stop();
      recording.dump(profile);
    }
    Files.setLastModifiedTime(profile, FileTime.from(Instant.now().minusSeconds(3_000)));
    assertThat(clean(keeping(1, 0)).runs()).containsExactly(run);
    assertThat(left()).containsExactly("traces/young.jsonl");
  }

  @Test
  void fileThatCannotBeRead_staysAndIsNamedOnce() throws IOException {
    write("traces/two.jsonl", 10, "two");
    Path bad = write("traces/bad.jsonl.gz", 50, "one");
    Files.writeString(bad, "no gzip");
    Files.setLastModifiedTime(bad, FileTime.from(Instant.now().minusSeconds(3_000)));
    Retention retention = keeping(1, 0);
    clean(retention);
    clean(retention);
    assertThat(said).singleElement().asString().contains("bad.jsonl.gz", "stays");
    assertThat(left()).containsExactly("traces/bad.jsonl.gz", "traces/two.jsonl");
  }

  @Test
  void notes_holdAsLongAsTheFileDoes() throws IOException {
    Path file = write("traces/traces.jsonl", 50, "one");
    write("traces/two.jsonl", 10, "two");
    keeping(9, 0).plan(List.of());
    Path notes = directory.resolve("traces/.runs");
    assertThat(Files.readString(notes)).contains("traces/traces.jsonl\t", "\tone\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(notes)))
        .isEqualTo("rw-------");
    write("traces/traces.jsonl", 49, "another");
    assertThat(keeping(1, 0).plan(List.of()).runs()).containsExactly("another");
    assertThat(file).exists();
  }

  @Test
  void runThatHasNoFileYet_isOneOfThoseThatStay() throws IOException {
    write("traces/one.jsonl", 50, "one");
    write("traces/two.jsonl", 40, "two");
    assertThat(clean(keeping(2, 0), "three").runs()).containsExactly("one");
    assertThat(left()).containsExactly("traces/two.jsonl");
  }

  @Test
  void runThatBegins_sharesNoFileWithThoseBefore() throws IOException {
    write("traces/traces.jsonl", 0, "one");
    write("metrics/metrics.jsonl", 0, "one");
    Retention.beginRun(directory, said::add);
    write("traces/traces.jsonl", 0, "two");
    assertThat(clean(keeping(1, 0), "two").runs()).containsExactly("one");
    assertThat(left()).containsExactly("traces/traces.jsonl");
    assertThat(said).isEmpty();
  }
}
