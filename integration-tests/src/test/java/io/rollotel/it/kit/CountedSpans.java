package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Counts the spans in traces files by their ids, of which there may be many millions. */
public final class CountedSpans {

  private long[] ids = new long[1 << 16];
  private int size;

  private CountedSpans() {}

  /** How many there are below a directory, each once. */
  public static long below(Path directory) throws IOException {
    CountedSpans spans = new CountedSpans();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(CountedSpans::isTraces).toList()) {
        ReadSummary summary = new TracesReader().read(file, span -> spans.add(span.spanId()));
        assertThat(summary.unreadableLines()).as(file.toString()).isZero();
      }
    }
    return spans.count();
  }

  private static boolean isTraces(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".jsonl") || name.endsWith(".jsonl.gz");
  }

  private void add(String id) {
    if (size == ids.length) {
      ids = Arrays.copyOf(ids, size + size / 2);
    }
    ids[size++] = Long.parseUnsignedLong(id, 16);
  }

  private long count() {
    Arrays.sort(ids, 0, size);
    return LongStream.range(0, size)
        .filter(i -> i == 0 || ids[(int) i] != ids[(int) i - 1])
        .count();
  }
}
