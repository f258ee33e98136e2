package io.rollotel.traces.partition;

import io.rollotel.traces.otlp.CallJoins;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Spans whose traces belong to a trace of another partition: they are written again, into a file of
 * that partition.
 */
final class Moves {

  private Moves() {}

  /** Whether any trace of that partition is read with another partition. */
  static boolean isMoved(CallJoins joins, String traceId, int partition, int partitions) {
    String outer = joins.traceId(traceId);
    return !outer.equals(traceId) && TraceHash.partition(outer, partitions) != partition;
  }

  /**
   * Writes them, except for those of deleted files.
   *
   * @return the files, one for each partition
   */
  static PartitionFiles make(
      Path dir,
      PartitionFiles from,
      int partitions,
      ResourceTable resources,
      CallJoins joins,
      LiveSources live,
      Tuning tuning)
      throws IOException {
    PartitionFiles to = files(dir, new long[partitions]);
    to.cut();
    if (joins.isEmpty()) {
      return to;
    }
    Parallel.run(
        tuning.threads(),
        partitions,
        numbers -> {
          try (PartitionWriter writer =
                  new PartitionWriter(to, partitions, resources, tuning.budgetBytes(partitions));
              BlockReader reader = new BlockReader(resources.all(), null)) {
            for (int partition : numbers) {
              move(from, partition, partitions, reader, writer, joins, live);
            }
            writer.flush();
          }
        });
    return to;
  }

  static PartitionFiles files(Path dir, long[] lengths) {
    return new PartitionFiles(PartitionFiles.names(dir, "m", lengths.length), lengths);
  }

  private static void move(
      PartitionFiles from,
      int partition,
      int partitions,
      BlockReader reader,
      PartitionWriter writer,
      CallJoins joins,
      LiveSources live)
      throws IOException {
    if (from.isEmpty(partition)) {
      return;
    }
    BlockReader.Filter moved =
        (source, traceId) -> live.isLive(source) && isMoved(joins, traceId, partition, partitions);
    try (FileChannel channel = from.open(partition)) {
      for (PartitionFiles.Place place : live.ordered(from.places(partition, channel))) {
        reader.load(channel, place);
        if (!reader.hasAny(moved)) {
          continue;
        }
        reader.load(channel, place);
        reader.read(
            moved,
            span -> {
              int target = TraceHash.partition(joins.traceId(span.traceId()), partitions);
              writer.add(target, span, reader.source(), 0);
            });
      }
    }
  }
}
