package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CleanTest {

  private @TempDir Path directory;

  private Path write(String name, String run, int minutesAgo) throws IOException {
    Path file = Files.createDirectories(directory.resolve("traces")).resolve(name);
    Files.writeString(
        file,
        "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"roll.run_id\",\"value\":"
            + "{\"stringValue\":\""
            + run
            + "\"}}]}}]}\n");
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60L * minutesAgo)));
    return file;
  }

  @Test
  void oldestRun_isNamedAndThenRemoved() throws IOException {
    Path old = write("a.jsonl", "one", 20);
    Path young = write("b.jsonl", "two", 10);
    String dir = directory.toString();
    CommandRun dry = CommandRun.of("clean", dir, "--keep-runs=1", "--dry-run");
    assertThat(dry.code()).isZero();
    assertThat(dry.out().lines())
        .containsExactly(old.toRealPath().toString(), "would remove 1 run (one): 1 file, 102 B");
    assertThat(old).exists();
    CommandRun run = CommandRun.of("clean", dir, "--keep-runs=1");
    assertThat(run).isEqualTo(new CommandRun(0, "removed 1 run (one): 1 file, 102 B\n", ""));
    assertThat(old).doesNotExist();
    assertThat(young).exists();
    assertThat(CommandRun.of("clean", dir, "--keep-bytes=64k").out())
        .isEqualTo("nothing to remove in " + dir + "\n");
  }

  @Test
  void folderThatMayNotBeWritten_isTheReasonForWhatStays() throws IOException {
    Path old = write("a.jsonl", "one", 20);
    write("b.jsonl", "two", 10);
    Path folder = old.getParent();
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-xr-xr-x"));
    try {
      assumeFalse(Files.isWritable(folder), "root writes everywhere");
      assertThat(CommandRun.of("clean", directory.toString(), "--keep-runs=1"))
          .isEqualTo(
              new CommandRun(
                  1,
                  "removed nothing from " + directory + "\n",
                  old.toRealPath() + " cannot be removed: no permission for its directory\n"));
    } finally {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    }
  }

  @Test
  void runsInOneFile_areSaidToStayTogether() throws IOException {
    Path both = write("a.jsonl", "one", 20);
    FileTime written = Files.getLastModifiedTime(both);
    Files.writeString(both, Files.readString(both) + Files.readString(write("b.jsonl", "two", 10)));
    Files.setLastModifiedTime(both, written);
    assertThat(CommandRun.of("clean", directory.toString(), "--keep-runs=1").out().lines())
        .containsExactly(
            "nothing to remove in " + directory,
            "2 runs share files, and are kept or removed together: one, two");
    assertThat(CommandRun.of("clean", directory.toString(), "--keep-runs=2").out())
        .isEqualTo("nothing to remove in " + directory + "\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        " | Give --keep-runs=N, ",
        "--keep-runs=0 | --keep-runs=0 is not understood; it takes a whole number from 1",
        "--keep-bytes=lots | --keep-bytes=lots is not understood; it takes 0 for any size, or a",
        "--keep-bytes=0 | Give --keep-runs=N, ",
      })
  void wrongUsage_saysWhatToWrite(String option, String said) {
    CommandRun run =
        option == null
            ? CommandRun.of("clean", directory.toString())
            : CommandRun.of("clean", directory.toString(), option);
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).startsWith(said);
  }

  @Test
  void directoryThatIsNotThere_isSaid() {
    CommandRun run = CommandRun.of("clean", directory.resolve("none").toString(), "--keep-runs=1");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).startsWith("There is no ");
  }
}
