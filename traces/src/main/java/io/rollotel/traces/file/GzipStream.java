package io.rollotel.traces.file;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * Decompresses gzip data with one or several members. The JDK's class handles empty members by
 * recursion: some thousand of them, 20 bytes each, would overflow the stack.
 */
public final class GzipStream extends GZIPInputStream {

  private static final int MOST_EMPTY_MEMBERS = 100;

  private final Inflater own;
  private int depth;

  /** Reads the header. */
  public GzipStream(InputStream in, int bufferBytes) throws IOException {
    super(in, bufferBytes);
    own = inf;
  }

  /**
   * Reads the header.
   *
   * @param shared an inflater to use instead of a new one; it is reset before, and still usable
   *     when the stream is closed
   */
  public GzipStream(InputStream in, int bufferBytes, Inflater shared) throws IOException {
    this(in, bufferBytes);
    shared.reset();
    inf = shared;
  }

  @Override
  public void close() throws IOException {
    inf = own; // super.close() ends it, but must not end the shared one
    super.close();
  }

  @Override
  public int read(byte[] target, int from, int length) throws IOException {
    if (depth > MOST_EMPTY_MEMBERS) {
      throw new ZipException("more than " + MOST_EMPTY_MEMBERS + " empty members in a row");
    }
    depth++;
    try {
      return super.read(target, from, length);
    } finally {
      depth--;
    }
  }
}
