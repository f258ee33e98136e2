package io.rollotel.agent.profile;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Copies the chunks of Flight Recorder's repository while they grow, each into its own file {@code
 * <name>.<number>.jfr}. Deletes its oldest copies if all of them take too much room. For one thread
 * at a time.
 */
final class ChunkCopies {

  /** Each chunk begins with the metadata of all events, so many short ones would only hold that. */
  private static final long LEAST_CHUNK_BYTES = 512 << 10;

  private final Path folder;
  private final String name;
  private final long mostBytes;

  /** By age. */
  private final Deque<ChunkCopy> whole = new ArrayDeque<>();

  private final List<ChunkCopy> growing = new ArrayList<>();

  /**
   * Directories that Flight Recorder has written to: a command may name another one at any time.
   */
  private final Set<Path> repositories = new LinkedHashSet<>();

  /**
   * The chunks found so far. Their names do not tell which are new: they are local times, and the
   * time of day may go back.
   */
  private Set<Path> known;

  private int number;

  /**
   * Copies of the chunks of a recording.
   *
   * @param earlier the chunks from before this recording
   */
  ChunkCopies(List<Path> earlier, Path folder, String name, long mostBytes) {
    this.known = Set.copyOf(earlier);
    this.folder = folder;
    this.name = name;
    this.mostBytes = mostBytes;
  }

  /**
   * Copies the new chunks.
   *
   * @param repository where Flight Recorder writes now
   * @throws IOException if there is no room for it
   */
  void copy(Path repository) throws IOException {
    repositories.add(repository);
    findNew();
    // An open chunk can be read to its end even after Flight Recorder has deleted it.
    for (ChunkCopy copy : growing) {
      copy.copy();
      if (copy.isWhole()) {
        copy.close();
        whole.add(copy);
      }
    }
    growing.removeIf(ChunkCopy::isWhole);
    while (bytes() > mostBytes && !whole.isEmpty()) {
      Files.deleteIfExists(whole.remove().file());
    }
  }

  private long bytes() {
    return whole.stream().mapToLong(ChunkCopy::bytes).sum() + growingBytes();
  }

  private long growingBytes() {
    return growing.stream().mapToLong(ChunkCopy::bytes).sum();
  }

  /**
   * Whether the copies stay within their room only if another chunk begins: those of whole chunks
   * alone can be deleted.
   */
  boolean needNewChunk() {
    return growingBytes() > Math.max(LEAST_CHUNK_BYTES, mostBytes / 2);
  }

  /** The chunks in a repository, by name. */
  static List<Path> chunks(Path repository) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> chunks = Files.newDirectoryStream(repository, "*.jfr")) {
      chunks.forEach(found::add);
    } catch (NoSuchFileException | NotDirectoryException deletedAtExit) {
      return List.of();
    }
    found.sort(null);
    return found;
  }

  private void findNew() throws IOException {
    Set<Path> present = new HashSet<>();
    for (Path repository : repositories) {
      for (Path chunk : chunks(repository)) {
        present.add(chunk);
        ChunkCopy copy = known.contains(chunk) ? null : begin(chunk);
        if (copy != null) {
          growing.add(copy);
        }
      }
    }
    known = present;
  }

  /** Null if Flight Recorder has deleted it meanwhile. */
  private @Nullable ChunkCopy begin(Path chunk) throws IOException {
    Files.createDirectories(folder);
    while (true) {
      Path file = folder.resolve(name + "." + ++number + ".jfr");
      try {
        return ChunkCopy.open(chunk, file);
      } catch (FileAlreadyExistsException ofAnEarlierProcess) {
        // The next number.
      } catch (NoSuchFileException gone) {
        return null;
      }
    }
  }

  void close() {
    growing.forEach(ChunkCopy::close);
    growing.clear();
  }
}
