package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a line in memory, of the JSON that collectors write: no white space except one blank after
 * a comma or a colon, and plain ASCII in names. It validates skipped values.
 *
 * <p>Anything else, valid or not, throws an {@link UnreadableLineException} without a reason. Then
 * {@link JacksonCursor} reads the line.
 */
final class CompactCursor extends JsonCursor {

  /** Each at the index given by its length and two of its letters, or after it; otherwise null. */
  private static final @Nullable String[] NAMES = new String[256];

  private static final byte[][] NAME_BYTES = new byte[NAMES.length][];

  static {
    String fields =
        "resourceSpans resource scopeSpans scope spans schemaUrl attributes key value version flags"
            + " traceId spanId parentSpanId traceState name kind status code message events links"
            + " startTimeUnixNano endTimeUnixNano timeUnixNano droppedAttributesCount"
            + " stringValue boolValue intValue doubleValue arrayValue kvlistValue values";
    for (String name : fields.split(" ", -1)) {
      byte[] bytes = name.getBytes(ISO_8859_1);
      int place = place(bytes, 0, bytes.length);
      while (NAMES[place] != null) {
        place = (place + 1) & (NAMES.length - 1);
      }
      NAMES[place] = name;
      NAME_BYTES[place] = bytes;
    }
  }

  private static final byte[] KEY_FOLLOWS = "{\"key\":".getBytes(ISO_8859_1);
  private static final byte[] VALUE_FOLLOWS = "\",\"value\":".getBytes(ISO_8859_1);

  private static final int TRACE_DIGITS = 32;
  private static final int SPAN_DIGITS = 16;
  private static final String NO_SPAN = "0".repeat(SPAN_DIGITS);

  /** How many depths are distinguished; a power of two. */
  private static final int DEPTHS = 4;

  /** A power of two. */
  private static final int MAX_KNOWN_TEXTS = 256;

  private static final int MAX_KNOWN_TEXT = 256;

  /** A zero or a newline follows the line, so loops need no other end condition. */
  private byte[] in = {0};

  /** Where the value begins. */
  private int at;

  /** The position after the value; negative until it has been read or skipped. */
  private int end;

  /** Whether an object or array has just been entered, and {@link #at} is after its bracket. */
  private boolean isEntered;

  private int depth;

  /** The place of the last known name. */
  private int place;

  /** By depth and place: the place of the name that came next the last time. */
  private final int[] followers = new int[DEPTHS * NAMES.length];

  /** Most spans of a line belong to one trace. */
  private String lastTraceId = "";

  private byte[] lastTraceIdBytes = {};

  /** Texts that were read, each at the index given by its bytes. */
  private final @Nullable String[] knownTexts = new String[MAX_KNOWN_TEXTS];

  private final byte[][] knownBytes = new byte[MAX_KNOWN_TEXTS][];

  /** By depth: those of spans follow those of their resource, and do not replace them. */
  private final KnownAttributes[] knownAttributes = new KnownAttributes[DEPTHS];

  CompactCursor() {
    byte[] any = "key".getBytes(ISO_8859_1);
    Arrays.fill(followers, place(any, 0, any.length));
    Arrays.setAll(knownAttributes, depth -> new KnownAttributes());
  }

  /**
   * Begins a line.
   *
   * @param bytes the line and a zero byte or newline, then anything
   * @param from where the line begins
   */
  void begin(byte[] bytes, int from) {
    in = bytes;
    at = from;
    end = -1;
    isEntered = false;
    depth = 0;
  }

  /** The end of the value that was read or skipped last; negative if there is none. */
  int end() {
    return end;
  }

  @Override
  void skip() throws UnreadableLineException {
    end = CompactValues.afterValue(in, at, depth);
  }

  @Override
  String traceId(String name) throws UnreadableLineException {
    int from = at + 1;
    int to = from + TRACE_DIGITS;
    if (in[at] == '"'
        && to < in.length
        && in[to] == '"'
        && Arrays.equals(in, from, to, lastTraceIdBytes, 0, lastTraceIdBytes.length)) {
      end = to + 1;
      return lastTraceId;
    }
    lastTraceId = super.traceId(name);
    lastTraceIdBytes = lastTraceId.getBytes(ISO_8859_1);
    return lastTraceId;
  }

  @Override
  String id(String name, int digits) throws UnreadableLineException {
    if (!isPlainId(digits)) {
      return super.id(name, digits);
    }
    end = at + digits + 2;
    return new String(in, at + 1, digits, ISO_8859_1);
  }

  @Override
  String parentId(String name) throws UnreadableLineException {
    if (!isPlainId(SPAN_DIGITS)) {
      return super.parentId(name);
    }
    String id = id(name, SPAN_DIGITS);
    return id.equals(NO_SPAN) ? "" : id;
  }

  /** Whether the value is a string of this many lower-case hex digits. */
  private boolean isPlainId(int digits) {
    int from = at + 1;
    int to = from + digits;
    return in[at] == '"' && to < in.length && in[to] == '"' && HexIds.areDigits(in, from, to);
  }

  @Override
  int position() {
    return at;
  }

  @Override
  @Nullable Attribute knownAttribute(int place, @Nullable Set<String> kept) {
    KnownAttributes known = knownAttributes[depth & (DEPTHS - 1)];
    int length = known.length(place, in, at, kept);
    if (length == 0) {
      return null;
    }
    end = at + length;
    return known.at(place);
  }

  @Override
  void knowAttribute(int place, int from, @Nullable Set<String> kept, Attribute attribute) {
    knownAttributes[depth & (DEPTHS - 1)].put(place, in, from, end, kept, attribute);
  }

  @Override
  boolean skipsAttribute(Set<String> kept) throws UnreadableLineException {
    if (!isAt(at, KEY_FOLLOWS)) {
      return false;
    }
    int from = at + KEY_FOLLOWS.length + 1;
    int to = CompactValues.afterPlain(in, from);
    if (!matches(to, VALUE_FOLLOWS) || kept.contains(known(from, to))) {
      return false;
    }
    int i = CompactValues.afterValue(in, to + VALUE_FOLLOWS.length, depth + 1);
    if (in[i] != '}') {
      return false; // something follows
    }
    end = i + 1;
    return true;
  }

  @Override
  String text(String name) throws UnreadableLineException {
    byte first = in[at];
    if (first == '"') {
      int to = CompactValues.afterPlain(in, at + 1);
      if (in[to] != '"') {
        StringBuilder text = new StringBuilder();
        end = CompactText.read(in, at + 1, text);
        return text.toString();
      }
      end = to + 1;
      return new String(in, at + 1, to - at - 1, ISO_8859_1);
    }
    if (first == '{' || first == '[') {
      throw CompactValues.notCompact();
    }
    skip();
    return first == 'n' ? "" : new String(in, at, end - at, ISO_8859_1);
  }

  @Override
  String repeatedText(String name) throws UnreadableLineException {
    int from = at + 1;
    int to = in[at] == '"' ? CompactValues.afterPlain(in, from) : at;
    if (to == at || in[to] != '"') {
      return text(name);
    }
    end = to + 1;
    return known(from, to);
  }

  private String known(int from, int to) {
    int hash = to - from;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + in[i];
    }
    int place = (hash ^ hash >>> 16) & (MAX_KNOWN_TEXTS - 1);
    String known = knownTexts[place];
    if (known != null
        && Arrays.equals(in, from, to, knownBytes[place], 0, knownBytes[place].length)) {
      return known;
    }
    String text = new String(in, from, to - from, ISO_8859_1);
    if (to - from <= MAX_KNOWN_TEXT) {
      knownTexts[place] = text;
      knownBytes[place] = Arrays.copyOfRange(in, from, to);
    }
    return text;
  }

  @Override
  long digits(boolean isQuoted) {
    if (isQuoted && in[at] != '"') {
      return -1;
    }
    int from = isQuoted ? at + 1 : at;
    int i = from;
    long number = 0;
    while (CompactValues.isDigit(in[i])) {
      number = number * 10 + (in[i++] - '0');
    }
    int length = i - from;
    if (length == 0 || length > 19) {
      return -1;
    }
    if (isQuoted ? in[i] != '"' : !isNumberEnd(in[i]) || (length > 1 && in[from] == '0')) {
      return -1;
    }
    end = isQuoted ? i + 1 : i;
    return number; // negative if it is 2^63 or more
  }

  private static boolean isNumberEnd(byte b) {
    return b == ',' || b == '}' || b == ']';
  }

  @Override
  @Nullable String nextKey() throws UnreadableLineException {
    int i = next('}');
    if (i < 0) {
      return null;
    }
    int from = CompactValues.expect(in, i, '"');
    int guess = followers[follower()];
    String key;
    if (isAt(from, NAME_BYTES[guess])) {
      place = guess;
      key = NAMES[guess];
      i = from + NAME_BYTES[guess].length;
    } else {
      i = CompactValues.plainEnd(in, from);
      key = name(from, i);
    }
    at = CompactValues.afterBlank(in, CompactValues.expect(in, i + 1, ':'));
    end = -1;
    return key;
  }

  /** The names of a span's attributes end like an attribute's, and other names follow. */
  private int follower() {
    return (depth & (DEPTHS - 1)) * NAMES.length + place;
  }

  /** Whether a string begins there and is this one. */
  private boolean isAt(int from, byte[] name) {
    return matches(from, name) && in[from + name.length] == '"';
  }

  private boolean matches(int from, byte[] expected) {
    for (int i = 0; i < expected.length; i++) {
      if (in[from + i] != expected[i]) {
        return false; // at the latest at the byte after the line
      }
    }
    return true;
  }

  /** Looks up a name, and notes that it followed the previous one. */
  private String name(int from, int to) throws UnreadableLineException {
    if (from == to || to - from > CompactValues.MAX_NAME) {
      throw CompactValues.notCompact();
    }
    for (int i = place(in, from, to); NAMES[i] != null; i = (i + 1) & (NAMES.length - 1)) {
      if (isAt(from, NAME_BYTES[i])) {
        followers[follower()] = i;
        place = i;
        return NAMES[i];
      }
    }
    return new String(in, from, to - from, ISO_8859_1);
  }

  private static int place(byte[] name, int from, int to) {
    return ((to - from) * 31 + name[from] * 7 + name[to - 1]) & (NAMES.length - 1);
  }

  @Override
  boolean entersObject(String name) throws UnreadableLineException {
    enter('{');
    return true;
  }

  @Override
  boolean entersArray(String name) throws UnreadableLineException {
    enter('[');
    return hasNext();
  }

  private void enter(char bracket) throws UnreadableLineException {
    if (in[at] != bracket) {
      throw CompactValues.notCompact(); // null among others
    }
    CompactValues.deeper(++depth);
    at++;
    isEntered = true;
  }

  @Override
  boolean hasNext() throws UnreadableLineException {
    int i = next(']');
    if (i < 0) {
      return false;
    }
    at = i;
    end = -1;
    return true;
  }

  /** Where the next key or element begins; negative if the object or array ends. */
  private int next(char bracket) throws UnreadableLineException {
    int i = isEntered ? at : end;
    if (i < 0) {
      throw CompactValues.notCompact(); // the value was neither read nor skipped
    }
    if (in[i] == bracket) {
      depth--;
      isEntered = false;
      end = i + 1;
      return -1;
    }
    if (isEntered) {
      isEntered = false;
      return i;
    }
    return CompactValues.afterBlank(in, CompactValues.expect(in, i, ','));
  }
}
