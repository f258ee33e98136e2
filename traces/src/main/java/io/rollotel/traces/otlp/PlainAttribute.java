package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * The usual form of an attribute: a short key and a short text or a whole number, in this order,
 * each once. It is recognised by a few of its bytes and written without the tables, in half the
 * time; {@link LineTranslator} handles all others.
 */
final class PlainAttribute {

  // Field number and wire type: of the key, and of a text in the value; of the value; of a number.
  private static final byte TEXT = (1 << 3) | WireCursor.DELIMITED;
  private static final byte VALUE = (2 << 3) | WireCursor.DELIMITED;
  private static final byte NUMBER = (3 << 3) | WireCursor.VARINT;

  private static final byte[] KEY_FOLLOWS = "{\"key\":".getBytes(US_ASCII);
  private static final byte[] TEXT_FOLLOWS = ",\"value\":{\"stringValue\":".getBytes(US_ASCII);
  private static final byte[] NUMBER_FOLLOWS = ",\"value\":{\"intValue\":".getBytes(US_ASCII);
  private static final byte[] END = "}}".getBytes(US_ASCII);

  private PlainAttribute() {}

  /**
   * Writes the attribute at the cursor, which is before its length, and moves the cursor after it.
   *
   * @return whether it was a plain one; if not, nothing is written
   */
  static boolean write(WireCursor wire, JsonLine json) throws MalformedRequestException {
    byte[] bytes = wire.bytes();
    int start = wire.position();
    int end = wire.endOfShort();
    int key = start + 3;
    if (end < key || bytes[start + 1] != TEXT) {
      return false;
    }
    // A length of 128 or more is a negative byte.
    int keyLength = bytes[start + 2];
    int value = key + keyLength + 2;
    if (keyLength <= 0
        || value + 2 > end
        || bytes[value - 2] != VALUE
        || bytes[value - 1] != end - value) {
      return false;
    }
    if (bytes[value] == TEXT && bytes[value + 1] == end - value - 2) {
      key(wire, json, key, keyLength);
      json.raw(TEXT_FOLLOWS);
      text(wire, json, "stringValue", value + 2, end - value - 2);
    } else if (bytes[value] == NUMBER && bytes[end - 1] >= 0) {
      wire.moveTo(value + 1);
      long number = wire.varint();
      if (wire.position() != end) {
        wire.moveTo(start);
        return false; // something follows
      }
      key(wire, json, key, keyLength);
      json.raw(NUMBER_FOLLOWS);
      json.quotedNumber(number);
    } else {
      return false;
    }
    json.raw(END);
    wire.moveTo(end);
    return true;
  }

  private static void key(WireCursor wire, JsonLine json, int at, int length)
      throws MalformedRequestException {
    json.key(KEY_FOLLOWS);
    text(wire, json, "key", at, length);
  }

  private static void text(WireCursor wire, JsonLine json, String name, int at, int length)
      throws MalformedRequestException {
    int bad = json.string(wire.bytes(), at, length);
    if (bad >= 0) {
      throw wire.malformed("invalid UTF-8 in " + name, bad);
    }
  }
}
