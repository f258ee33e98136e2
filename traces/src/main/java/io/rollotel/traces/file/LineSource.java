package io.rollotel.traces.file;

import java.io.IOException;
import java.io.InputStream;

/**
 * The lines of a file, each as a stream that ends where the line ends.
 *
 * <p>A line of any length takes no more than the buffer, and whatever a reader makes of a line, the
 * next one begins after the newline.
 */
final class LineSource extends InputStream {

  private final InputStream in;
  private final byte[] buffer = new byte[64 << 10];
  private int position;
  private int limit;
  private long lineNumber;
  private boolean isLineOpen;
  private boolean isFileAtEnd;

  LineSource(InputStream in) {
    this.in = in;
  }

  /** Steps to the next line, over what is left of this one; false at the end of the file. */
  boolean nextLine() throws IOException {
    while (isLineOpen) {
      skipBuffered();
    }
    if (position == limit && !fill()) {
      return false;
    }
    lineNumber++;
    isLineOpen = true;
    return true;
  }

  /** The number of the line, from 1. */
  long lineNumber() {
    return lineNumber;
  }

  /** Whether the line ends with the file instead of a newline; reads the rest of the line. */
  boolean endsWithFile() throws IOException {
    while (isLineOpen) {
      skipBuffered();
    }
    return isFileAtEnd;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    if (!isLineOpen || (position == limit && !fill())) {
      isLineOpen = false;
      return -1;
    }
    int end = Math.min(limit, position + length);
    int at = position;
    while (at < end && buffer[at] != '\n') {
      at++;
    }
    int count = at - position;
    System.arraycopy(buffer, position, bytes, offset, count);
    position = at;
    if (at < end) {
      position++; // over the newline
      isLineOpen = false;
    }
    return count == 0 && length != 0 ? -1 : count;
  }

  private void skipBuffered() throws IOException {
    if (position == limit && !fill()) {
      isLineOpen = false;
      return;
    }
    while (isLineOpen && position < limit) {
      isLineOpen = buffer[position++] != '\n';
    }
  }

  private boolean fill() throws IOException {
    position = 0;
    limit = 0;
    int count = in.read(buffer);
    if (count < 0) {
      isFileAtEnd = true;
      return false;
    }
    limit = count;
    return true;
  }
}
