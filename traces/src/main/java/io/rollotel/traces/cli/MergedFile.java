package io.rollotel.traces.cli;

import io.rollotel.traces.otlp.JsonLine;
import io.rollotel.traces.otlp.LineTranslator;
import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.otlp.Signal;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** The new file of {@code merge}: one line for each request. For one thread. */
final class MergedFile {

  private static final int BUFFER_BYTES = 64 << 10;

  private final JsonLine line = new JsonLine();
  private final LineTranslator translator = new LineTranslator(line);
  private final OutputStream out;

  private final @Nullable GZIPOutputStream compressed;

  /** Writes to a stream, which stays open. */
  MergedFile(OutputStream to, boolean isGzip) throws IOException {
    compressed = isGzip ? new GZIPOutputStream(to, BUFFER_BYTES) : null;
    out = compressed == null ? to : compressed;
  }

  /**
   * Writes a request of spans.
   *
   * @param request in protobuf, and valid
   */
  void add(byte[] request) throws IOException {
    line.clear();
    try {
      int spans = translator.translate(Signal.TRACES, request, 0, request.length);
      if (spans == 0) {
        return;
      }
      if (!line.isWhole()) {
        // Too long for memory: it is created again, into the file.
        line.clear();
        line.spillTo(out);
        translator.translate(Signal.TRACES, request, 0, request.length);
      }
      line.newline();
      line.writeTo(out);
    } catch (MalformedRequestException e) {
      throw new IOException(e); // the reader has checked it
    }
  }

  /** Writes what is left; nothing can be added after it. */
  void finish() throws IOException {
    if (compressed != null) {
      compressed.finish();
    }
  }
}
