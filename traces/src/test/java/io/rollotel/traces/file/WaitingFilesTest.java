package io.rollotel.traces.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.traces.otlp.Signal;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class WaitingFilesTest {

  private static final String TIME = "-2026-11-21T17-05-00.00";
  private static final List<String> HERE = List.of("http://here/v1/traces", "http://b/v1/traces");
  private static final ProcessMark THIS = ProcessMark.ofThis();

  private @TempDir Path directory;
  private Path traces;
  private File own;
  private WaitingFiles files;

  @BeforeEach
  void makeFolder() throws IOException {
    traces = Files.createDirectory(directory.resolve("traces"));
    own = traces.resolve("own.jsonl").toFile();
    files = new WaitingFiles(own, HERE);
  }

  @AfterEach
  void letGo() throws IOException {
    WaitingFiles.end(own);
  }

  private Path write(String name) throws IOException {
    return Files.writeString(traces.resolve(name), WaitingFileTest.line(1));
  }

  /** A file that waits. */
  private Path write(String name, ProcessMark writer, String endpoint) throws IOException {
    Path file = write(name);
    new WaitingNote(0, writer, List.of(endpoint)).write(file);
    return file;
  }

  private static ProcessMark dead() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    return new ProcessMark(THIS.boot(), THIS.pidNamespace(), ended.pid(), 0);
  }

  /** From another container on this host, which may have a process with any id. */
  private static ProcessMark inAContainer() {
    return new ProcessMark(THIS.boot(), "pid:[1]", 1, 0);
  }

  private String next() throws IOException {
    WaitingFile next = files.next(() -> WaitingFiles.setAside(own), true);
    if (next == null) {
      return "";
    }
    String name = Path.of(next.toString()).getFileName().toString();
    next.remove();
    return name;
  }

  private String[] names() {
    return traces.toFile().list();
  }

  @Test
  void ownFile_isSetAsideAndGivenAgainAndAgain() throws IOException {
    WaitingFiles.begin(own, HERE);
    assertThat(next()).isEmpty();
    for (int i = 0; i < 2; i++) {
      write("own.jsonl");
      assertThat(WaitingFiles.ofThisProcess(own)).containsExactly(own.toPath());
      assertThat(next()).matches("own-\\d{4}-.*\\.jsonl");
      assertThat(next()).isEmpty();
    }
    WaitingFiles.end(own);
    assertThat(traces).isEmptyDirectory();
  }

  @Test
  void fullOwnFiles_areGivenTheOldestFirst() throws Exception {
    WaitingFiles.begin(own, HERE);
    writeFull();
    assertThat(WaitingFiles.ofThisProcess(own)).hasSize(3);
    assertThat(WaitingFiles.count(directory.toFile()).files()).isEqualTo(3);
    for (int line = 1; line <= 3; line++) {
      WaitingFile next = files.next(() -> WaitingFiles.setAside(own), false);
      assertThat(next).isNotNull();
      assertThat(Path.of(next.toString())).content().contains("000" + line + "\",\"name\"");
      next.remove();
    }
    assertThat(next()).isEmpty();
    WaitingFiles.end(own);
    assertThat(traces).isEmptyDirectory();
  }

  @Test
  void fullOwnFilesThatNobodyAskedFor_areFoundByALook() throws Exception {
    WaitingFiles.begin(own, HERE);
    writeFull();
    WaitingFiles.end(own);
    WaitingFiles.begin(own, HERE);
    assertThat(List.of(next(), next())).doesNotContain("").doesNotHaveDuplicates();
  }

  @Test
  void fullFilesThatWaitForNoEndpoint_areNeverSent() throws Exception {
    writeFull();
    WaitingFiles.begin(own, HERE);
    assertThat(next()).isEmpty();
    assertThat(names()).hasSize(4).contains("own.jsonl.sent");
  }

  /** Three files of a line each, as a long outage fills them. */
  private void writeFull() throws Exception {
    FileRules lineEach = new FileRules(0, 1, false, false);
    try (TracesWriter writer = TracesWriter.open(own, Signal.TRACES, lineEach)) {
      for (int line = 1; line <= 3; line++) {
        byte[] request = WaitingFileTest.line(line).getBytes(StandardCharsets.UTF_8);
        writer.writeJson(request, 0, request.length);
      }
    }
  }

  @Test
  void ownFileThatWaitsForNoEndpoint_isNeverSent() throws IOException {
    write("own.jsonl");
    assertThat(next()).isEmpty();
    assertThat(names()).containsExactly("own.jsonl");
  }

  @Test
  void whatLiesInTheOwnFileFromARunWithoutEndpoint_isSetAsideAndNeverSent() throws IOException {
    write("own.jsonl");
    WaitingFiles.begin(own, HERE);
    assertThat(next()).isEmpty();
    write("own.jsonl");
    assertThat(next()).startsWith("own-");
    assertThat(names())
        .hasSize(2)
        .anyMatch(name -> name.matches("own-\\d{4}-.*\\.jsonl"))
        .contains("own.jsonl.sent");
  }

  @Test
  void whatAnEarlierProcessOfThatNameHasLeft_waitsForWhatItWaitedFor() throws Exception {
    write("own.jsonl", dead(), "http://elsewhere/v1/traces");
    WaitingFiles.begin(own, HERE);
    assertThat(next()).isEmpty();
    WaitingFiles.end(own);
    WaitingFiles elsewhere = new WaitingFiles(own, List.of("http://elsewhere/v1/traces"));
    assertThat(elsewhere.next(() -> null, true)).isNotNull();
  }

  @Test
  void filesOfTheDeadOfThisHost_areSetAsideAndGiven() throws Exception {
    write("dead.jsonl", dead(), HERE.get(0));
    write("left" + TIME + "1.jsonl", dead(), HERE.get(1));
    write("container.jsonl", inAContainer(), HERE.get(0));
    assertThat(next()).matches("container-\\d{4}-.*\\.jsonl");
    assertThat(next()).matches("dead-\\d{4}-.*\\.jsonl");
    assertThat(next()).isEqualTo("left" + TIME + "1.jsonl");
    assertThat(next()).isEmpty();
    assertThat(traces).isEmptyDirectory();
  }

  @Test
  void filesOfOthers_areLeftAsTheyAre() throws Exception {
    ProcessMark first = new ProcessMark(THIS.boot(), THIS.pidNamespace(), 1, 0);
    write("alive.jsonl", first, HERE.get(0));
    write("alive" + TIME + "1.jsonl", first, HERE.get(0));
    ProcessMark otherHost = new ProcessMark("another", THIS.pidNamespace(), dead().pid(), 0);
    write("otherhost.jsonl", otherHost, HERE.get(0));
    write("otherendpoint.jsonl", dead(), "http://elsewhere/v1/traces");
    write("runs.jsonl"); // of a run whose driver collects
    write("traces.jsonl");
    write("empty.jsonl");
    Files.createFile(traces.resolve("empty.jsonl.sent"));
    Path away = write("away.jsonl", dead(), HERE.get(0));
    Files.createSymbolicLink(away, Files.move(away, directory.resolve("target.jsonl")));
    String[] before = names();
    assertThat(next()).isEmpty();
    assertThat(names()).containsExactlyInAnyOrder(before);
  }

  @Test
  void processOfAnotherContainer_isAliveAsLongAsItHasItsLock() throws Exception {
    Path file = write("container.jsonl", inAContainer(), HERE.get(0));
    try (FileChannel channel = FileChannel.open(WaitingNote.of(file), StandardOpenOption.WRITE)) {
      assertThat(channel.tryLock()).isNotNull();
      assertThat(next()).isEmpty();
    }
    assertThat(next()).startsWith("container-");
  }

  /** Reading its note would release its lock, so another process would send the file. */
  @Test
  void noteThatAnotherPartOfThisProcessHolds_isNotRead() throws Exception {
    File other = traces.resolve("other.jsonl").toFile();
    WaitingFiles.begin(other, HERE);
    try {
      write("other.jsonl");
      assertThat(WaitingHold.note(other.toPath())).isNull();
      assertThat(next()).isEmpty();
      assertThat(WaitingFiles.ofThisProcess(other)).containsExactly(other.toPath());
    } finally {
      WaitingFiles.end(other);
    }
    assertThat(WaitingHold.note(other.toPath())).isNotNull();
    assertThat(WaitingFiles.ofThisProcess(other)).containsExactly(other.toPath());
  }

  @Test
  void processOfTheSameNameThatLives_keepsItsFileToItself() throws Exception {
    Path file = write("own.jsonl", inAContainer(), HERE.get(0));
    try (FileChannel channel = FileChannel.open(WaitingNote.of(file), StandardOpenOption.WRITE)) {
      assertThat(channel.tryLock()).isNotNull();
      assertThatThrownBy(() -> WaitingFiles.begin(own, HERE)).isInstanceOf(IOException.class);
      assertThat(next()).isEmpty();
    }
  }

  @Test
  void processOfTheSameNameOnAnotherHost_mayLive() throws Exception {
    write("own.jsonl", new ProcessMark("another", "", 1, 0), HERE.get(0));
    assertThatThrownBy(() -> WaitingFiles.begin(own, HERE)).hasMessageContaining("may live");
    assertThat(next()).isEmpty();
    assertThat(names()).containsExactlyInAnyOrder("own.jsonl", "own.jsonl.sent");
  }

  @Test
  void pidThatIsAnotherProcessesNow_isThatOfADeadOne() throws Exception {
    ProcessMark reused = new ProcessMark(THIS.boot(), THIS.pidNamespace(), THIS.pid(), 1);
    write("reused.jsonl", reused, HERE.get(0));
    assertThat(next()).startsWith("reused-");
  }

  @Test
  void noteWhoseFileIsGone_goesAsWell() throws Exception {
    Files.delete(write("dead.jsonl", dead(), HERE.get(0)));
    assertThat(next()).isEmpty();
    assertThat(traces).isEmptyDirectory();
  }

  @Test
  void fileThatCannotBeSentNow_leavesOthersTheirTurn() throws Exception {
    Path first = write("a" + TIME + "1.jsonl", dead(), HERE.get(0));
    WaitingFile claimed = files.next(() -> null, true);
    files.later(claimed);
    claimed.close();
    write("b" + TIME + "1.jsonl", dead(), HERE.get(0));
    assertThat(next()).startsWith("b-");
    assertThat(next()).isEmpty();
    assertThat(first).exists();
  }

  @Test
  void count_isOfWhatWaits() throws Exception {
    assertThat(WaitingFiles.count(directory.toFile())).isEqualTo(new WaitingFiles.Count(0, 0));
    Path file = write("dead.jsonl", dead(), HERE.get(0));
    write("runs.jsonl");
    assertThat(WaitingFiles.count(directory.toFile()))
        .isEqualTo(new WaitingFiles.Count(1, Files.size(file)));
    assertThat(WaitingFiles.count(directory.resolve("none").toFile()).files()).isZero();
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void pipeInPlaceOfANote_isNotWaitedFor() throws Exception {
    write("a.jsonl");
    Path pipe = traces.resolve("a.jsonl.sent");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    write("b.jsonl", dead(), HERE.get(0));
    assertThat(next()).startsWith("b-");
    assertThat(WaitingFiles.ofThisProcess(traces.resolve("a.jsonl").toFile())).isEmpty();
    assertThat(pipe).exists();
  }

  @Test
  void noteThatCannotBeWritten_leavesNoPartOfIt() throws IOException {
    Path file = write("own" + TIME + "1.jsonl");
    Path inItsWay = Files.createDirectories(traces.resolve(file.getFileName() + ".sent/not-empty"));
    WaitingNote note = new WaitingNote(0, THIS, HERE);
    assertThatThrownBy(() -> note.write(file)).isInstanceOf(IOException.class);
    assertThat(traces.toFile().list())
        .containsExactlyInAnyOrder(
            file.getFileName().toString(), inItsWay.getParent().getFileName().toString());
  }
}
