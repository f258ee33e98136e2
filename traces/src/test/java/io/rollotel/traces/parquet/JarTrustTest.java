package io.rollotel.traces.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JarTrustTest {

  @TempDir Path dir;

  private Path ours;
  private Path jar;

  @BeforeEach
  void plant() throws IOException {
    assumeTrue(dir.getFileSystem().supportedFileAttributeViews().contains("posix"));
    ours = Files.createFile(dir.resolve("ours.jar"));
    jar = Files.createFile(dir.resolve("beside.jar"));
  }

  @Test
  void jarOfOurUser_mayBeRun() throws Exception {
    assertThat(JarTrust.against(jar, ours)).isNull();
  }

  @Test
  void jarThatAnybodyMayWriteTo_mayNotBeRun() throws Exception {
    Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-rw-rw-"));
    assertThat(JarTrust.against(jar, ours)).isEqualTo("anybody may write to it");
  }

  @Test
  void jarOfAnotherUser_mayBeRunWhereTheAgentIsTheirsToo() throws Exception {
    give(jar);
    assertThat(JarTrust.against(jar, ours)).isEqualTo("it belongs to " + Files.getOwner(jar));
    give(ours);
    assertThat(JarTrust.against(jar, ours)).isNull();
  }

  /** To somebody else, which takes root. */
  private static void give(Path file) {
    try {
      Files.setOwner(
          file,
          file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
    } catch (IOException notRoot) {
      assumeTrue(false, notRoot.toString());
    }
  }
}
