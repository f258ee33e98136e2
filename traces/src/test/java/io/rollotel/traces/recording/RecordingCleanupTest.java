package io.rollotel.traces.recording;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordingCleanupTest {

  private @TempDir Path folder;

  private Path file(String name, int bytes, long secondsAgo) throws IOException {
    Path file = Files.write(folder.resolve(name), new byte[bytes]);
    return Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(secondsAgo)));
  }

  @ParameterizedTest
  @CsvSource({
    "never written,            a.rec,     0,    120, false",
    "without its magic,        a.rec,     9000, 120, false",
    "just being made,          a.rec,     0,    2,   true",
    "died while it was put in, a.rec.tmp, 9000, 120, false",
    "being put in,             a.rec.tmp, 9000, 2,   true",
    "swept,                    a.dead,    9000, 120, true",
    "somebody else's,          a.txt,     0,    120, true",
  })
  void file_staysIfItTellsAnything(
      String what, String name, int bytes, long secondsAgo, boolean stays) throws IOException {
    Path file = file(name, bytes, secondsAgo);
    RecordingCleanup.tidy(folder.toFile());
    assertThat(Files.exists(file)).as(what).isEqualTo(stays);
  }

  @Test
  void unreadableFile_staysForTheUserToSee() throws IOException {
    Path file = file("a.rec", 0, 0);
    Files.writeString(file, "garbage".repeat(10));
    file = Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(120)));
    RecordingCleanup.tidy(folder.toFile());
    assertThat(file).exists();
  }

  @Test
  void fileThatIsLocked_stays() throws IOException {
    Path file = file("a.rec", 0, 120);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      assertThat(channel.tryLock()).isNotNull();
      RecordingCleanup.tidy(folder.toFile());
      assertThat(file).exists();
    }
  }

  @Test
  void moreThanThereMayBe_theOldestOfTheDeadGo() throws IOException {
    for (int i = 0; i < RecordingCleanup.MOST_FILES + 5; i++) {
      file(i + ".dead", 1, 1_000_000 - i);
    }
    Path making = file("making.rec", 0, 1);
    RecordingCleanup.tidyIfMany(folder.toFile());
    assertThat(folder.toFile().list()).hasSize(RecordingCleanup.MOST_FILES);
    assertThat(making).exists();
    assertThat(folder.resolve("5.dead")).doesNotExist();
    assertThat(folder.resolve("6.dead")).exists();
  }

  @Test
  void folderThatIsNotThere_isNothing() {
    RecordingCleanup.tidy(folder.resolve("none").toFile());
    RecordingCleanup.tidyIfMany(folder.resolve("none").toFile());
    assertThat(folder).isEmptyDirectory();
  }
}
