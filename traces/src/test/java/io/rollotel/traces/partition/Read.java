package io.rollotel.traces.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.UnreadableLine;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All that was read of some directories, in an order that does not depend on how.
 *
 * @param spans by their ids
 * @param joined where each trace belongs
 * @param open the ids of the open spans
 */
record Read(
    Map<String, String> spans,
    Map<String, String> joined,
    List<String> open,
    List<Path> files,
    long count,
    long duplicates,
    long tornLines,
    long unreadableLines,
    List<UnreadableLine> firstUnreadable) {

  /** Small pieces, and a manifest every five milliseconds. */
  static final Tuning SMALL = new Tuning(3, 2_000, 3_000, 300_000, 5_000_000);

  /** Updates the cache, and compares its answers with those of a reader of the files. */
  static void assertSame(PartitionOptions options, Path cache, Path... dirs) throws IOException {
    assertSame(options, SMALL, cache, dirs);
  }

  static void assertSame(PartitionOptions options, Tuning tuning, Path cache, Path... dirs)
      throws IOException {
    for (Set<String> attributes : choices()) {
      assertSame(attributes, options, tuning, cache, dirs);
    }
  }

  static void assertSame(
      @Nullable Set<String> attributes,
      PartitionOptions options,
      Tuning tuning,
      Path cache,
      Path... dirs)
      throws IOException {
    Read expected = byReader(attributes, dirs);
    try (Partitions partitions = Partitions.open(cache, List.of(dirs), options)) {
      partitions.tune(
          new Tuning(
              options.threads(),
              tuning.leastUnitBytes(),
              tuning.mostUnitBytes(),
              tuning.heapBytes(),
              tuning.manifestNanos()));
      partitions.update();
      Read actual = of(partitions, attributes);
      assertThat(actual.spans).isEqualTo(expected.spans);
      assertThat(actual).isEqualTo(expected);
      assertThat(partitions.spans()).isEqualTo(expected.count + expected.duplicates);
    }
  }

  /** All; those of a report; some that are not facts; none. */
  private static List<@Nullable Set<String>> choices() {
    return Arrays.asList(
        null, new Spans().attributesRead(), Set.of("thread.id", "part.size"), Set.of());
  }

  static Read of(Partitions partitions, @Nullable Set<String> attributes) throws IOException {
    Map<String, String> spans = new TreeMap<>();
    Map<String, String> joined = new TreeMap<>();
    for (int i = 0; i < partitions.count(); i++) {
      int partition = i;
      partitions.read(
          i,
          attributes,
          span -> {
            assertThat(partitions.partitionOf(span.traceId())).isEqualTo(partition);
            assertThat(spans.put(key(span), text(span))).isNull();
            join(joined, partitions.joins(), span);
          });
    }
    return read(spans, joined, partitions.recordings(), partitions.summary());
  }

  static Read byReader(@Nullable Set<String> attributes, Path... dirs) throws IOException {
    Map<String, String> spans = new TreeMap<>();
    List<Span> all = new ArrayList<>();
    TracesReader reader = new TracesReader(attributes, (bytes, ofBytes) -> {});
    ReadSummary sum = reader.read(List.of(dirs), all::add);
    // Joins are those of all attributes, whichever are passed on.
    CallJoins joins = reader.joins();
    Map<String, String> joined = new TreeMap<>();
    for (Span span : all) {
      spans.put(key(span), text(span));
    }
    if (attributes != null) {
      TracesReader whole = new TracesReader();
      whole.read(List.of(dirs), span -> {});
      joins = whole.joins();
    }
    for (Span span : all) {
      join(joined, joins, span);
    }
    return read(spans, joined, reader.recordings(), sum);
  }

  private static Read read(
      Map<String, String> spans,
      Map<String, String> joined,
      List<Recording> recordings,
      ReadSummary summary) {
    List<String> open = new ArrayList<>();
    for (Recording recording : recordings) {
      for (OpenSpan span : recording.open()) {
        open.add(span.toString());
      }
    }
    return new Read(
        spans,
        joined,
        open,
        summary.files(),
        summary.spans(),
        summary.duplicates(),
        summary.tornLines(),
        summary.unreadableLines(),
        summary.firstUnreadable());
  }

  private static void join(Map<String, String> joined, CallJoins joins, Span span) {
    String text = joins.traceId(span.traceId()) + " " + joins.parentSpanId(span.traceId());
    joined.put(span.traceId(), text + " " + joins.join(span).thinnedTraceId());
  }

  private static String key(Span span) {
    return span.traceId() + span.spanId();
  }

  /** All of it as text, because arrays of bytes are equal only if they are the same object. */
  static String text(Span span) {
    return Arrays.toString(
        new Object[] {
          span.parentSpanId(),
          span.name(),
          span.kind(),
          span.startEpochNanos(),
          span.endEpochNanos(),
          value(span.attributes()),
          span.statusCode(),
          value(span.resource().attributes()),
          span.scopeName(),
          span.failure(),
          span.weight(),
          span.thinnedTraceId(),
          span.events().stream()
              .map(e -> e.name() + " " + e.epochNanos() + value(e.attributes()))
              .toList(),
          span.links().stream()
              .map(l -> l.traceId() + " " + l.spanId() + value(l.attributes()))
              .toList()
        });
  }

  /** In order, and with its type. */
  private static String value(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> entry.getKey() + "=" + value(entry.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    } else if (value instanceof List<?> list) {
      return list.stream().map(Read::value).collect(Collectors.joining(", ", "[", "]"));
    } else if (value instanceof byte[] bytes) {
      return Arrays.toString(bytes);
    }
    return value.getClass().getSimpleName() + " " + value;
  }
}
