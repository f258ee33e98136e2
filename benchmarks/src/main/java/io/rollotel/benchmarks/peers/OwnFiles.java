package io.rollotel.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What our agent kept in a process's own file because the sink did not take it in time. */
final class OwnFiles {

  /** Of a span, once. */
  private static final String MARK = "\"startTimeUnixNano\"";

  private OwnFiles() {}

  /** How many spans lie below the folder of a run; they are gone afterwards. */
  static long taken(Path work) throws IOException {
    Path traces = work.resolve("output/otlp/traces");
    if (!Files.isDirectory(traces)) {
      return 0;
    }
    List<Path> files;
    try (Stream<Path> found = Files.list(traces)) {
      files = found.filter(file -> file.toString().endsWith(".jsonl")).toList();
    }
    long spans = 0;
    for (Path file : files) {
      try (Stream<String> lines = Files.lines(file)) {
        spans += lines.mapToLong(OwnFiles::marks).sum();
      }
      Files.delete(file);
    }
    return spans;
  }

  private static long marks(String line) {
    long marks = 0;
    for (int at = line.indexOf(MARK); at >= 0; at = line.indexOf(MARK, at + 1)) {
      marks++;
    }
    return marks;
  }
}
