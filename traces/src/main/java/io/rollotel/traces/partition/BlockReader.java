package io.rollotel.traces.partition;

import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.SpanEvent;
import io.rollotel.traces.otlp.SpanLink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/** Reads blocks, one after the other; {@link BlockWriter} is the other end. For one thread. */
final class BlockReader implements AutoCloseable {

  /** Which spans of a block are wanted. */
  interface Filter {
    boolean wants(int source, String traceId);
  }

  /** Receives a span. */
  interface Sink {
    void accept(Span span) throws IOException;
  }

  private static final HexFormat HEX = HexFormat.of();

  private final Resource[] resources;
  private final @Nullable Set<String> attributes;
  private final boolean readsRest;

  /** Which facts are wanted, by number. */
  private final boolean[] wanted = new boolean[FactKeys.ALL.size()];

  private final Inflater inflater = new Inflater(true);
  private byte[] held = new byte[64 << 10];
  private byte[] heldRest = new byte[1 << 10];

  private final Cursor runs = new Cursor();
  private final Cursor facts = new Cursor();
  private final Cursor rest = new Cursor();
  private final TextReader scopes = new TextReader();
  private final TextReader names = new TextReader();
  private final TextReader values = new TextReader();
  private final TextReader restTexts = new TextReader();
  private String[] traces = new String[64];
  private int traceCount;

  // The run.
  private String trace = "";
  private Resource resource = new Resource(Map.of());
  private String scope = "";
  private int source;

  // State from the previous spans.
  private long parent;
  private String parentText = "";
  private long parentBefore;
  private String parentBeforeText = "";
  private long startEpochNanos;
  private double weight;
  private String thinnedTraceId = "";

  // The facts of a span that are attributes, wanted or not.
  private int factCount;
  private final int[] factKeys = new int[BlockWriter.MOST_FACTS];
  private final Object[] factValues = new Object[BlockWriter.MOST_FACTS];

  /**
   * A reader of blocks.
   *
   * @param resources by number
   * @param attributes the wanted attributes; null for all, including events and links
   */
  BlockReader(Resource[] resources, @Nullable Set<String> attributes) {
    this.resources = resources;
    this.attributes = attributes;
    this.readsRest = attributes == null || !FactKeys.areAll(attributes);
    for (int i = 0; i < wanted.length; i++) {
      wanted[i] = attributes == null || attributes.contains(FactKeys.ALL.get(i));
    }
  }

  /** Loads a block into memory. */
  void load(FileChannel channel, PartitionFiles.Place place) throws IOException {
    BlockHeader header = place.header();
    int length = Math.addExact(header.runsLength(), header.factsLength());
    if (held.length < length) {
      held = new byte[length];
    }
    long at = place.at() + BlockHeader.BYTES;
    PartitionFiles.read(channel, at, ByteBuffer.wrap(held, 0, length));
    check(held, length, header.factsSum());
    runs.begin(held, 0, header.runsLength());
    facts.begin(held, header.runsLength(), header.factsLength());
    if (readsRest) {
      loadRest(channel, at + length, header);
    }
    begin(header);
  }

  /** Reads a block that is already in memory, and must not change until it is read. */
  void load(byte[] block, int from) throws IOException {
    BlockHeader header =
        BlockHeader.read(
            ByteBuffer.wrap(block, from, BlockHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN));
    int at = from + BlockHeader.BYTES;
    int factsAt = at + header.runsLength();
    int restAt = factsAt + header.factsLength();
    if (BlockHeader.sum(block, at, restAt - at) != header.factsSum()) {
      throw new DamagedException();
    }
    runs.begin(block, at, header.runsLength());
    facts.begin(block, factsAt, header.factsLength());
    if (readsRest) {
      beginRest(Arrays.copyOfRange(block, restAt, restAt + header.restLength()), header);
    }
    begin(header);
  }

  private void loadRest(FileChannel channel, long at, BlockHeader header) throws IOException {
    byte[] read = new byte[header.restLength()];
    PartitionFiles.read(channel, at, ByteBuffer.wrap(read));
    beginRest(read, header);
  }

  private void beginRest(byte[] read, BlockHeader header) throws DamagedException {
    check(read, read.length, header.restSum());
    if (header.restRawLength() == read.length) {
      rest.begin(read, 0, read.length);
      return;
    }
    if (heldRest.length < header.restRawLength()) {
      heldRest = new byte[header.restRawLength()];
    }
    inflater.reset();
    inflater.setInput(read);
    int inflated = 0;
    try {
      while (inflated < header.restRawLength()) {
        int count = inflater.inflate(heldRest, inflated, header.restRawLength() - inflated);
        if (count == 0) {
          throw new DamagedException();
        }
        inflated += count;
      }
    } catch (DataFormatException e) {
      throw new DamagedException();
    }
    rest.begin(heldRest, 0, inflated);
  }

  private static void check(byte[] bytes, int length, int sum) throws DamagedException {
    if (BlockHeader.sum(bytes, 0, length) != sum) {
      throw new DamagedException();
    }
  }

  private void begin(BlockHeader header) {
    scopes.clear();
    names.clear();
    values.clear();
    restTexts.clear();
    traceCount = 0;
    source = header.source();
    parent = 0;
    parentText = "";
    parentBefore = 0;
    parentBeforeText = "";
    startEpochNanos = 0;
    weight = 1;
    thinnedTraceId = "";
  }

  /** Whether any of the loaded block's traces is wanted; then it has to be loaded again. */
  boolean hasAny(Filter filter) {
    while (runs.hasMore()) {
      run();
      if (filter.wants(source, trace)) {
        return true;
      }
    }
    return false;
  }

  /** Passes on the wanted spans of the loaded block. */
  void read(Filter filter, Sink sink) throws IOException {
    while (runs.hasMore()) {
      int count = run();
      boolean isWanted = filter.wants(source, trace);
      for (int i = 0; i < count; i++) {
        Span span = span();
        if (isWanted) {
          sink.accept(span);
        }
      }
    }
  }

  /** Reads a run; returns the number of its spans. */
  private int run() {
    long head = runs.varint();
    if ((head & BlockWriter.NEW_TRACE) != 0) {
      trace = HEX.toHexDigits(runs.fixed64()) + HEX.toHexDigits(runs.fixed64());
      if (traceCount == traces.length) {
        traces = Arrays.copyOf(traces, 2 * traceCount);
      }
      traces[traceCount++] = trace;
    } else {
      trace = traces[traceCount - 1 - runs.integer()];
    }
    if ((head & BlockWriter.SAME_RESOURCE) == 0) {
      int number = runs.integer();
      resource =
          number == BlockWriter.INLINE_RESOURCE ? ResourceTable.read(runs) : resources[number - 1];
    }
    if ((head & BlockWriter.SAME_SCOPE) == 0) {
      scope = scopes.read(runs);
    }
    if ((head & BlockWriter.OTHER_SOURCE) != 0) {
      source = runs.integer();
    }
    return (int) (head >>> BlockWriter.COUNT_SHIFT);
  }

  /** The file that the last span came from. */
  int source() {
    return source;
  }

  private Span span() {
    int first = facts.u8();
    int second = facts.u8();
    String spanId =
        (first & BlockWriter.IS_PARENT) != 0 ? parentText : HEX.toHexDigits(facts.fixed64());
    String parentSpanId = parent(first >> BlockWriter.PARENT_SHIFT & BlockWriter.PARENT_MASK);
    String name = names.read(facts);
    long start = startEpochNanos + facts.zigzag();
    startEpochNanos = start;
    long end = start + facts.zigzag();
    int kind = first & BlockWriter.KIND_MASK;
    if (kind == BlockWriter.OTHER_KIND) {
      kind = (int) facts.zigzag();
    }
    int status = first >> BlockWriter.STATUS_SHIFT & BlockWriter.STATUS_MASK;
    if (status == BlockWriter.OTHER_STATUS) {
      status = (int) facts.zigzag();
    }
    String failure = (second & BlockWriter.HAS_FAILURE) != 0 ? values.read(facts) : "";
    if ((second & BlockWriter.OTHER_WEIGHT) != 0) {
      weight = Double.longBitsToDouble(facts.fixed64());
      thinnedTraceId = values.read(facts);
    }
    facts(second >> BlockWriter.FACTS_SHIFT);
    int more = readsRest ? rest.u8() : 0;
    Map<String, Object> ofSpan =
        (more & BlockWriter.HAS_ATTRIBUTES) != 0 ? allAttributes() : factAttributes();
    List<SpanEvent> events = (more & BlockWriter.HAS_EVENTS) != 0 ? events(start) : List.of();
    List<SpanLink> links = (more & BlockWriter.HAS_LINKS) != 0 ? links() : List.of();
    return new Span(
        trace,
        spanId,
        parentSpanId,
        name,
        kind,
        start,
        end,
        ofSpan,
        status,
        resource,
        scope,
        failure,
        weight,
        thinnedTraceId,
        attributes == null ? events : List.of(),
        attributes == null ? links : List.of());
  }

  private String parent(int mode) {
    if (mode == BlockWriter.NO_PARENT) {
      return "";
    }
    if (mode == BlockWriter.SAME_PARENT) {
      return parentText;
    }
    long before = parent;
    String beforeText = parentText;
    if (mode == BlockWriter.PARENT_BEFORE) {
      parent = parentBefore;
      parentText = parentBeforeText;
    } else {
      parent = facts.fixed64();
      parentText = HEX.toHexDigits(parent);
    }
    parentBefore = before;
    parentBeforeText = beforeText;
    return parentText;
  }

  private void facts(int count) {
    factCount = count;
    for (int i = 0; i < count; i++) {
      int code = facts.integer();
      factKeys[i] = code >> Values.TYPE_BITS;
      factValues[i] = Values.read(facts, values, code & ((1 << Values.TYPE_BITS) - 1));
    }
  }

  private Map<String, Object> factAttributes() {
    Map<String, Object> all = Map.of();
    for (int i = 0; i < factCount; i++) {
      all = withFact(all, i);
    }
    return whole(all);
  }

  /** The facts and the others, in the order in which they stood in the line. */
  private Map<String, Object> allAttributes() {
    int size = rest.integer();
    int fact = 0;
    Map<String, Object> all = Map.of();
    for (int i = 0; i < size; i++) {
      int type = rest.u8();
      if (type == BlockWriter.FACT) {
        all = withFact(all, fact++);
        continue;
      }
      String key = restTexts.read(rest);
      Object value = Values.read(rest, restTexts, type);
      if (attributes == null || attributes.contains(key)) {
        all = with(all, key, value);
      }
    }
    return whole(all);
  }

  private Map<String, Object> withFact(Map<String, Object> all, int fact) {
    int key = factKeys[fact];
    return wanted[key] ? with(all, FactKeys.ALL.get(key), factValues[fact]) : all;
  }

  /** Most spans have one or none. */
  private static Map<String, Object> with(Map<String, Object> all, String key, Object value) {
    if (all.isEmpty()) {
      return Map.of(key, value);
    }
    Map<String, Object> grown = all instanceof LinkedHashMap ? all : new LinkedHashMap<>(all);
    grown.put(key, value);
    return grown;
  }

  private static Map<String, Object> whole(Map<String, Object> all) {
    return all instanceof LinkedHashMap ? Collections.unmodifiableMap(all) : all;
  }

  private List<SpanEvent> events(long start) {
    int size = rest.integer();
    List<SpanEvent> events = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      String name = restTexts.read(rest);
      long epochNanos = start + rest.zigzag();
      events.add(new SpanEvent(name, epochNanos, Values.attributes(rest, restTexts)));
    }
    return events;
  }

  private List<SpanLink> links() {
    int size = rest.integer();
    List<SpanLink> links = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      String traceId = restTexts.read(rest);
      String spanId = restTexts.read(rest);
      links.add(new SpanLink(traceId, spanId, Values.attributes(rest, restTexts)));
    }
    return links;
  }

  @Override
  public void close() {
    inflater.end();
  }
}
