package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The note beside an own file, {@code .sent}: only a file with a note waits for an endpoint. It
 * contains the number of sent bytes, the writer, and the endpoints that the file waits for.
 *
 * @param endpoints without users and passwords
 */
record WaitingNote(long sentBytes, ProcessMark writer, List<String> endpoints) {

  /** How its name ends. */
  static final String ENDING = ".sent";

  private static final int MOST_BYTES = 64 << 10;

  static Path of(Path file) {
    return file.resolveSibling(file.getFileName() + ENDING);
  }

  /**
   * Null if there is no note, or another program wrote it. Not for a note that this process holds:
   * {@link WaitingHold#note} checks that.
   */
  static @Nullable WaitingNote read(Path file) {
    Path note = of(file);
    if (!Files.isRegularFile(note, LinkOption.NOFOLLOW_LINKS)) {
      return null; // opening a pipe would wait for somebody who writes to it
    }
    try (FileChannel channel =
        FileChannel.open(note, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      return read(channel);
    } catch (IOException | RuntimeException none) {
      return null;
    }
  }

  static @Nullable WaitingNote read(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(channel.size(), MOST_BYTES));
    while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) > 0) {
      // until it is complete, or was cut off
    }
    bytes.flip();
    if (bytes.remaining() < Long.BYTES) {
      return null;
    }
    long sentBytes = bytes.getLong();
    String[] lines = UTF_8.decode(bytes).toString().split("\n", -1);
    ProcessMark writer = ProcessMark.read(lines[0]);
    return writer == null || lines.length < 3 // the last one is ended
        ? null
        : new WaitingNote(sentBytes, writer, List.of(lines[1].split(" ")));
  }

  boolean isFor(Collection<String> others) {
    return !Collections.disjoint(endpoints, others);
  }

  ByteBuffer bytes() {
    byte[] text = (writer + "\n" + String.join(" ", endpoints) + "\n").getBytes(UTF_8);
    return ByteBuffer.allocate(Long.BYTES + text.length).putLong(sentBytes).put(text).flip();
  }

  /**
   * Creates the note beside a file that is about to be created. At any moment it is complete or
   * missing.
   */
  void write(Path file) throws IOException {
    Path note = of(file);
    Path part = note.resolveSibling(note.getFileName() + "." + ProcessHandle.current().pid());
    try {
      try (FileChannel channel =
          FileChannel.open(
              part,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE,
              LinkOption.NOFOLLOW_LINKS)) {
        channel.write(bytes(), 0);
      }
      Files.move(part, note, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      part.toFile().delete(); // each attempt has another name
      throw e;
    }
  }

  /** Eight bytes in one write, so that after a kill it is the old number or the new one. */
  static void setSentBytes(Path file, long bytes) throws IOException {
    try (FileChannel note =
        FileChannel.open(of(file), StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      note.write(ByteBuffer.allocate(Long.BYTES).putLong(0, bytes), 0);
    }
  }
}
