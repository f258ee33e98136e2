package io.rollotel.agent.profile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The copy of one chunk of a recording. Flight Recorder appends to a chunk each second, and then
 * writes into its header how far it can be read. The copy is written in the same order: it can be
 * read at any time.
 */
final class ChunkCopy {

  private static final int HEADER_BYTES = 68;

  private static final int SIZE_AT = 8;
  private static final int STATE_AT = 64;

  private static final byte WHOLE = 0;
  private static final byte BEING_WRITTEN = (byte) 0xff;

  private static final int BUFFER_BYTES = 64 << 10;

  private final FileChannel from;
  private final FileChannel to;
  private final Path file;
  private long copied = HEADER_BYTES;
  private boolean isWhole;

  private ChunkCopy(FileChannel from, FileChannel to, Path file) {
    this.from = from;
    this.to = to;
    this.file = file;
  }

  /**
   * Begins a copy.
   *
   * @throws java.nio.file.NoSuchFileException if there is no such chunk
   * @throws java.nio.file.FileAlreadyExistsException if there is a file already
   */
  static ChunkCopy open(Path chunk, Path file) throws IOException {
    FileChannel from = FileChannel.open(chunk, StandardOpenOption.READ);
    try {
      FileChannel to =
          FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
      return new ChunkCopy(from, to, file);
    } catch (IOException e) {
      from.close();
      throw e;
    }
  }

  /** Copies the appended data. */
  void copy() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    if (!read(header, 0) || header.get(STATE_AT) == BEING_WRITTEN) {
      return;
    }
    long size = header.getLong(SIZE_AT);
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    while (copied < size) {
      buffer.clear().limit((int) Math.min(BUFFER_BYTES, size - copied));
      if (!read(buffer, copied)) {
        return;
      }
      buffer.flip();
      copied += write(buffer, copied);
    }
    isWhole = header.get(STATE_AT) == WHOLE && size > HEADER_BYTES;
    // Marks the copy as complete; newer JDKs wait for the end of an incomplete chunk.
    header.put(STATE_AT, WHOLE).flip();
    write(header, 0);
  }

  private boolean read(ByteBuffer into, long at) throws IOException {
    int start = into.position();
    while (into.hasRemaining()) {
      if (from.read(into, at + into.position() - start) < 0) {
        return false;
      }
    }
    return true;
  }

  private int write(ByteBuffer bytes, long at) throws IOException {
    int written = 0;
    while (bytes.hasRemaining()) {
      written += to.write(bytes, at + written);
    }
    return written;
  }

  /** Whether Flight Recorder has ended the chunk, and all of it is copied. */
  boolean isWhole() {
    return isWhole;
  }

  long bytes() {
    return copied;
  }

  Path file() {
    return file;
  }

  void close() {
    try (from;
        to) {
      // Both, whatever fails.
    } catch (IOException e) {
      // The written part is valid.
    }
  }
}
