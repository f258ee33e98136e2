package io.rollotel.it.kit;

import java.io.ByteArrayOutputStream;

/** Protobuf by hand. */
public final class Protobuf {

  private Protobuf() {}

  /** Writes a field of bytes: a text, or a message of its own. */
  public static void field(ByteArrayOutputStream out, int number, byte[] value) {
    out.write(number << 3 | 2);
    int length = value.length;
    for (; length > 0x7f; length >>>= 7) {
      out.write((length & 0x7f) | 0x80);
    }
    out.write(length);
    out.writeBytes(value);
  }

  /** A message with one field. */
  public static byte[] message(int number, byte[] value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    field(out, number, value);
    return out.toByteArray();
  }
}
