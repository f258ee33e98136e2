package io.rollotel.traces.partition;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Files of blocks, one for each partition. A file is open only while a block is written: there may
 * be more of them than a process may have open. For any thread.
 */
final class PartitionFiles {

  /** A block, and its position in its file. */
  record Place(long at, BlockHeader header) {}

  private final Path[] paths;
  private final Object[] monitors;

  /** The valid length of each. */
  private final AtomicLongArray lengths;

  PartitionFiles(List<Path> paths, long[] validLengths) {
    this.paths = paths.toArray(Path[]::new);
    this.lengths = new AtomicLongArray(validLengths);
    this.monitors = new Object[this.paths.length];
    for (int i = 0; i < monitors.length; i++) {
      monitors[i] = new Object();
    }
  }

  static List<Path> names(Path dir, String prefix, int count) {
    List<Path> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add(dir.resolve(String.format(Locale.ROOT, "%s%04d", prefix, i)));
    }
    return names;
  }

  /**
   * Truncates data written after the last manifest.
   *
   * @throws DamagedException if the file is shorter than its valid length
   */
  void cut() throws IOException {
    for (int i = 0; i < paths.length; i++) {
      long valid = lengths.get(i);
      long there = paths[i].toFile().length();
      if (there < valid) {
        throw new DamagedException();
      }
      if (valid == 0) {
        Files.deleteIfExists(paths[i]);
      } else if (there > valid) {
        try (FileChannel channel = FileChannel.open(paths[i], StandardOpenOption.WRITE)) {
          channel.truncate(valid);
        }
      }
    }
  }

  void append(int file, Bytes block) throws IOException {
    synchronized (monitors[file]) {
      write(paths[file], lengths.get(file), block);
      lengths.addAndGet(file, block.length());
    }
  }

  long[] lengths() {
    long[] all = new long[lengths.length()];
    for (int i = 0; i < all.length; i++) {
      all[i] = lengths.get(i);
    }
    return all;
  }

  long length() {
    long sum = 0;
    for (int i = 0; i < lengths.length(); i++) {
      sum += lengths.get(i);
    }
    return sum;
  }

  boolean isEmpty(int file) {
    return lengths.get(file) == 0;
  }

  FileChannel open(int file) throws IOException {
    return FileChannel.open(paths[file], StandardOpenOption.READ);
  }

  /** The blocks of a file, in their order. */
  List<Place> places(int file, FileChannel channel) throws IOException {
    List<Place> places = new ArrayList<>();
    long end = lengths.get(file);
    ByteBuffer header = ByteBuffer.allocate(BlockHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (long at = 0; at < end; ) {
      header.clear();
      read(channel, at, header);
      Place place = new Place(at, BlockHeader.read(header.flip()));
      places.add(place);
      at += place.header.blockLength();
    }
    return places;
  }

  /**
   * Fills the buffer.
   *
   * @throws DamagedException if the file ends before that
   */
  static void read(FileChannel channel, long at, ByteBuffer into) throws IOException {
    long from = at;
    while (into.hasRemaining()) {
      int count = channel.read(into, from);
      if (count < 0) {
        throw new DamagedException();
      }
      from += count;
    }
  }

  static void write(Path file, long at, Bytes bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes.array(), 0, bytes.length());
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      long from = at;
      while (buffer.hasRemaining()) {
        from += channel.write(buffer, from);
      }
    }
  }
}
