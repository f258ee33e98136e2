package io.rollotel.traces.file;

import io.rollotel.traces.otlp.MalformedRequestException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Keeps the lines of a waiting file that no endpoint accepts, in a file of their own. */
final class RefusedLines implements Closeable {

  private static final String GZIP = ".gz";

  /** Reads the waiting file from a position; in decompressed bytes, like all positions. */
  interface Source {
    InputStream from(long bytes) throws IOException;
  }

  private final Source source;
  private final boolean isGzip;

  /** One for each waiting file, so that it has one writer. */
  private final Path file;

  /** Where the last line was read; null if none was. */
  private @Nullable InputStream reading;

  private long readBytes;
  private long count;

  RefusedLines(Path waiting, Source source) {
    this.source = source;
    String name = String.valueOf(waiting.getFileName());
    isGzip = name.endsWith(GZIP);
    file =
        waiting
            .resolveSibling(WaitingFile.REFUSED)
            .resolve(isGzip ? name.substring(0, name.length() - GZIP.length()) : name);
  }

  Path file() {
    return file;
  }

  /** How many were kept. */
  long count() {
    return count;
  }

  /** Keeps a request as a line. */
  void keep(byte[] request) throws IOException {
    try (TracesWriter writer = TracesWriter.open(file.toFile())) {
      writer.write(request, 0, request.length);
    } catch (MalformedRequestException e) {
      throw new IOException(e); // it contains spans that were read from the waiting file
    }
    count++;
  }

  /** Keeps the line between two positions. */
  void keep(long startBytes, long endBytes) throws IOException {
    // Ends the line that a kill may have truncated: no other process writes there.
    TracesWriter.open(file.toFile()).close();
    try (OutputStream out = SharedFolder.append(file.toFile())) {
      byte last = copy(from(startBytes), endBytes - startBytes, out);
      readBytes = endBytes;
      if (last != '\n') {
        out.write('\n');
      }
    } catch (IOException e) {
      close();
      throw e;
    }
    count++;
  }

  /** A compressed file is read on from the last line that was kept, not again from its start. */
  private InputStream from(long bytes) throws IOException {
    InputStream in = reading;
    if (in != null && isGzip && readBytes <= bytes) {
      in.skipNBytes(bytes - readBytes);
      return in;
    }
    close();
    in = source.from(bytes);
    reading = in;
    return in;
  }

  private static byte copy(InputStream in, long bytes, OutputStream out) throws IOException {
    byte[] buffer = new byte[64 << 10];
    byte last = '\n';
    for (long left = bytes; left > 0; ) {
      int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (read < 0) {
        break;
      }
      if (read > 0) {
        out.write(buffer, 0, read);
        last = buffer[read - 1];
        left -= read;
      }
    }
    return last;
  }

  @Override
  public void close() throws IOException {
    InputStream in = reading;
    reading = null;
    if (in != null) {
      in.close();
    }
  }
}
