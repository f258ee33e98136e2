package io.rollotel.traces.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileRotationTest {

  @ParameterizedTest
  @CsvSource({
    "2026-11-21T17:05:00, 2026-11-21T17-05-00.000",
    "2026-01-02T03:04:05.006007008, 2026-01-02T03-04-05.006",
    "1999-12-31T23:59:59.999999999, 1999-12-31T23-59-59.999",
    "2027-10-10T00:00:10.089, 2027-10-10T00-00-10.089",
  })
  void nameOfAFullFile_hasTheTimeAsOtelcolWritesIt(LocalDateTime now, String text) {
    assertThat(FileRotation.time(now)).isEqualTo(text);
  }

  @Test
  void fileThatAnotherHasJustMovedAway_doesNotEndRotation(@TempDir Path folder) {
    FileRotation rotation =
        new FileRotation(folder.resolve("traces.jsonl").toFile(), false, System::nanoTime);
    rotation.rotate();
    assertThat(rotation.mayTry()).isTrue();
  }

  /** A kill in the middle leaves a part, and the file. */
  @Test
  void partsOfKilledProcesses_goWithTheNextCompression(@TempDir Path folder) throws Exception {
    String of = "traces-2026-11-21T17-05-00.00";
    Path full = Files.writeString(folder.resolve(of + "3.jsonl"), "{}\n");
    Files.writeString(folder.resolve(of + "1.jsonl"), "{}\n");
    for (String part :
        List.of(
            of + "1.jsonl.gz.part",
            of + "2-7.jsonl.gz.part",
            "another-2026-11-21T17-05-00.001.jsonl.gz.part",
            "traces.jsonl.gz.part")) {
      Files.writeString(folder.resolve(part), "part");
    }
    FileRotation.compress(full, null);
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              of + "1.jsonl",
              of + "3.jsonl.gz",
              "another-2026-11-21T17-05-00.001.jsonl.gz.part",
              "traces.jsonl.gz.part");
    }
  }

  /** The collector's writer was closed, which waits for ten seconds, and another one was opened. */
  @Test
  @Timeout(60)
  void compressionUnderWay_isLeftToItsThread(@TempDir Path folder) throws Exception {
    Path slow = folder.resolve("traces-2026-11-21T17-05-00.001.jsonl");
    assumeThat(new ProcessBuilder("mkfifo", slow.toString()).start().waitFor()).isZero();
    Thread compressing = new Thread(() -> FileRotation.compress(slow, null));
    compressing.start();
    try (OutputStream content = Files.newOutputStream(slow)) { // waits until it is being read
      Path next = Files.writeString(folder.resolve("traces-2026-11-21T17-05-00.002.jsonl"), "{}\n");
      FileRotation.compress(next, null);
      assertThat(folder.resolve(next.getFileName() + ".gz")).exists();
      content.write('\n');
    }
    compressing.join();
    assertThat(folder.resolve(slow.getFileName() + ".gz")).exists();
    assertThat(slow).doesNotExist();
  }

  @Test
  void fileThatCannotBeRenamed_isTriedAgainLater(@TempDir Path folder) throws Exception {
    Path file = Files.createFile(folder.resolve("a".repeat(240) + ".jsonl"));
    long[] nanos = {Long.MAX_VALUE - 5};
    FileRotation rotation = new FileRotation(file.toFile(), false, () -> nanos[0]);
    for (int i = 0; i < 3; i++) {
      rotation.rotate(); // its new name is too long
      assertThat(file).exists();
      assertThat(rotation.mayTry()).isFalse();
      nanos[0] += TimeUnit.SECONDS.toNanos(59);
      assertThat(rotation.mayTry()).isFalse();
      nanos[0] += TimeUnit.SECONDS.toNanos(1);
      assertThat(rotation.mayTry()).isTrue();
    }
  }
}
