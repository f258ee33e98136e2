package io.rollotel.traces.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.otlp.CallJoins;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WaitingFileTest {

  private static final String NAME = "host-1-2026-11-21T17-05-00.000.jsonl";

  private @TempDir Path directory;

  static String line(int span) {
    return "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\""
        + "0".repeat(31)
        + "1\",\"spanId\":\""
        + String.format("%016x", span)
        + "\",\"name\":\"s\"}]}]}]}\n";
  }

  private Path write(boolean isGzip, String... lines) throws IOException {
    byte[] text = String.join("", lines).getBytes(StandardCharsets.UTF_8);
    Path file = directory.resolve(NAME + (isGzip ? ".gz" : ""));
    try (OutputStream plain = Files.newOutputStream(file);
        OutputStream out = isGzip ? new GZIPOutputStream(plain) : plain) {
      out.write(text);
    }
    note(file, 0);
    return file;
  }

  private static void note(Path file, long sentBytes) throws IOException {
    new WaitingNote(sentBytes, ProcessMark.ofThis(), List.of("http://a/v1/traces")).write(file);
  }

  private static List<Integer> takeAll(WaitingFile file) throws IOException {
    List<Integer> taken = new ArrayList<>();
    for (byte[] request = file.next(); request != null; request = file.next()) {
      taken.add(spanOf(request));
      file.taken();
    }
    return taken;
  }

  /** Its last byte, which tells it here. */
  private static int spanOf(byte[] request) {
    String text = new String(request, StandardCharsets.ISO_8859_1);
    int name = text.lastIndexOf("s");
    return request[name - 3];
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void lines_comeInOrderAndTheFileGoesWithTheLast(boolean isGzip) throws IOException {
    Path file = write(isGzip, line(1), line(2), line(3));
    WaitingFile waiting = WaitingFile.claim(file);
    assertThat(waiting).isNotNull();
    assertThat(takeAll(waiting)).containsExactly(1, 2, 3);
    assertThat(waiting.sentSpans()).isEqualTo(3);
    waiting.remove();
    assertThat(directory).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void processThatDiesOnTheWay_leavesTheRestToTheNext(boolean isGzip) throws IOException {
    Path file = write(isGzip, line(1), line(2), line(3));
    try (WaitingFile first = WaitingFile.claim(file)) {
      first.next();
      first.taken();
      first.next(); // and is not told whether that was taken
    }
    WaitingFile second = WaitingFile.claim(file);
    assertThat(takeAll(second)).containsExactly(2, 3);
    second.remove();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void requestThatWasNotTaken_isGivenAgain() throws IOException {
    try (WaitingFile waiting = WaitingFile.claim(write(false, line(1), line(2)))) {
      assertThat(spanOf(waiting.next())).isEqualTo(1);
      waiting.again();
      assertThat(spanOf(waiting.next())).isEqualTo(1);
      waiting.taken();
      assertThat(spanOf(waiting.next())).isEqualTo(2);
      waiting.again();
      assertThat(takeAll(waiting)).containsExactly(2);
    }
  }

  /**
   * After a loss of power, zeros may stand in a file: Jackson guesses UTF-16 or UTF-32 from them.
   */
  @ParameterizedTest
  @MethodSource
  void lineOfNoKnownEncoding_isKeptAndTheOthersAreGiven(String zeros, boolean isInstead)
      throws IOException {
    StringBuilder bad = new StringBuilder(line(3));
    for (int i = 0; i < zeros.length(); i++) {
      if (zeros.charAt(i) == '0') {
        bad.replace(i, isInstead ? i + 1 : i, "\0");
      }
    }
    Path file = write(false, line(1), bad.toString(), line(2));
    WaitingFile waiting = WaitingFile.claim(file);
    assertThat(takeAll(waiting)).containsExactly(1, 2);
    waiting.remove();
    assertThat(directory.resolve("refused").resolve(NAME)).hasContent(bad.toString());
  }

  /** Each choice of the first four bytes. */
  static Stream<Arguments> lineOfNoKnownEncoding_isKeptAndTheOthersAreGiven() {
    return IntStream.range(0, 15)
        .mapToObj(choice -> Integer.toBinaryString(16 + choice).substring(1))
        .flatMap(zeros -> Stream.of(Arguments.of(zeros, false), Arguments.of(zeros, true)));
  }

  @Test
  void refusedLinesOfACompressedFile_areKept() throws IOException {
    String[] lines = {"no request\n", line(1), "x".repeat(100_000) + "\n", line(2), "the last"};
    WaitingFile waiting = WaitingFile.claim(write(true, lines));
    assertThat(takeAll(waiting)).containsExactly(1, 2);
    waiting.remove();
    assertThat(directory.resolve("refused").resolve(NAME))
        .hasContent(lines[0] + lines[2] + lines[4] + "\n");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void linesThatNobodyTakes_areKeptWhereReadersFindThemAndNeverGivenAgain(boolean isGzip)
      throws IOException {
    String torn = line(4).substring(0, 40);
    Path file = write(isGzip, line(1), "no request\n", line(2), "\n", line(3), torn);
    WaitingFile waiting = WaitingFile.claim(file);
    assertThat(spanOf(waiting.next())).isEqualTo(1);
    waiting.taken();
    assertThat(spanOf(waiting.next())).isEqualTo(2);
    waiting.refuse();
    assertThat(takeAll(waiting)).containsExactly(3);
    waiting.remove();
    assertThat(directory.resolve("refused").resolve(NAME))
        .hasContent("no request\n" + line(2) + "\n" + torn + "\n");
    assertThat(file).doesNotExist();
    RequestReader reader = new RequestReader(CallJoins.NONE, unreadable -> {});
    assertThat(reader.read(directory, (signal, request, spans) -> {}).spans()).isOne();
  }

  @Test
  void fileThatIsClaimed_isNotClaimedAgain() throws IOException {
    Path file = write(false, line(1));
    try (WaitingFile first = WaitingFile.claim(file)) {
      assertThat(WaitingFile.claim(file)).isNull();
      assertThat(first.next()).isNotNull();
    }
    try (WaitingFile second = WaitingFile.claim(file)) {
      assertThat(second).isNotNull();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 7, 1_000_000})
  void noteThatCannotBeOfThisFile_isNotBelieved(long noted) throws IOException {
    Path file = write(false, line(1), line(2));
    note(file, noted);
    try (WaitingFile waiting = WaitingFile.claim(file)) {
      assertThat(takeAll(waiting)).containsExactly(1, 2);
    }
  }

  @Test
  void noteThatCannotBeWritten_doesNotKeepTheRestFromBeingSent() throws IOException {
    Path file = write(false, line(1), line(2));
    try (WaitingFile waiting = WaitingFile.claim(file)) {
      Files.delete(WaitingNote.of(file));
      Files.createDirectory(WaitingNote.of(file));
      assertThat(takeAll(waiting)).containsExactly(1, 2);
    }
  }

  @Test
  void fileWithoutANote_doesNotWait() throws IOException {
    Path file = write(false, line(1));
    Files.delete(WaitingNote.of(file));
    assertThat(WaitingFile.claim(file)).isNull();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void linesInDoubt_areGivenOnceMoreAfterTheOthersAndAfterAKill(boolean isGzip) throws IOException {
    Path file = write(isGzip, line(1), line(2), line(3), line(4));
    try (WaitingFile waiting = WaitingFile.claim(file)) {
      assertThat(spanOf(waiting.next())).isEqualTo(1);
      waiting.taken();
      assertThat(spanOf(waiting.next())).isEqualTo(2);
      waiting.doubt();
      assertThat(spanOf(waiting.next())).isEqualTo(3);
      waiting.taken();
    }
    WaitingFile second = WaitingFile.claim(file);
    assertThat(spanOf(second.next())).as("not lost by a kill").isEqualTo(2);
    second.doubt();
    assertThat(spanOf(second.next())).isEqualTo(3);
    second.taken();
    assertThat(spanOf(second.next())).isEqualTo(4);
    assertThat(second.isGivenOnceMore()).isFalse();
    second.taken();
    assertThat(spanOf(second.next())).isEqualTo(2);
    assertThat(second.isGivenOnceMore()).isTrue();
    second.again();
    assertThat(spanOf(second.next())).isEqualTo(2);
    second.taken();
    assertThat(second.next()).isNull();
    second.remove();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void lineInDoubt_waitsForSoManyOthersAtMost() throws IOException {
    String[] lines = new String[3 * WaitingFile.MOST_AHEAD];
    for (int i = 0; i < lines.length; i++) {
      lines[i] = line(i + 1);
    }
    try (WaitingFile waiting = WaitingFile.claim(write(false, lines))) {
      waiting.next();
      waiting.doubt();
      List<Integer> given = new ArrayList<>();
      do {
        given.add(spanOf(waiting.next()));
        waiting.taken();
      } while (given.get(given.size() - 1) != 1);
      assertThat(given).hasSize(WaitingFile.MOST_AHEAD);
      assertThat(takeAll(waiting)).hasSize(lines.length - given.size()).doesNotContain(1);
    }
  }

  @Test
  void severalInARow_areTakenBackAndGivenAsIfForTheFirstTime() throws IOException {
    try (WaitingFile waiting = WaitingFile.claim(write(false, line(1), line(2), line(3)))) {
      waiting.next();
      waiting.taken();
      waiting.next();
      waiting.doubt();
      waiting.next();
      waiting.doubt();
      waiting.goBack(2);
      assertThat(waiting.isGivenOnceMore()).isFalse();
      assertThat(takeAll(waiting)).containsExactly(2, 3);
    }
  }

  @Test
  void tornLineInWhatWasRefused_costsNoOther() throws IOException {
    Path file = write(false, line(1), line(2));
    Path kept = Files.createDirectory(directory.resolve("refused")).resolve(NAME);
    Files.writeString(kept, line(9) + line(8).substring(0, 30));
    try (WaitingFile waiting = WaitingFile.claim(file)) {
      byte[] request = waiting.next();
      waiting.refuse(request);
      waiting.taken(0);
      waiting.next();
      waiting.refuse();
    }
    assertThat(kept)
        .content()
        .startsWith(line(9) + line(8).substring(0, 30) + "\n{")
        .endsWith("\n" + line(2));
    RequestReader reader = new RequestReader(CallJoins.NONE, unreadable -> {});
    assertThat(reader.read(directory.resolve("refused"), (signal, request, spans) -> {}).spans())
        .isEqualTo(3);
  }
}
