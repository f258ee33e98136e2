package io.rollotel.traces.partition;

import io.rollotel.traces.otlp.Resource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The processes whose spans are in the cache, each once, with numbers that blocks refer to. They
 * stay in memory. If each request has its own resource, only a limited number of them get numbers,
 * and the others are stored in the blocks. For any thread.
 */
final class ResourceTable {

  private static final int MOST = 32_768;

  /** As written; in memory they take some three times that. */
  private static final int MOST_BYTES = 16 << 20;

  private final @Nullable Path file;

  // Guarded by this.
  private final List<Resource> all = new ArrayList<>();
  private final Map<Resource, Integer> numbers = new HashMap<>();
  private final Bytes unwritten = new Bytes();
  private long length;

  private ResourceTable(@Nullable Path file) {
    this.file = file;
  }

  /** A table that is not written. */
  ResourceTable() {
    this(null);
  }

  /** Reads the valid part of the file, and cuts off what lies behind it. */
  static ResourceTable read(Path file, long validLength) throws IOException {
    ResourceTable table = new ResourceTable(file);
    if (validLength == 0) {
      Files.deleteIfExists(file);
      return table;
    }
    byte[] bytes = new byte[Math.toIntExact(validLength)];
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (channel.size() < validLength) {
        throw new DamagedException();
      }
      channel.truncate(validLength);
      PartitionFiles.read(channel, 0, ByteBuffer.wrap(bytes));
    }
    table.length = validLength;
    Cursor in = new Cursor();
    in.begin(bytes, 0, bytes.length);
    while (in.hasMore()) {
      int sum = in.fixed32();
      byte[] resource = in.bytes();
      if (BlockHeader.sum(resource, 0, resource.length) != sum) {
        throw new DamagedException();
      }
      Cursor one = new Cursor();
      one.begin(resource, 0, resource.length);
      table.put(read(one));
    }
    return table;
  }

  static Resource read(Cursor in) {
    return new Resource(Values.attributes(in, new TextReader()));
  }

  static void write(Bytes out, Resource resource) {
    Values.attributes(out, new KnownTexts(8), resource.attributes());
  }

  private int put(Resource resource) {
    numbers.put(resource, all.size());
    all.add(resource);
    return all.size() - 1;
  }

  /** Negative if it has none. */
  synchronized int number(Resource resource) {
    Integer known = numbers.get(resource);
    if (known != null) {
      return known;
    }
    if (all.size() >= MOST || length + unwritten.length() >= MOST_BYTES) {
      return -1;
    }
    Bytes bytes = new Bytes();
    write(bytes, resource);
    unwritten.fixed32(BlockHeader.sum(bytes.array(), 0, bytes.length()));
    unwritten.varint(bytes.length());
    unwritten.bytes(bytes.array(), 0, bytes.length());
    return put(resource);
  }

  /** By number. All blocks share the objects, so they identify the process of a span. */
  synchronized Resource[] all() {
    return all.toArray(Resource[]::new);
  }

  /** Writes the new part, and returns the valid length. */
  synchronized long flush() throws IOException {
    if (file != null && unwritten.length() != 0) {
      PartitionFiles.write(file, length, unwritten);
      length += unwritten.length();
      unwritten.clear();
    }
    return length;
  }
}
