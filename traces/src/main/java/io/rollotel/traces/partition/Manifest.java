package io.rollotel.traces.partition;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The valid contents of the cache at one moment. */
final class Manifest {

  /** Must be increased whenever the meaning of anything in the cache changes. */
  private static final int VERSION = 2;

  private static final int MAGIC = 0x524f544d;
  static final String NAME = "manifest";

  final int partitions;

  /** The valid length of each partition's file, and last that of the joins' file. */
  long[] lengths;

  /** By partition; null if they must be created. */
  long @Nullable [] movedLengths;

  long resourcesLength;
  int nextSource;

  /** Spans of files that are gone, in blocks that are still there. */
  long deadSpans;

  final List<Source> sources = new ArrayList<>();

  Manifest(int partitions) {
    this.partitions = partitions;
    this.lengths = new long[partitions + 1];
  }

  /** The number of spans of the files that are still there. */
  long spans() {
    return sources.stream().mapToLong(Source::spans).sum();
  }

  static boolean isIn(Path dir) {
    return Files.exists(dir.resolve(NAME));
  }

  /** Whether it begins like a manifest of any version, even if damaged. */
  static boolean isOne(Path dir) throws IOException {
    try (DataInputStream in = new DataInputStream(Files.newInputStream(dir.resolve(NAME)))) {
      return in.readInt() == MAGIC;
    } catch (EOFException empty) {
      return true; // the disk was full
    }
  }

  /** Null if there is no usable one: another version, or damaged. */
  static @Nullable Manifest read(Path dir) throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(dir.resolve(NAME));
    } catch (NoSuchFileException none) {
      return null;
    }
    int length = bytes.length - Integer.BYTES;
    if (length < 0
        || BlockHeader.sum(bytes, 0, length) != ByteBuffer.wrap(bytes, length, 4).getInt()) {
      return null;
    }
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, 0, length))) {
      return read(in);
    } catch (IOException | RuntimeException ofAnotherVersion) {
      return null;
    }
  }

  private static @Nullable Manifest read(DataInputStream in) throws IOException {
    if (in.readInt() != MAGIC || in.readInt() != VERSION || !in.readUTF().equals(facts())) {
      return null;
    }
    Manifest manifest = new Manifest(in.readInt());
    lengths(in, manifest.lengths);
    if (in.readBoolean()) {
      manifest.movedLengths = new long[manifest.partitions];
      lengths(in, manifest.movedLengths);
    }
    manifest.resourcesLength = in.readLong();
    manifest.nextSource = in.readInt();
    manifest.deadSpans = in.readLong();
    for (int i = in.readInt(); i > 0; i--) {
      manifest.sources.add(Source.read(in));
    }
    return manifest;
  }

  private static String facts() {
    return String.join(" ", FactKeys.ALL);
  }

  private static void lengths(DataInputStream in, long[] lengths) throws IOException {
    for (int i = 0; i < lengths.length; i++) {
      lengths[i] = in.readLong();
    }
  }

  /** Replaces the previous one, in one step. */
  void write(Path dir) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      write(out);
      out.writeInt(BlockHeader.sum(bytes.toByteArray(), 0, bytes.size()));
    }
    Path written = dir.resolve(NAME + ".new");
    try (FileChannel channel =
        FileChannel.open(
            written,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes.toByteArray());
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      channel.force(true);
    }
    Files.move(
        written,
        dir.resolve(NAME),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  private void write(DataOutputStream out) throws IOException {
    out.writeInt(MAGIC);
    out.writeInt(VERSION);
    out.writeUTF(facts());
    out.writeInt(partitions);
    for (long length : lengths) {
      out.writeLong(length);
    }
    long[] moved = movedLengths;
    out.writeBoolean(moved != null);
    if (moved != null) {
      for (long length : moved) {
        out.writeLong(length);
      }
    }
    out.writeLong(resourcesLength);
    out.writeInt(nextSource);
    out.writeLong(deadSpans);
    out.writeInt(sources.size());
    for (Source source : sources) {
      source.write(out);
    }
    out.flush();
  }
}
