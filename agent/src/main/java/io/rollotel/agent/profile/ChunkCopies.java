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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies the chunks of Flight Recorder's repository while they grow, each into its own file {@code
 * <name>.<number>.jfr}. Deletes its oldest copies if all of them take too much room. For one thread
 * at a time.
 */
final class ChunkCopies {

  private final Path repository;
  private final Path folder;
  private final String name;
  private final long mostBytes;

  /** By age. */
  private final Deque<ChunkCopy> whole = new ArrayDeque<>();

  private final List<ChunkCopy> growing = new ArrayList<>();

  /** The name of the newest chunk found so far; the names of later chunks sort after it. */
  private String newest;

  private int number;

  /**
   * Copies of a repository's chunks.
   *
   * @param newest the last chunk from before this recording; "" if there was none
   */
  ChunkCopies(Path repository, String newest, Path folder, String name, long mostBytes) {
    this.repository = repository;
    this.newest = newest;
    this.folder = folder;
    this.name = name;
    this.mostBytes = mostBytes;
  }

  /**
   * Copies the new chunks.
   *
   * @throws IOException if there is no room for it
   */
  void copy() throws IOException {
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
    return whole.stream().mapToLong(ChunkCopy::bytes).sum()
        + growing.stream().mapToLong(ChunkCopy::bytes).sum();
  }

  /** The name of a repository's newest chunk; "" if there is none. */
  static String newest(Path repository) throws IOException {
    List<Path> chunks = chunks(repository);
    return chunks.isEmpty() ? "" : chunks.get(chunks.size() - 1).getFileName().toString();
  }

  /** By age. */
  private static List<Path> chunks(Path repository) throws IOException {
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
    for (Path chunk : chunks(repository)) {
      if (chunk.getFileName().toString().compareTo(newest) <= 0) {
        continue;
      }
      ChunkCopy copy = copy(chunk);
      if (copy != null) {
        growing.add(copy);
      }
      newest = chunk.getFileName().toString();
    }
  }

  /** Null if Flight Recorder has deleted it meanwhile. */
  private @Nullable ChunkCopy copy(Path chunk) throws IOException {
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
