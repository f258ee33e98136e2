package io.rollotel.traces.partition;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The first bytes of a file, which contain ids that no other file has. */
final class Head {

  private static final int MOST = 16 << 10;

  private final byte[] bytes;
  private final int length;

  private Head(byte[] bytes, int length) {
    this.bytes = bytes;
    this.length = length;
  }

  int length() {
    return length;
  }

  static Head of(FileChannel channel) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(MOST);
    while (buffer.hasRemaining() && channel.read(buffer, buffer.position()) >= 0) {
      // until it is full, or the file ends
    }
    return new Head(buffer.array(), buffer.position());
  }

  static Head of(InputStream in) throws IOException {
    byte[] bytes = new byte[MOST];
    return new Head(bytes, in.readNBytes(bytes, 0, MOST));
  }

  boolean beginsAs(int otherLength, long otherHash) {
    return length >= otherLength && (otherLength == 0 || hash(otherLength) == otherHash);
  }

  long hash(int ofLength) {
    return hash(bytes, ofLength);
  }

  /** Of the first bytes of an array. */
  static long hash(byte[] bytes, int ofLength) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(bytes, 0, ofLength);
      return ByteBuffer.wrap(digest.digest()).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each JDK has it", e);
    }
  }
}
