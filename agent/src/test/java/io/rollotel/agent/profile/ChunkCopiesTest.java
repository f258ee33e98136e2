package io.rollotel.agent.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which chunks are copied, whatever they are called and wherever they are. */
class ChunkCopiesTest {

  private static final int HEADER_BYTES = 68;
  private static final byte WHOLE = 0;
  private static final byte GROWING = 1;

  private @TempDir Path directory;

  private ChunkCopies copies(long mostBytes, Path... earlier) {
    return new ChunkCopies(List.of(earlier), directory.resolve("profiles"), "app", mostBytes);
  }

  private Path chunk(String name, int bytes, byte state) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.write(
        file, ByteBuffer.allocate(bytes).putLong(8, bytes).put(HEADER_BYTES - 4, state).array());
    return file;
  }

  private List<String> copied() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("profiles"))) {
      return files.map(file -> file.getFileName() + " " + file.toFile().length()).sorted().toList();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "2026_10_25_02_59_58, 2026_10_25_02_59_59", // as usual
    "2026_10_25_02_59_58, 2026_10_25_02_00_01", // the end of summer time
    "2026_10_25_02_59_58, 2026_10_24_17_59_59", // the program has chosen another time zone
    "2026_10_25_02_59_58, 2026_10_25_02_59_58_01"
  })
  void laterChunk_isCopiedWhateverItsName(String first, String later) throws Exception {
    ChunkCopies copies = copies(1 << 20);
    chunk("repository/" + first + ".jfr", 100, WHOLE);
    copies.copy(directory.resolve("repository"));
    chunk("repository/" + later + ".jfr", 200, WHOLE);
    copies.copy(directory.resolve("repository"));
    copies.copy(directory.resolve("repository"));

    assertThat(copied()).containsExactly("app.1.jfr 100", "app.2.jfr 200");
  }

  @Test
  void chunkFromBefore_isNotCopied() throws Exception {
    Path earlier = chunk("repository/2026_10_25_02_59_58.jfr", 100, GROWING);
    ChunkCopies copies = copies(1 << 20, earlier);
    chunk("repository/2026_10_25_02_59_59.jfr", 200, WHOLE);
    copies.copy(directory.resolve("repository"));
    copies.copy(directory.resolve("repository"));

    assertThat(copied()).containsExactly("app.1.jfr 200");
  }

  @Test
  void repositoryMoves_theRestOfTheOldOneAndTheNewOneAreCopied() throws Exception {
    ChunkCopies copies = copies(1 << 20);
    chunk("old/2026_10_25_02_59_58.jfr", 100, GROWING);
    copies.copy(directory.resolve("old"));
    chunk("old/2026_10_25_02_59_58.jfr", 150, WHOLE);
    chunk("old/2026_10_25_02_59_59.jfr", 200, WHOLE);
    chunk("new/2026_10_25_02_59_59.jfr", 300, GROWING);
    copies.copy(directory.resolve("new"));
    copies.copy(directory.resolve("gone"));

    assertThat(copied()).containsExactly("app.1.jfr 150", "app.2.jfr 200", "app.3.jfr 300");
  }

  @Test
  void copiesHaveTooLittleRoom_theOldestIsDeletedAndALargeChunkHasToEnd() throws Exception {
    ChunkCopies copies = copies(4 << 20);
    chunk("repository/1.jfr", 3 << 20, GROWING);
    copies.copy(directory.resolve("repository"));
    assertThat(copies.needNewChunk()).isTrue();
    chunk("repository/1.jfr", 3 << 20, WHOLE);
    chunk("repository/2.jfr", 2 << 20, GROWING);
    copies.copy(directory.resolve("repository"));

    assertThat(copies.needNewChunk()).isFalse();
    assertThat(copied()).containsExactly("app.2.jfr " + (2 << 20));
  }

  @ParameterizedTest
  @CsvSource({"2, 16", "640, 20", "2048, 64", "32768, 1024", "4000000, 1024"})
  void roomThatMustBeLeft_isAPartOfTheDisk(long diskMebibytes, long leastMebibytes) {
    assertThat(RepositoryRoom.leastFree(diskMebibytes << 20)).isEqualTo(leastMebibytes << 20);
  }
}
