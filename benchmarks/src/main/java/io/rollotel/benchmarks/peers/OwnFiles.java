package io.rollotel.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** What our agent kept in a process's own file because the sink did not take it in time. */
final class OwnFiles {

  /** Of a span without links, once. */
  private static final String MARK = "\"spanId\":\"";

  private OwnFiles() {}

  /** The ids of the spans that lie below the folder of a run; they are gone afterwards. */
  static long[] taken(Path work) throws IOException {
    Path traces = work.resolve("output/otlp/traces");
    if (!Files.isDirectory(traces)) {
      return new long[0];
    }
    List<Path> files;
    try (Stream<Path> found = Files.list(traces)) {
      files = found.filter(file -> file.toString().endsWith(".jsonl")).toList();
    }
    LongStream.Builder spans = LongStream.builder();
    for (Path file : files) {
      try (Stream<String> lines = Files.lines(file)) {
        lines.forEach(line -> find(line, spans));
      }
      Files.delete(file);
    }
    return spans.build().toArray();
  }

  private static void find(String line, LongStream.Builder spans) {
    for (int at = line.indexOf(MARK); at >= 0; at = line.indexOf(MARK, at)) {
      at += MARK.length();
      spans.add(Long.parseUnsignedLong(line, at, at + 16, 16));
    }
  }
}
