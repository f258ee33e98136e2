package io.rollotel.traces.otlp;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;

/**
 * Translates lines of OTLP/JSON into spans: all of a line or none. For use by one thread.
 *
 * <p>Accepts the output of otelcol, ROLL and protobuf's own JSON printers: keys in any order, enums
 * as numbers or names, 64-bit integers as strings or numbers.
 */
public final class LineParser {

  /** A longer line is not held in memory. */
  private static final int MAX_HELD_BYTES = 8 << 20;

  private static final Resource NO_RESOURCE = new Resource(Map.of());

  /** The attributes of spans to keep; null for all, including events and links. */
  private final @Nullable Set<String> wanted;

  /** Whether an attribute is also kept if a span names it as the one to join by. */
  private final boolean areJoinsWanted;

  /**
   * Whether a span has named one that is not wanted anyway. Until then only the wanted ones are
   * read, because on Ray most spans are an end of a call.
   */
  private boolean areOthersNamed;

  private final CompactCursor compact = new CompactCursor();
  private byte[] held = new byte[64 << 10];

  // Of the current line.
  private JsonCursor json = compact;
  private List<Span> spans = new ArrayList<>();
  private boolean isAfterTornPart;
  private int heldEnd;

  private String lastTraceState = "";
  private double lastWeight = 1;
  private String lastThinnedTraceId = "";

  /**
   * A parser of lines.
   *
   * @param wanted the attributes of spans to keep; null for all, including events and links. With
   *     {@link CallJoins#JOIN} those that it names are kept as well
   */
  public LineParser(@Nullable Set<String> wanted) {
    this.wanted = wanted;
    this.areJoinsWanted = wanted != null && wanted.contains(CallJoins.JOIN);
  }

  /** The classes with the loops over the bytes of lines, in which most of the reading is done. */
  public static List<Class<?>> byteLoops() {
    return List.of(
        CompactCursor.class,
        CompactValues.class,
        CompactText.class,
        KnownAttributes.class,
        HexIds.class,
        Utf8.class);
  }

  /**
   * Reads a line to its end; an empty one has no spans. Lines without their newline, or parts of
   * lines, may precede it, see {@link #isAfterTornPart}.
   *
   * @throws UnreadableLineException for a line that is not a trace request
   * @throws IOException if the rest of the file cannot be read
   */
  public List<Span> parse(InputStream line) throws IOException, UnreadableLineException {
    return parse(line, true);
  }

  /** The same for a line that {@link #parseHeld} did not read. */
  public List<Span> parseNotCompact(InputStream line) throws IOException, UnreadableLineException {
    return parse(line, false);
  }

  private List<Span> parse(InputStream line, boolean mayBeCompact)
      throws IOException, UnreadableLineException {
    isAfterTornPart = false;
    int length = hold(line);
    InputStream whole = new ByteArrayInputStream(held, 0, length);
    if (length == MAX_HELD_BYTES) {
      return parseAny(new SequenceInputStream(whole, line));
    }
    if (mayBeCompact && parseCompact(held, 0) && compactEnd(held) == length) {
      return spans;
    }
    try {
      return parseAny(whole);
    } catch (UnreadableLineException e) {
      return parseRest(length, e);
    } catch (IOException e) {
      throw new UnreadableLineException(
          String.valueOf(e.getMessage())); // bytes of no known encoding
    }
  }

  /**
   * Reads a line in memory, if it is written as collectors do and valid; otherwise null, and the
   * caller passes the line to {@link #parseNotCompact}.
   *
   * @param from where the line begins, in bytes of which one is a newline
   */
  public @Nullable List<Span> parseHeld(byte[] bytes, int from) {
    isAfterTornPart = false;
    return parseCompact(bytes, from) && bytes[compactEnd(bytes)] == '\n' ? spans : null;
  }

  /** The position of the newline after the line that {@link #parseHeld} has just read. */
  public int heldEnd() {
    return heldEnd;
  }

  /** The end of the line, which on some systems has a carriage return before it. */
  private int compactEnd(byte[] bytes) {
    int end = compact.end();
    heldEnd = bytes[end] == '\r' ? end + 1 : end;
    return heldEnd;
  }

  /** The spans of a whole line that another parser's {@link #parseHeld} has read. */
  public List<Span> readElsewhere(List<Span> ofLine) {
    isAfterTornPart = false;
    return ofLine;
  }

  private List<Span> parseRest(int length, UnreadableLineException ofAll)
      throws IOException, UnreadableLineException {
    List<Integer> starts = TornLine.starts(held, length);
    int last = starts.size() - 1;
    if (last == 0) {
      throw ofAll;
    }
    List<Span> ofLast;
    try {
      ofLast = parseAny(part(starts.get(last), length));
    } catch (UnreadableLineException notWhole) {
      throw ofAll;
    }
    List<Span> all = new ArrayList<>();
    for (int i = 0; i < last; i++) {
      try {
        all.addAll(parseAny(part(starts.get(i), starts.get(i + 1))));
      } catch (UnreadableLineException notWhole) {
        isAfterTornPart = true;
      }
    }
    all.addAll(ofLast);
    return all;
  }

  private InputStream part(int from, int to) {
    return new ByteArrayInputStream(held, from, to - from);
  }

  /** Whether the last line contained a part of another, which is lost. */
  public boolean isAfterTornPart() {
    return isAfterTornPart;
  }

  /** Reads the line into memory up to the limit, and returns its length. */
  private int hold(InputStream line) throws IOException {
    int length = 0;
    while (length < MAX_HELD_BYTES) {
      if (length + 1 >= held.length) {
        held = Arrays.copyOf(held, Math.min(2 * held.length, MAX_HELD_BYTES + 1));
      }
      int count = line.read(held, length, held.length - 1 - length);
      if (count < 0) {
        break;
      }
      length += count;
    }
    held[length] = 0;
    return length;
  }

  /** Whether a line can be read without Jackson. */
  boolean readsCompact(InputStream line) throws IOException {
    int length = hold(line);
    return length < MAX_HELD_BYTES && parseCompact(held, 0) && compactEnd(held) == length;
  }

  /** False if the line is not compact, or invalid. Something may follow it. */
  private boolean parseCompact(byte[] bytes, int from) {
    boolean wereOthersNamed = areOthersNamed;
    json = compact;
    spans = new ArrayList<>();
    compact.begin(bytes, from);
    try {
      request();
    } catch (UnreadableLineException notCompact) {
      return false;
    }
    // If the first one is named in this line, its value was skipped.
    return areOthersNamed == wereOthersNamed || parseCompact(bytes, from);
  }

  List<Span> parseAny(InputStream line) throws IOException, UnreadableLineException {
    try (JsonParser parser = JacksonCursor.JSON.createParser(ObjectReadContext.empty(), line)) {
      json = new JacksonCursor(parser);
      spans = new ArrayList<>();
      if (parser.nextToken() != null) {
        request();
        if (parser.nextToken() != null) {
          throw new UnreadableLineException("more than one JSON value");
        }
      }
      return spans;
    } catch (JacksonIOException e) {
      throw JacksonCursor.failure(e);
    } catch (UnexpectedEndOfInputException e) {
      throw new UnreadableLineException(e.getOriginalMessage(), true);
    } catch (JacksonException e) {
      throw new UnreadableLineException(e.getOriginalMessage());
    }
  }

  private void request() throws UnreadableLineException {
    if (!json.entersObject("the line")) {
      throw new UnreadableLineException("the line is null");
    }
    for (String key = json.nextKey(); key != null; key = json.nextKey()) {
      if (key.equals("resourceSpans")) {
        for (boolean more = json.entersArray(key); more; more = json.hasNext()) {
          resourceSpans();
        }
      } else {
        json.skip();
      }
    }
  }

  private void resourceSpans() throws UnreadableLineException {
    Resource resource = NO_RESOURCE;
    List<SpanDraft> drafts = new ArrayList<>();
    if (json.entersObject("resourceSpans")) {
      for (String key = json.nextKey(); key != null; key = json.nextKey()) {
        switch (key) {
          case "resource" -> resource = resource();
          case "scopeSpans" -> {
            for (boolean more = json.entersArray(key); more; more = json.hasNext()) {
              scopeSpans(drafts);
            }
          }
          default -> json.skip();
        }
      }
    }
    for (SpanDraft draft : drafts) {
      spans.add(draft.span(resource));
    }
  }

  private Resource resource() throws UnreadableLineException {
    Map<String, Object> attributes = Map.of();
    if (json.entersObject("resource")) {
      for (String key = json.nextKey(); key != null; key = json.nextKey()) {
        if (key.equals("attributes")) {
          attributes = KeyValues.read(json, key, null);
        } else {
          json.skip();
        }
      }
    }
    return attributes.isEmpty() ? NO_RESOURCE : new Resource(attributes);
  }

  private void scopeSpans(List<SpanDraft> drafts) throws UnreadableLineException {
    String scopeName = "";
    int first = drafts.size();
    if (json.entersObject("scopeSpans")) {
      for (String key = json.nextKey(); key != null; key = json.nextKey()) {
        switch (key) {
          case "scope" -> scopeName = scopeName();
          case "spans" -> {
            for (boolean more = json.entersArray(key); more; more = json.hasNext()) {
              drafts.add(span());
            }
          }
          default -> json.skip();
        }
      }
    }
    for (SpanDraft draft : drafts.subList(first, drafts.size())) {
      draft.scopeName = scopeName;
    }
  }

  private String scopeName() throws UnreadableLineException {
    String name = "";
    if (json.entersObject("scope")) {
      for (String key = json.nextKey(); key != null; key = json.nextKey()) {
        if (key.equals("name")) {
          name = json.text(key);
        } else {
          json.skip();
        }
      }
    }
    return name;
  }

  private SpanDraft span() throws UnreadableLineException {
    SpanDraft draft = new SpanDraft();
    boolean mayJoin = false;
    if (json.entersObject("span")) {
      for (String key = json.nextKey(); key != null; key = json.nextKey()) {
        switch (key) {
          case "traceId" -> draft.traceId = json.traceId(key);
          case "spanId" -> draft.spanId = json.id(key, 16);
          case "parentSpanId" -> draft.parentSpanId = json.parentId(key);
          case "traceState" -> traceState(draft, json.text(key));
          case "name" -> draft.name = json.repeatedText(key);
          case "kind" -> draft.kind = json.enumNumber(key);
          case "startTimeUnixNano" -> draft.startEpochNanos = json.unsigned(key);
          case "endTimeUnixNano" -> draft.endEpochNanos = json.unsigned(key);
          case "attributes" -> {
            // The name of the attribute to join by may follow that attribute, and the kind both.
            mayJoin =
                areJoinsWanted
                    && (areOthersNamed || json != compact)
                    && (draft.kind == 0 || CallJoins.isEnd(draft.kind));
            draft.attributes = KeyValues.read(json, key, mayJoin ? null : wanted);
          }
          case "events" -> {
            for (boolean more = json.entersArray(key); more; more = json.hasNext()) {
              EventsAndLinks.event(json, draft, wanted == null);
            }
          }
          case "links" -> EventsAndLinks.links(json, draft, wanted == null);
          case "status" -> status(draft);
          default -> json.skip();
        }
      }
    }
    if (mayJoin && wanted != null) {
      draft.attributes = CallJoins.kept(draft.kind, draft.attributes, wanted);
    } else if (areJoinsWanted && wanted != null && CallJoins.isEnd(draft.kind)) {
      Object by = draft.attributes.get(CallJoins.JOIN);
      areOthersNamed |= by != null && !wanted.contains(by);
    }
    if (draft.traceId.isEmpty() || draft.spanId.isEmpty()) {
      throw new UnreadableLineException("span without traceId or spanId");
    }
    return draft;
  }

  /** Most spans have the same state as the previous one. */
  private void traceState(SpanDraft draft, String traceState) {
    if (!traceState.equals(lastTraceState)) {
      lastTraceState = traceState;
      lastWeight = TraceWeight.of(traceState);
      lastThinnedTraceId = TraceWeight.traceId(traceState);
    }
    draft.weight = lastWeight;
    draft.thinnedTraceId = lastThinnedTraceId;
  }

  private void status(SpanDraft draft) throws UnreadableLineException {
    if (json.entersObject("status")) {
      for (String key = json.nextKey(); key != null; key = json.nextKey()) {
        switch (key) {
          case "code" -> draft.statusCode = json.enumNumber(key);
          case "message" -> draft.statusMessage = json.text(key);
          default -> json.skip();
        }
      }
    }
  }
}
