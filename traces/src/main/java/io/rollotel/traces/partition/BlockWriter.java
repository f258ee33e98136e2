package io.rollotel.traces.partition;

import io.rollotel.traces.otlp.HexIds;
import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.SpanEvent;
import io.rollotel.traces.otlp.SpanLink;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/** A block under construction; {@link BlockReader} reads it. It takes about 8 kB, and its spans. */
final class BlockWriter {

  // Of a run's head.
  static final int NEW_TRACE = 1;
  static final int SAME_RESOURCE = 2;
  static final int SAME_SCOPE = 4;
  static final int OTHER_SOURCE = 8;
  static final int COUNT_SHIFT = 4;

  // Of a span's first byte.
  static final int KIND_MASK = 7;
  static final int OTHER_KIND = 7;
  static final int STATUS_SHIFT = 3;
  static final int STATUS_MASK = 3;
  static final int OTHER_STATUS = 3;
  static final int PARENT_SHIFT = 5;
  static final int PARENT_MASK = 3;
  static final int NO_PARENT = 0;
  static final int SAME_PARENT = 1;
  static final int PARENT_BEFORE = 2;
  static final int OTHER_PARENT = 3;
  static final int IS_PARENT = 128;

  // Of its second byte.
  static final int HAS_FAILURE = 1;
  static final int OTHER_WEIGHT = 2;
  static final int FACTS_SHIFT = 2;

  /** How many attributes can be facts. */
  static final int MOST_FACTS = (1 << (8 - FACTS_SHIFT)) - 1;

  // Of the byte in the rest.
  static final int HAS_ATTRIBUTES = 1;
  static final int HAS_EVENTS = 2;
  static final int HAS_LINKS = 4;

  /** Used instead of a type: the next fact belongs here. */
  static final int FACT = 1 << Values.TYPE_BITS;

  /** Used instead of its number: the resource itself follows. */
  static final int INLINE_RESOURCE = 0;

  private static final int KNOWN_TRACES = 64;

  private final ResourceTable resources;

  private final Bytes runs = new Bytes();
  private final Bytes facts = new Bytes();
  private final Bytes rest = new Bytes();
  private final KnownTexts scopes = new KnownTexts(8);
  private final KnownTexts names = new KnownTexts(256);
  private final KnownTexts values = new KnownTexts(128);
  private final KnownTexts restTexts = new KnownTexts(256);

  /** Trace ids, each at the index given by its hash, and their numbers. */
  private final @Nullable String[] traces = new String[KNOWN_TRACES];

  private final int[] traceNumbers = new int[KNOWN_TRACES];
  private int traceCount;

  // The run.
  private String trace = "";
  private @Nullable Resource resource;
  private String scope = "";
  private int source;
  private int count;

  // State from the previous run.
  private @Nullable Resource writtenResource;
  private @Nullable String writtenScope;
  private int writtenSource;

  // State from the previous spans.
  private int spans;
  private int firstSource;
  private long firstOffset;
  private long parent;
  private long parentBefore;
  private long startEpochNanos;
  private double weight = 1;
  private String thinnedTraceId = "";

  BlockWriter(ResourceTable resources) {
    this.resources = resources;
  }

  /** How many bytes there are so far. */
  int length() {
    return runs.length() + facts.length() + rest.length();
  }

  boolean isEmpty() {
    return spans == 0;
  }

  /**
   * Adds a span.
   *
   * @param ofSource the file that it comes from
   * @param offset the start of its line in that file
   */
  void add(Span span, int ofSource, long offset) {
    if (spans++ == 0) {
      firstSource = ofSource;
      firstOffset = offset;
      writtenSource = ofSource;
    }
    run(span, ofSource);
    facts(span);
    rest(span);
  }

  @SuppressWarnings("ReferenceEquality") // an equal one begins a new run: that is just longer
  private void run(Span span, int ofSource) {
    if (span.resource() == resource
        && ofSource == source
        && span.traceId().equals(trace)
        && span.scopeName().equals(scope)) {
      count++;
      return;
    }
    endRun();
    trace = span.traceId();
    resource = span.resource();
    scope = span.scopeName();
    source = ofSource;
    count = 1;
  }

  private void endRun() {
    Resource ofRun = resource;
    if (count == 0 || ofRun == null) {
      return;
    }
    int place = trace.hashCode() & (KNOWN_TRACES - 1);
    boolean isNew = !trace.equals(traces[place]);
    boolean isSameResource = ofRun.equals(writtenResource);
    boolean isSameScope = scope.equals(writtenScope);
    boolean isOtherSource = source != writtenSource;
    runs.varint(
        (long) count << COUNT_SHIFT
            | (isNew ? NEW_TRACE : 0)
            | (isSameResource ? SAME_RESOURCE : 0)
            | (isSameScope ? SAME_SCOPE : 0)
            | (isOtherSource ? OTHER_SOURCE : 0));
    if (isNew) {
      traces[place] = trace;
      traceNumbers[place] = traceCount++;
      runs.fixed64(HexIds.toLong(trace, 0));
      runs.fixed64(HexIds.toLong(trace, 16));
    } else {
      runs.varint(traceCount - 1 - traceNumbers[place]);
    }
    if (!isSameResource) {
      int number = resources.number(ofRun);
      if (number < 0) {
        runs.u8(INLINE_RESOURCE);
        ResourceTable.write(runs, ofRun);
      } else {
        runs.varint(number + 1L);
      }
      writtenResource = ofRun;
    }
    if (!isSameScope) {
      scopes.write(runs, scope);
      writtenScope = scope;
    }
    if (isOtherSource) {
      runs.varint(source);
      writtenSource = source;
    }
    count = 0;
  }

  private void facts(Span span) {
    long id = HexIds.toLong(span.spanId());
    long parentId = span.parentSpanId().isEmpty() ? 0 : HexIds.toLong(span.parentSpanId());
    int kind = span.kind();
    int status = span.statusCode();
    boolean isPlainKind = kind >= 0 && kind < OTHER_KIND;
    boolean isPlainStatus = status >= 0 && status < OTHER_STATUS;
    boolean isParent = id == parent && id != 0;
    int parentMode =
        parentId == 0
            ? NO_PARENT
            : parentId == parent
                ? SAME_PARENT
                : parentId == parentBefore ? PARENT_BEFORE : OTHER_PARENT;
    facts.u8(
        (isPlainKind ? kind : OTHER_KIND)
            | (isPlainStatus ? status : OTHER_STATUS) << STATUS_SHIFT
            | parentMode << PARENT_SHIFT
            | (isParent ? IS_PARENT : 0));
    int second = facts.length();
    boolean isOtherWeight =
        span.weight() != weight || !span.thinnedTraceId().equals(thinnedTraceId);
    facts.u8(0);
    if (!isParent) {
      facts.fixed64(id);
    }
    if (parentMode == OTHER_PARENT) {
      facts.fixed64(parentId);
    }
    if (parentMode >= PARENT_BEFORE) {
      parentBefore = parent;
      parent = parentId;
    }
    names.write(facts, span.name());
    facts.zigzag(span.startEpochNanos() - startEpochNanos);
    facts.zigzag(span.endEpochNanos() - span.startEpochNanos());
    startEpochNanos = span.startEpochNanos();
    if (!isPlainKind) {
      facts.zigzag(kind);
    }
    if (!isPlainStatus) {
      facts.zigzag(status);
    }
    if (!span.failure().isEmpty()) {
      values.write(facts, span.failure());
    }
    if (isOtherWeight) {
      weight = span.weight();
      thinnedTraceId = span.thinnedTraceId();
      facts.fixed64(Double.doubleToRawLongBits(weight));
      values.write(facts, thinnedTraceId);
    }
    int written = 0;
    for (Map.Entry<String, Object> entry : span.attributes().entrySet()) {
      Integer key = FactKeys.number(entry.getKey());
      if (key != null) {
        facts.varint((long) key << Values.TYPE_BITS | Values.type(entry.getValue()));
        Values.write(facts, values, entry.getValue());
        written++;
      }
    }
    facts.patch(
        second,
        (span.failure().isEmpty() ? 0 : HAS_FAILURE)
            | (isOtherWeight ? OTHER_WEIGHT : 0)
            | written << FACTS_SHIFT);
  }

  private void rest(Span span) {
    boolean hasAttributes = false;
    for (String key : span.attributes().keySet()) {
      hasAttributes |= FactKeys.number(key) == null;
    }
    rest.u8(
        (hasAttributes ? HAS_ATTRIBUTES : 0)
            | (span.events().isEmpty() ? 0 : HAS_EVENTS)
            | (span.links().isEmpty() ? 0 : HAS_LINKS));
    if (hasAttributes) {
      rest.varint(span.attributes().size());
      for (Map.Entry<String, Object> entry : span.attributes().entrySet()) {
        if (FactKeys.number(entry.getKey()) != null) {
          rest.u8(FACT);
        } else {
          rest.u8(Values.type(entry.getValue()));
          restTexts.write(rest, entry.getKey());
          Values.write(rest, restTexts, entry.getValue());
        }
      }
    }
    if (!span.events().isEmpty()) {
      rest.varint(span.events().size());
      for (SpanEvent event : span.events()) {
        restTexts.write(rest, event.name());
        rest.zigzag(event.epochNanos() - span.startEpochNanos());
        Values.attributes(rest, restTexts, event.attributes());
      }
    }
    if (!span.links().isEmpty()) {
      rest.varint(span.links().size());
      for (SpanLink link : span.links()) {
        restTexts.write(rest, link.traceId());
        restTexts.write(rest, link.spanId());
        Values.attributes(rest, restTexts, link.attributes());
      }
    }
  }

  /**
   * Appends the block, and begins a new one.
   *
   * @param deflated used for the rest
   */
  void finish(Bytes out, Deflater deflater, Bytes deflated) {
    endRun();
    runs.bytes(facts.array(), 0, facts.length());
    int factsLength = facts.length();
    int runsLength = runs.length() - factsLength;
    Bytes restAsWritten = deflate(deflater, deflated) ? deflated : rest;
    new BlockHeader(
            runsLength,
            factsLength,
            restAsWritten.length(),
            rest.length(),
            spans,
            firstSource,
            firstOffset,
            BlockHeader.sum(runs.array(), 0, runs.length()),
            BlockHeader.sum(restAsWritten.array(), 0, restAsWritten.length()))
        .write(out);
    out.bytes(runs.array(), 0, runs.length());
    out.bytes(restAsWritten.array(), 0, restAsWritten.length());
    clear();
  }

  /** False if that does not make it smaller. */
  private boolean deflate(Deflater deflater, Bytes deflated) {
    deflated.clear();
    deflater.reset();
    deflater.setInput(rest.array(), 0, rest.length());
    deflater.finish();
    byte[] piece = new byte[8 << 10];
    while (!deflater.finished()) {
      deflated.bytes(piece, 0, deflater.deflate(piece));
      if (deflated.length() >= rest.length()) {
        return false;
      }
    }
    return true;
  }

  private void clear() {
    runs.clear();
    facts.clear();
    rest.clear();
    scopes.clear();
    names.clear();
    values.clear();
    restTexts.clear();
    Arrays.fill(traces, null);
    traceCount = 0;
    resource = null;
    writtenResource = null;
    writtenScope = null;
    spans = 0;
    parent = 0;
    parentBefore = 0;
    startEpochNanos = 0;
    weight = 1;
    thinnedTraceId = "";
  }
}
