package io.rollotel.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.stream.Stream;

/** Which spans and which traces are in files of OTLP/JSON, where both have small numbers as ids. */
final class SpanCensus {

  private static final byte[] TRACE_ID = "\"traceId\":\"".getBytes(US_ASCII);
  private static final byte[] SPAN_ID = "\"spanId\":\"".getBytes(US_ASCII);

  final BitSet spans = new BitSet();
  final BitSet traces = new BitSet();
  long bytes;
  long duplicates;

  /** Reads all files below a directory. */
  SpanCensus(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        bytes += Files.size(file);
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
          read(in);
        }
      }
    }
  }

  /** No other text of these files holds the keys. */
  private void read(InputStream in) throws IOException {
    int ofTrace = 0;
    int ofSpan = 0;
    for (int next = in.read(); next >= 0; next = in.read()) {
      ofTrace = next == TRACE_ID[ofTrace] ? ofTrace + 1 : next == TRACE_ID[0] ? 1 : 0;
      ofSpan = next == SPAN_ID[ofSpan] ? ofSpan + 1 : next == SPAN_ID[0] ? 1 : 0;
      if (ofTrace == TRACE_ID.length) {
        ofTrace = 0;
        hexadecimal(in, 16); // the same of all
        traces.set((int) hexadecimal(in, 16));
      } else if (ofSpan == SPAN_ID.length) {
        ofSpan = 0;
        int span = (int) hexadecimal(in, 16);
        duplicates += spans.get(span) ? 1 : 0;
        spans.set(span);
      }
    }
  }

  private static long hexadecimal(InputStream in, int digits) throws IOException {
    long value = 0;
    for (int i = 0; i < digits; i++) {
      value = value << 4 | Character.digit(in.read(), 16);
    }
    return value;
  }
}
