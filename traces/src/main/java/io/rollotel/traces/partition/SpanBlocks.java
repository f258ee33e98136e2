package io.rollotel.traces.partition;

import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/**
 * Spans as bytes, for an engine with its own files: blocks as in the cache, each preceded by the
 * resources of its spans. A span takes about 26 bytes, in blocks of some thousand.
 */
public final class SpanBlocks {

  private SpanBlocks() {}

  /**
   * The partition of a trace.
   *
   * @param traceId as in {@link Span#traceId}
   * @param partitions how many there are, a power of two
   */
  public static int partition(String traceId, int partitions) {
    return TraceHash.partition(traceId, partitions);
  }

  /**
   * The blocks in the order in which a reader of the files meets their first spans.
   *
   * @throws IOException if one is damaged
   */
  public static List<byte[]> ordered(Iterable<byte[]> blocks) throws IOException {
    IdentityHashMap<byte[], BlockHeader> headers = new IdentityHashMap<>();
    List<byte[]> ordered = new ArrayList<>();
    for (byte[] block : blocks) {
      ByteBuffer buffer = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
      headers.put(block, BlockHeader.read(buffer.position(at(block))));
      ordered.add(block);
    }
    ordered.sort(
        Comparator.<byte[]>comparingInt(block -> header(headers, block).source())
            .thenComparingLong(block -> header(headers, block).offset()));
    return ordered;
  }

  private static BlockHeader header(IdentityHashMap<byte[], BlockHeader> headers, byte[] block) {
    return Objects.requireNonNull(headers.get(block));
  }

  /** The start of a block after its resources. */
  private static int at(byte[] bytes) {
    Cursor in = new Cursor();
    in.begin(bytes, 0, bytes.length);
    return Integer.BYTES + in.fixed32();
  }

  /** Writes blocks, one after the other. For one thread. */
  public static final class Writer {

    private final Deflater deflater;
    private ResourceTable resources = new ResourceTable();
    private BlockWriter writer = new BlockWriter(resources);

    /**
     * A writer that has written nothing yet: about 8 kB.
     *
     * @param deflater for raw deflate; all writers of a thread share it, since it is large
     */
    public Writer(Deflater deflater) {
      this.deflater = deflater;
    }

    /** Whether the block has no span yet. */
    public boolean isEmpty() {
      return writer.isEmpty();
    }

    /**
     * Adds a span to the block.
     *
     * @param source the number of the file from which it comes
     * @param offset the start of its line in that file
     */
    public void add(Span span, int source, long offset) {
      writer.add(span, source, offset);
    }

    /** How long the block is so far, without its resources. */
    public int length() {
      return writer.length();
    }

    /** Ends the block, and begins another. */
    public byte[] take() {
      Bytes block = new Bytes();
      writer.finish(block, deflater, new Bytes()); // by then, all resources have numbers
      Bytes known = new Bytes();
      for (Resource resource : resources.all()) {
        ResourceTable.write(known, resource);
      }
      byte[] taken = new byte[Integer.BYTES + known.length() + block.length()];
      ByteBuffer.wrap(taken)
          .order(ByteOrder.LITTLE_ENDIAN)
          .putInt(known.length())
          .put(known.array(), 0, known.length())
          .put(block.array(), 0, block.length());
      resources = new ResourceTable();
      writer = new BlockWriter(resources);
      return taken;
    }
  }

  /** Reads blocks, one after the other. For one thread. */
  public static final class Reader {

    private final @Nullable Set<String> attributes;

    /** All blocks share the objects, so spans of one process are recognised quickly. */
    private final Map<Resource, Resource> resources = new HashMap<>();

    /**
     * A new reader.
     *
     * @param attributes the attributes to pass on; null for all, including events and links
     */
    public Reader(@Nullable Set<String> attributes) {
      this.attributes = attributes;
    }

    /**
     * Passes on the spans of a block.
     *
     * @throws IOException if it is damaged
     */
    public void read(byte[] block, Consumer<Span> sink) throws IOException {
      int at = at(block);
      Cursor in = new Cursor();
      in.begin(block, Integer.BYTES, at - Integer.BYTES);
      List<Resource> known = new ArrayList<>();
      while (in.hasMore()) {
        Resource resource = ResourceTable.read(in);
        Resource same = resources.putIfAbsent(resource, resource);
        known.add(same == null ? resource : same);
      }
      try (BlockReader reader = new BlockReader(known.toArray(Resource[]::new), attributes)) {
        reader.load(block, at);
        reader.read((source, traceId) -> true, sink::accept);
      }
    }
  }
}
