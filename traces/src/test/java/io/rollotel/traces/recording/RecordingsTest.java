package io.rollotel.traces.recording;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rollotel.traces.kit.PlantedRecording;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are not as a process writes them. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecordingsTest {

  private @TempDir Path dir;

  @BeforeEach
  void plant() throws IOException {
    PlantedRecording.write(dir, "worker.step", 7);
  }

  private Path file(String name) {
    return dir.resolve(Recordings.FOLDER).resolve(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mkfifo a.rec", "mkdir a.rec", "ln -s /dev/zero a.rec"})
  void whatIsNoPlainFile_isUnreadableAndHindersNothing(String made) throws Exception {
    Path folder = dir.resolve(Recordings.FOLDER);
    Process process =
        new ProcessBuilder("/bin/sh", "-c", made + " && touch -h -d '1 hour ago' a.rec")
            .directory(folder.toFile())
            .inheritIO()
            .start();
    assertThat(process.waitFor()).isZero();
    Recordings read = Recordings.read(dir);
    assertThat(read.all()).hasSize(1);
    assertThat(read.unreadable())
        .singleElement()
        .satisfies(line -> assertThat(line.reason()).isEqualTo("not a regular file"));
    RecordingCleanup.tidy(folder.toFile());
    assertThat(folder.toFile().list()).contains("a.rec");
  }

  /** A sparse file: its holes take no room on the disk. */
  @Test
  void fileThatIsLongerThanItsHeaderSays_takesNoMemoryForTheRest() throws IOException {
    Recordings.read(dir); // loads classes
    try (RandomAccessFile sparse = new RandomAccessFile(file("worker-1.rec").toFile(), "rw")) {
      sparse.setLength(3L << 30);
    }
    ThreadMXBean memory = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = memory.getCurrentThreadAllocatedBytes();
    Recordings read = Recordings.read(dir);
    assertThat(memory.getCurrentThreadAllocatedBytes() - before).isLessThan(4 << 20);
    assertThat(read.unreadable()).isEmpty();
    assertThat(read.all())
        .singleElement()
        .satisfies(
            one -> assertThat(one.open()).extracting(OpenSpan::name).contains("worker.step"));
  }

  @ParameterizedTest
  @CsvSource({
    "33554432, 0",
    "16777216, 1",
    "4194304, 16777216",
    "1073741824, 1073741824",
    "-1, 1",
    "3, 1",
  })
  void headerThatMakesNoSense_isSaid(long openSlots, long ringSlots) throws IOException {
    try (RandomAccessFile changed = new RandomAccessFile(file("worker-1.rec").toFile(), "rw")) {
      changed.seek(RecordingLayout.OPEN_SLOTS_AT);
      changed.writeLong(Long.reverseBytes(openSlots));
      changed.writeLong(Long.reverseBytes(ringSlots));
    }
    Recordings read = Recordings.read(dir);
    assertThat(read.all()).isEmpty();
    assertThat(read.unreadable())
        .singleElement()
        .satisfies(line -> assertThat(line.reason()).isEqualTo("a header that makes no sense"));
  }

  /** As a file system of another host may fail. */
  @Test
  void folderThatCannotBeListedToItsEnd_isReadSoFar() {
    IOException failure = new FileSystemException("open", null, "Input/output error");
    Iterator<Path> failing =
        new Iterator<>() {
          private int count;

          @Override
          public boolean hasNext() {
            if (count == 1) {
              throw new DirectoryIteratorException(failure);
            }
            return true;
          }

          @Override
          public Path next() {
            count++;
            return file("worker-1.rec");
          }
        };
    Recordings read = new Recordings();
    read.add(dir.resolve(Recordings.FOLDER), () -> failing);
    assertThat(read.all()).hasSize(1);
    assertThat(read.unreadable())
        .singleElement()
        .satisfies(line -> assertThat(line.reason()).contains("Input/output error"));
  }

  @Test
  void folderThatCannotBeListed_isUnreadableAndOneThatIsNotThereIsNot() throws IOException {
    assertThat(Recordings.read(dir.resolve("none")).unreadable()).isEmpty();
    Path loop = Files.createDirectory(dir.resolve("loop")).resolve(Recordings.FOLDER);
    Files.createSymbolicLink(loop, loop);
    assertThat(Recordings.read(loop.getParent()).unreadable())
        .singleElement()
        .satisfies(line -> assertThat(line.file()).isEqualTo(loop));
  }
}
