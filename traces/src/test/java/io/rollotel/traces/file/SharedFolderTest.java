package io.rollotel.traces.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SharedFolderTest {

  @TempDir Path dir;

  /** A user that this process is not, if it may give files away at all. */
  private static final int SOMEBODY = 4242;

  @ParameterizedTest
  @CsvSource({
    "rw-------, believed",
    "rw-r--r--, believed",
    "rw-rw----, doubted",
    "rw----rw-, doubted",
    "rwxrwxrwx, believed", // as a file system shows all files that has no modes
  })
  void ownFile_isBelievedWhereOthersCannotWriteIt(String mode, String outcome) throws IOException {
    Path file = Files.writeString(dir.resolve("file"), "x");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    assertThat(SharedFolder.doubt(file) == null).isEqualTo(outcome.equals("believed"));
  }

  @Test
  void linkToAnOwnFile_isDoubted() throws IOException {
    Path file = Files.writeString(dir.resolve("file"), "x");
    Path link = Files.createSymbolicLink(dir.resolve("link"), file);
    assertThat(SharedFolder.doubt(link)).isEqualTo("it is not a regular file");
  }

  @Tag("campaign")
  @Test
  void fileOfAnotherUser_isBelievedByRootAlone_whereTheFolderIsThatUsers() throws IOException {
    assumeThat(System.getProperty("user.name")).as("only root gives files away").isEqualTo("root");
    Path file = Files.writeString(dir.resolve("file"), "x");
    Files.setAttribute(file, "unix:uid", SOMEBODY);
    assertThat(SharedFolder.doubt(file)).isEqualTo("it belongs to another user, " + SOMEBODY);
    Files.setAttribute(dir, "unix:uid", SOMEBODY);
    assertThat(SharedFolder.doubt(file)).isNull();
  }

  @ParameterizedTest
  @CsvSource({"rwxr-xr-x, 0, false", "rwxrwxrwx, 0, true", "rwxrwxrwx, 512, false"})
  void folder_isOpenToAllWhereAllMayReplaceFiles(String mode, int sticky, boolean isOpen)
      throws IOException {
    Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString(mode));
    Files.setAttribute(dir, "unix:mode", (int) Files.getAttribute(dir, "unix:mode") | sticky);
    assertThat(SharedFolder.isOpenToAll(dir)).isEqualTo(isOpen);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void appendToALink_touchesNothing(boolean isThere) throws IOException {
    Path others = dir.resolve("others");
    if (isThere) {
      Files.writeString(others, "precious");
    }
    Path link = Files.createSymbolicLink(dir.resolve("link"), others);
    assertThatThrownBy(() -> SharedFolder.append(link.toFile()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("link is a symbolic link, which is not followed");
    assertThat(Files.exists(others)).isEqualTo(isThere);
  }

  @Test
  void replacedLink_leavesWhatItLedTo() throws IOException {
    Path others = Files.writeString(dir.resolve("others"), "precious");
    Files.setPosixFilePermissions(others, PosixFilePermissions.fromString("rw-r--r--"));
    Path link = Files.createSymbolicLink(dir.resolve("link"), others);
    try (OutputStream out = SharedFolder.replace(link)) {
      out.write('x');
    }
    assertThat(others).hasContent("precious");
    assertThat(SharedFolder.isReadByOthers(others)).isTrue();
    assertThat(link).isRegularFile().hasContent("x");
    assertThat(Files.isSymbolicLink(link)).isFalse();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(link)))
        .isEqualTo("rw-------");
    assertThat(SharedFolder.isReadByOthers(link)).isFalse();
  }
}
