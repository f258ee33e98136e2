package io.rollotel.traces.otlp;

/** Checks for well-formed UTF-8. */
final class Utf8 {

  private Utf8() {}

  /** The size of a sequence of two to four bytes, 0 if ill-formed: Unicode 16, table 3-7. */
  static int sequenceSize(byte[] bytes, int at, int to) {
    int lead = bytes[at] & 0xff;
    int size = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (size == 0 || size > to - at) {
      return 0;
    }
    int second = bytes[at + 1] & 0xff;
    int lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    int highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (second < lowest || second > highest) {
      return 0;
    }
    for (int i = at + 2; i < at + size; i++) {
      if ((bytes[i] & 0xc0) != 0x80) {
        return 0;
      }
    }
    return size;
  }
}
