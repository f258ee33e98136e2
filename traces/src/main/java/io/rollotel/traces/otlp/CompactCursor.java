package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads a line in memory, of the JSON that collectors write: no white space but one blank after a
 * comma or a colon, and plain ASCII in names and in texts that are asked for. It checks what it
 * steps over.
 *
 * <p>Anything else, valid or not, ends with an {@link UnreadableLineException} that gives no
 * reason. Then {@link JacksonCursor} reads the line.
 */
final class CompactCursor extends JsonCursor {

  /** Each in the place that its length and two of its letters give it, or after it; else null. */
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

  private static final int MAX_DEPTH = 100;
  private static final int MAX_NAME = 1_000;
  private static final int MAX_DIGITS = 30;
  private static final int TRACE_DIGITS = 32;

  /** A power of two. */
  private static final int MAX_KNOWN_TEXTS = 256;

  private static final int MAX_KNOWN_TEXT = 256;

  /** A zero follows the line: no loop needs another end. */
  private byte[] in = {0};

  /** Where the value begins. */
  private int at;

  /** Behind the value; negative until that has been read or skipped. */
  private int end;

  /** Whether an object or array has just been entered, and {@link #at} is behind its bracket. */
  private boolean isEntered;

  private int depth;

  /** The place of the last known name. */
  private int place;

  /** By place: that of the name that came next the last time. */
  private final int[] followers = new int[NAMES.length];

  /** Most spans of a line are of one trace. */
  private String lastTraceId = "";

  private byte[] lastTraceIdBytes = {};

  /** Texts that were read, each in the place that its bytes give it. */
  private final @Nullable String[] knownTexts = new String[MAX_KNOWN_TEXTS];

  private final byte[][] knownBytes = new byte[MAX_KNOWN_TEXTS][];

  CompactCursor() {
    byte[] any = "key".getBytes(ISO_8859_1);
    Arrays.fill(followers, place(any, 0, any.length));
  }

  /**
   * Begins a line.
   *
   * @param line the line and a zero byte, then anything
   */
  void begin(byte[] line) {
    in = line;
    at = 0;
    end = -1;
    isEntered = false;
    depth = 0;
  }

  /** Where the value ends that was read or skipped last; negative if none was. */
  int end() {
    return end;
  }

  @Override
  void skip() throws UnreadableLineException {
    end = afterValue(at, depth);
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
  String text(String name) throws UnreadableLineException {
    byte first = in[at];
    if (first == '"') {
      int to = plainEnd(at + 1);
      end = to + 1;
      return new String(in, at + 1, to - at - 1, ISO_8859_1);
    }
    if (first == '{' || first == '[') {
      throw notCompact();
    }
    skip();
    return first == 'n' ? "" : new String(in, at, end - at, ISO_8859_1);
  }

  @Override
  String repeatedText(String name) throws UnreadableLineException {
    if (in[at] != '"') {
      return text(name);
    }
    int from = at + 1;
    int to = plainEnd(from);
    int hash = to - from;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + in[i];
    }
    end = to + 1;
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
    while (isDigit(in[i])) {
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
    return number; // negative where it is 2^63 or more
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
    int from = expect(i, '"');
    int guess = followers[place];
    String key;
    if (isAt(from, NAME_BYTES[guess])) {
      place = guess;
      key = NAMES[guess];
      i = from + NAME_BYTES[guess].length;
    } else {
      i = plainEnd(from);
      key = name(from, i);
    }
    at = afterBlank(expect(i + 1, ':'));
    end = -1;
    return key;
  }

  /** Whether a string begins there and is this one. */
  private boolean isAt(int from, byte[] name) {
    for (int i = 0; i < name.length; i++) {
      if (in[from + i] != name[i]) {
        return false; // at the zero behind the line at the latest
      }
    }
    return in[from + name.length] == '"';
  }

  /** Looks a name up, and notes that it followed the one before. */
  private String name(int from, int to) throws UnreadableLineException {
    if (from == to || to - from > MAX_NAME) {
      throw notCompact();
    }
    for (int i = place(in, from, to); NAMES[i] != null; i = (i + 1) & (NAMES.length - 1)) {
      if (isAt(from, NAME_BYTES[i])) {
        followers[place] = i;
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
      throw notCompact(); // null among others
    }
    deeper(++depth);
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

  /** Where the next key or element begins; negative where the object or array ends. */
  private int next(char bracket) throws UnreadableLineException {
    int i = isEntered ? at : end;
    if (i < 0) {
      throw notCompact(); // nobody has read or skipped the value
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
    return afterBlank(expect(i, ','));
  }

  private int expect(int i, char expected) throws UnreadableLineException {
    if (in[i] != expected) {
      throw notCompact();
    }
    return i + 1;
  }

  private int afterBlank(int i) {
    return in[i] == ' ' ? i + 1 : i;
  }

  /** The closing quote of a string without escapes. */
  private int plainEnd(int from) throws UnreadableLineException {
    int i = from;
    while (in[i] != '"') {
      if (in[i] < ' ' || in[i] == '\\') {
        throw notCompact(); // a control character, an escape, or not ASCII, which is negative
      }
      i++;
    }
    return i;
  }

  // ---- stepping over a value

  private int afterValue(int i, int atDepth) throws UnreadableLineException {
    return switch (in[i]) {
      case '"' -> afterString(i + 1);
      case '{' -> afterObject(i + 1, atDepth + 1);
      case '[' -> afterArray(i + 1, atDepth + 1);
      case 't' -> afterLiteral(i, "true");
      case 'f' -> afterLiteral(i, "false");
      case 'n' -> afterLiteral(i, "null");
      default -> afterNumber(i);
    };
  }

  private int afterObject(int from, int atDepth) throws UnreadableLineException {
    deeper(atDepth);
    if (in[from] == '}') {
      return from + 1;
    }
    int i = from;
    while (true) {
      int name = expect(i, '"');
      i = plainEnd(name);
      if (i - name > MAX_NAME) {
        throw notCompact();
      }
      i = afterValue(afterBlank(expect(i + 1, ':')), atDepth);
      if (in[i] == '}') {
        return i + 1;
      }
      i = afterBlank(expect(i, ','));
    }
  }

  private int afterArray(int from, int atDepth) throws UnreadableLineException {
    deeper(atDepth);
    if (in[from] == ']') {
      return from + 1;
    }
    int i = from;
    while (true) {
      i = afterValue(i, atDepth);
      if (in[i] == ']') {
        return i + 1;
      }
      i = afterBlank(expect(i, ','));
    }
  }

  private int afterString(int from) throws UnreadableLineException {
    int i = from;
    while (true) {
      byte b = in[i++];
      if (b == '"') {
        return i;
      }
      if (b == '\\') {
        i = afterEscape(i);
      } else if (b < ' ') {
        i = afterNonAscii(b, i);
      }
    }
  }

  private int afterEscape(int i) throws UnreadableLineException {
    if (in[i] != 'u') {
      if (in[i] == 0 || "\"\\/bfnrt".indexOf(in[i]) < 0) {
        throw notCompact();
      }
      return i + 1;
    }
    for (int digit = i + 1; digit <= i + 4; digit++) {
      if (!isHexDigit(in[digit])) {
        throw notCompact();
      }
    }
    return i + 5;
  }

  /** Behind a character of two to four bytes. */
  private int afterNonAscii(byte first, int from) throws UnreadableLineException {
    int more = Integer.numberOfLeadingZeros(~first << 24) - 1;
    if (first >= 0 || more < 1 || more > 3) {
      throw notCompact();
    }
    for (int i = from; i < from + more; i++) {
      if ((in[i] & 0xc0) != 0x80) {
        throw notCompact();
      }
    }
    return from + more;
  }

  private int afterLiteral(int from, String literal) throws UnreadableLineException {
    int i = from;
    for (int k = 0; k < literal.length(); k++) {
      i = expect(i, literal.charAt(k));
    }
    return i;
  }

  private int afterNumber(int from) throws UnreadableLineException {
    int whole = in[from] == '-' ? from + 1 : from;
    int i = afterDigits(whole);
    if (in[whole] == '0' && i > whole + 1) {
      throw notCompact();
    }
    if (in[i] == '.') {
      i = afterDigits(i + 1);
    }
    if (in[i] == 'e' || in[i] == 'E') {
      i++;
      i = afterDigits(in[i] == '+' || in[i] == '-' ? i + 1 : i);
    }
    return i;
  }

  private int afterDigits(int from) throws UnreadableLineException {
    int i = from;
    while (isDigit(in[i])) {
      i++;
    }
    if (i == from || i - from > MAX_DIGITS) {
      throw notCompact();
    }
    return i;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  private static boolean isHexDigit(byte b) {
    return isDigit(b) || (b >= 'a' && b <= 'f') || (b >= 'A' && b <= 'F');
  }

  private static void deeper(int depth) throws UnreadableLineException {
    if (depth > MAX_DEPTH) {
      throw notCompact();
    }
  }

  private static UnreadableLineException notCompact() {
    return new UnreadableLineException("not compact");
  }
}
