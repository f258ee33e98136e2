package io.rollotel.traces.partition;

import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.UnreadableLine;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.Recordings;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The contents of the recorder files in the directories: spans that are not in the traces, ended or
 * open. They are read again each time, and stay in memory.
 */
final class Recovered {

  /** Of the empty one. */
  static final Recovered NONE = new Recovered();

  private final List<Recording> recordings = new ArrayList<>();
  private final List<Span> spans = new ArrayList<>();
  private final List<List<UnreadableLine>> unreadable = new ArrayList<>();

  private Recovered() {}

  /**
   * Reads them.
   *
   * @param files by partition, where the spans of the traces are
   */
  static Recovered read(
      List<Path> dirs,
      PartitionFiles files,
      int partitions,
      ResourceTable resources,
      LiveSources live,
      int threads)
      throws IOException {
    Recovered recovered = new Recovered();
    List<Recording> all = new ArrayList<>();
    Map<String, Set<String>> asked = new HashMap<>();
    for (Path dir : dirs) {
      Recordings found = Recordings.read(dir);
      recovered.unreadable.add(TracesReader.unreadable(dir, found));
      for (Recording recording : found.all()) {
        all.add(recording);
        for (OpenSpan span : recording.open()) {
          ask(asked, span.traceId(), span.spanId());
        }
        for (Span span : recording.isAlive() ? List.<Span>of() : recording.ended()) {
          ask(asked, span.traceId(), span.spanId());
        }
      }
    }
    if (all.isEmpty()) {
      return recovered;
    }
    Set<String> read = read(asked, files, partitions, resources, live, threads);
    for (Recording recording : all) {
      for (Span span : recording.isAlive() ? List.<Span>of() : recording.ended()) {
        if (read.add(span.traceId() + span.spanId())) {
          recovered.spans.add(span);
        }
      }
      recovered.recordings.add(
          recording.without(span -> read.contains(span.traceId() + span.spanId())));
    }
    return recovered;
  }

  private static void ask(Map<String, Set<String>> asked, String traceId, String spanId) {
    asked.computeIfAbsent(traceId, id -> new HashSet<>()).add(spanId);
  }

  /** Those of the spans that are in the traces, by both ids. */
  private static Set<String> read(
      Map<String, Set<String>> asked,
      PartitionFiles files,
      int partitions,
      ResourceTable resources,
      LiveSources live,
      int threads)
      throws IOException {
    Set<String> found = ConcurrentHashMap.newKeySet();
    boolean[] isAsked = new boolean[partitions];
    for (String traceId : asked.keySet()) {
      isAsked[TraceHash.partition(traceId, partitions)] = true;
    }
    BlockReader.Filter filter =
        (source, traceId) -> live.isLive(source) && asked.containsKey(traceId);
    BlockReader.Sink sink =
        span -> {
          Set<String> ids = asked.get(span.traceId());
          if (ids != null && ids.contains(span.spanId())) {
            found.add(span.traceId() + span.spanId());
          }
        };
    Parallel.run(
        threads,
        partitions,
        numbers -> {
          try (BlockReader reader = new BlockReader(resources.all(), Set.of())) {
            for (int partition : numbers) {
              if (isAsked[partition] && !files.isEmpty(partition)) {
                read(files, partition, reader, filter, sink);
              }
            }
          }
        });
    return found;
  }

  private static void read(
      PartitionFiles files,
      int partition,
      BlockReader reader,
      BlockReader.Filter filter,
      BlockReader.Sink sink)
      throws IOException {
    try (FileChannel channel = files.open(partition)) {
      for (PartitionFiles.Place place : files.places(partition, channel)) {
        reader.load(channel, place);
        if (reader.hasAny(filter)) {
          reader.load(channel, place);
          reader.read(filter, sink);
        }
      }
    }
  }

  List<Recording> recordings() {
    return recordings;
  }

  /** The ended ones, each once. */
  List<Span> spans() {
    return spans;
  }

  /** By directory, the files that could not be read. */
  List<List<UnreadableLine>> unreadable() {
    return unreadable;
  }
}
