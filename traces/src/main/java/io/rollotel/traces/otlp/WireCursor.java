package io.rollotel.traces.otlp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A cursor over the fields of one message in protobuf's wire format.
 *
 * <p>One cursor serves a whole request: {@link #enter} narrows it to a nested message, {@link
 * #leave} widens it again.
 */
public final class WireCursor {

  public static final int VARINT = 0;
  static final int FIXED64 = 1;
  public static final int DELIMITED = 2;
  static final int FIXED32 = 5;

  private static final int GROUP_START = 3;
  private static final int GROUP_END = 4;
  private static final int MAX_GROUP_DEPTH = 64;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] bytes = {};
  private int origin;
  private int position;
  private int tagPosition;
  private int end;
  private int field;
  private int wireType;

  /** Starts a request of this many bytes at the offset. */
  public void start(byte[] request, int offset, int length) {
    bytes = request;
    origin = offset;
    position = offset;
    end = offset + length;
  }

  /** Releases the request. */
  void release() {
    start(new byte[0], 0, 0);
  }

  /** Moves to the message's next field; the value of the previous one has been read or skipped. */
  public boolean next() throws MalformedRequestException {
    if (position == end) {
      return false;
    }
    int at = position;
    tagPosition = at;
    long tag = varint();
    long number = tag >>> 3;
    if (number == 0 || number >= 1 << 29) {
      throw malformed("field number " + Long.toUnsignedString(number), at);
    }
    field = (int) number;
    wireType = (int) tag & 7;
    return true;
  }

  public int field() {
    return field;
  }

  public int wireType() {
    return wireType;
  }

  public byte[] bytes() {
    return bytes;
  }

  public int position() {
    return position;
  }

  /** The start of the field at the position, with its tag. */
  int tagPosition() {
    return tagPosition;
  }

  boolean hasMore() {
    return position < end;
  }

  /** Moves to another position in the same message. */
  public void moveTo(int position) {
    this.position = position;
  }

  /** Enters the nested message at the position; returns what {@link #leave} needs. */
  public int enter() throws MalformedRequestException {
    int length = length();
    int outerEnd = end;
    end = position + length;
    return outerEnd;
  }

  public void leave(int outerEnd) {
    position = end;
    end = outerEnd;
  }

  /** The end of the delimited value at the position, if its length takes one byte; otherwise -1. */
  int endOfShort() {
    if (position == end || bytes[position] < 0) {
      return -1;
    }
    int to = position + 1 + bytes[position];
    return to <= end ? to : -1;
  }

  public long varint() throws MalformedRequestException {
    if (position < end && bytes[position] >= 0) {
      return bytes[position++]; // nearly all tags and lengths
    }
    return longVarint();
  }

  private long longVarint() throws MalformedRequestException {
    int at = position;
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (position == end) {
        throw malformed("number cut off", at);
      }
      byte next = bytes[position++];
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw malformed("number of more than 10 bytes", at);
  }

  public int fixed32() throws MalformedRequestException {
    return (int) INT.get(bytes, take(Integer.BYTES));
  }

  public long fixed64() throws MalformedRequestException {
    return (long) LONG.get(bytes, take(Long.BYTES));
  }

  /**
   * Reads the length of a delimited value and stops at its first byte; checks that the value is
   * complete.
   */
  public int length() throws MalformedRequestException {
    int at = position;
    long length = varint();
    if (length < 0 || length > end - position) {
      throw malformed(
          "length "
              + Long.toUnsignedString(length)
              + " where "
              + (end - position)
              + " bytes are left",
          at);
    }
    return (int) length;
  }

  public void skip() throws MalformedRequestException {
    skip(0);
  }

  private void skip(int groupDepth) throws MalformedRequestException {
    switch (wireType) {
      case VARINT -> varint();
      case FIXED64 -> take(8);
      case DELIMITED -> take(length());
      case FIXED32 -> take(4);
      case GROUP_START -> skipGroup(groupDepth + 1);
      default -> throw malformed("wire type " + wireType, position);
    }
  }

  private void skipGroup(int depth) throws MalformedRequestException {
    int at = position;
    if (depth > MAX_GROUP_DEPTH) {
      throw malformed("groups nested more than " + MAX_GROUP_DEPTH + " deep", at);
    }
    int number = field;
    while (next()) {
      if (wireType == GROUP_END) {
        if (field != number) {
          throw malformed("end of group " + field + " in group " + number, position);
        }
        return;
      }
      skip(depth);
    }
    throw malformed("group cut off", at);
  }

  private int take(int count) throws MalformedRequestException {
    if (count > end - position) {
      throw malformed(
          count + " bytes wanted where " + (end - position) + " bytes are left", position);
    }
    int at = position;
    position += count;
    return at;
  }

  MalformedRequestException malformed(String what, int at) {
    return new MalformedRequestException(what, at - origin);
  }
}
