package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.traces.otlp.Signal;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunBytesTest {

  private static final long MIB = 1 << 20;

  private @TempDir Path directory;
  private long freeBytes = 1000 * MIB;
  private long nanos;

  @BeforeEach
  void makeFolder() throws IOException {
    Files.createDirectory(directory.resolve("traces"));
  }

  @ParameterizedTest
  @CsvSource({
    "1000, 0", "501, 0", "500, 1", "354, 1", "353, 2", "250, 3", "125, 5", "62, 7", "1, 18",
    "0, 18", "-5, 18",
  })
  void level_risesWheneverWhatIsLeftHasShrunkToTheRootOfAHalf(long left, int halvings) {
    assertThat(RunBytes.halvings(left, 1000)).isEqualTo(halvings);
  }

  @ParameterizedTest
  @CsvSource({
    // given, free, limit, all in MiB
    ", 1000, 500",
    "100, 1000, 100",
    "990, 1000, 937.5", // a sixteenth is left to others
    "100, 0, 100", // a file system that does not tell
    ", 0, 0",
    "0, 1000, 0",
  })
  void limit_isWhatWasGivenOrAPartOfWhatIsFree(Double given, long free, double limit) {
    freeBytes = free * MIB;
    RunBytes run = ofRun(given == null ? null : (long) (given * MIB));
    run.halvings(0);
    assertThat(run.limitBytes()).isEqualTo((long) (limit * MIB));
  }

  /** Amazon EFS tells 2^63 bytes less one MiB; the JDK makes the maximum of anything larger. */
  @ParameterizedTest
  @ValueSource(longs = {8_796_093_022_207L << 20, Long.MAX_VALUE})
  void fileSystemWithoutEnd_isNotUsedUp(long free) throws IOException {
    freeBytes = free;
    for (Long given : new Long[] {null, 100 * MIB}) {
      RunBytes run = ofRun(given);
      for (int i = 0; i < 3; i++) {
        run.take(2 * MIB);
        later();
        write("traces/" + given + "-" + i + ".jsonl", 2);
      }
      assertThat(run.halvings(0)).isZero();
      assertThat(run.limitBytes()).isGreaterThanOrEqualTo(100 * MIB);
      assertThat(run.isSpent()).isFalse();
    }
  }

  @Test
  void filesOfRunsBefore_doNotCount() throws IOException {
    write("traces/traces.jsonl", 90);
    RunBytes run = ofRun(100 * MIB);
    later();
    assertThat(run.halvings(0)).isZero();
    write("traces/vm-1.jsonl", 40);
    write("traces/traces-2026-11-21T17-05-00.000.jsonl.gz", 15);
    later();
    assertThat(run.halvings(0)).isEqualTo(1);
    Files.delete(directory.resolve("traces/vm-1.jsonl"));
    later();
    assertThat(run.halvings(0)).isZero();
  }

  @Test
  void whatWaits_thinsOutMoreButDoesNotEndAll() {
    RunBytes run = ofRun(100 * MIB);
    assertThat(run.halvings(60 * MIB)).isEqualTo(1);
    assertThat(run.halvings(1000 * MIB)).isEqualTo(5);
  }

  @ParameterizedTest
  @CsvSource({
    // given, written, free, halvings, whether spent; 1000 MiB were free at the start
    ",    1,   999, 0, false",
    ",    1,   30,  0, false", // others fill the disk: what the run wrote is next to nothing
    ",    1,   2,   2, false",
    ",    1,   0.5, 18, true",
    ",    400, 600, 3, false",
    ",    400, 5000, 0, false", // others have made room
    "100, 1,   30,  0, false",
    "100, 20,  12,  2, false",
    "100, 20,  1,   18, true",
    ",    1,   0,   0, false", // a file system that does not tell
  })
  void diskThatOthersFillOrFree_countsBesideWhatTheRunHasWritten(
      Long given, long written, double free, int halvings, boolean isSpent) throws IOException {
    RunBytes run = ofRun(given == null ? null : given * MIB);
    write("traces/traces.jsonl", written);
    freeBytes = (long) (free * MIB);
    later();
    int found = run.halvings(0);
    assertThat(found).isBetween(Math.min(halvings, 18), halvings == 18 ? 24 : halvings);
    assertThat(run.isSpent()).isEqualTo(isSpent);
    if (isSpent) {
      assertThatThrownBy(() -> run.take(1))
          .isInstanceOf(RunBytes.SpentException.class)
          .hasMessageContaining("the disk of");
    }
  }

  @Test
  void anotherDriversTerms_areGoneBy() throws IOException {
    RunBytes run = ofRun(100 * MIB);
    write("traces/traces.jsonl", 100);
    later();
    assertThat(run.halvings(0)).isPositive();
    run.follow(new RunBytes.Terms(100 * MIB, 100 * MIB));
    assertThat(run.halvings(0)).isZero();
    run.take(MIB);
  }

  @Test
  void lineThatDoesNotFit_isRefusedUntilThereIsRoom() throws IOException {
    RunBytes run = ofRun(100 * MIB);
    run.take(60 * MIB);
    assertThat(run.isSpent()).isFalse();
    assertThatThrownBy(() -> run.take(40 * MIB))
        .isInstanceOf(RunBytes.SpentException.class)
        .hasMessageContaining("100.0 MiB")
        .hasMessageContaining("ROLL_OTEL_RUN_BYTES");
    assertThat(run.isSpent()).isTrue();
    write("traces/traces.jsonl", 20); // somebody has deleted most of it
    later();
    run.take(40 * MIB);
    assertThat(run.isSpent()).isFalse();
  }

  @Test
  void linesOfAnotherProcess_countWithTheNextLook() throws IOException {
    RunBytes ours = ofRun(100 * MIB);
    RunBytes theirs =
        new RunBytes(
            directory.toFile(), new RunBytes.Terms(0, 100 * MIB), () -> freeBytes, () -> nanos);
    theirs.take(MIB);
    write("traces/traces.jsonl", 99);
    later();
    assertThatThrownBy(() -> ours.take(MIB)).isInstanceOf(RunBytes.SpentException.class);
    assertThatThrownBy(() -> theirs.take(MIB)).isInstanceOf(RunBytes.SpentException.class);
  }

  @Test
  void writer_leavesNoPartOfALineThatDoesNotFit() throws Exception {
    Path file = directory.resolve("traces/traces.jsonl");
    RunBytes run = ofRun(64L << 10);
    byte[] request =
        """
        {"resourceSpans":[{"scopeSpans":[{"spans":[
        {"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"ab"}]}]}]}
        """
            .getBytes(UTF_8);
    long refused = 0;
    try (TracesWriter writer =
        TracesWriter.open(file.toFile(), Signal.TRACES, FileRules.DEFAULT.within(run))) {
      for (int i = 0; i < 2_000; i++) {
        try {
          writer.writeJson(request, 0, request.length);
        } catch (RunBytes.SpentException e) {
          refused++;
        }
      }
    }
    assertThat(refused).isPositive();
    assertThat(Files.size(file)).isLessThanOrEqualTo(64 << 10);
    assertThat(Files.readAllLines(file)).hasSize((int) (2_000 - refused)).doesNotContain("");
  }

  private RunBytes ofRun(Long given) {
    RunBytes.Terms terms = RunBytes.begin(directory.toFile(), given);
    return new RunBytes(directory.toFile(), terms, () -> freeBytes, () -> nanos);
  }

  private void later() {
    nanos += TimeUnit.SECONDS.toNanos(2);
  }

  private void write(String file, long mib) throws IOException {
    try (RandomAccessFile sparse = new RandomAccessFile(directory.resolve(file).toFile(), "rw")) {
      sparse.setLength(mib * MIB);
    }
  }

  @Test
  void whatAnEndpointHasRefused_counts() throws IOException {
    Path refused = Files.createDirectory(directory.resolve("traces/refused"));
    Files.write(refused.resolve("host-1.jsonl"), new byte[1_000]);
    assertThat(RunBytes.sizeBytes(directory.toFile())).isEqualTo(1_000);
  }
}
