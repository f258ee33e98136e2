package io.rollotel.spark;

import io.rollotel.traces.file.FirstUnreadable;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.UnreadableLine;
import io.rollotel.traces.partition.SpanBlocks;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.SerializableConfiguration;
import scala.Tuple2;

/**
 * All spans in partitions by trace, as blocks on the disks of the executors; the traces of calls
 * that belong together are in one partition.
 *
 * <p>They are kept on disk: the heap is for the parts that are analysed, which Spark's memory
 * management does not know about.
 */
final class ShuffledSpans {

  private final int partitions;
  private final List<Path> files;
  private final List<PieceCounts> counts = new ArrayList<>();
  private final CallJoins joins = new CallJoins();
  private final JavaRDD<byte[]> blocks;

  /** How many duplicates were skipped so far; the others are found during reading. */
  private long duplicates;

  /**
   * Reads all files.
   *
   * @param partitions a power of two
   * @param isWhole whether spans keep all attributes, events and links, which no analysis reads
   */
  ShuffledSpans(
      JavaSparkContext spark, InputFiles input, long pieceBytes, int partitions, boolean isWhole) {
    this.partitions = partitions;
    this.files = input.paths();
    Broadcast<SerializableConfiguration> configuration =
        spark.broadcast(new SerializableConfiguration(spark.hadoopConfiguration()));
    // As bytes: the serializer that Spark has for them need not know records.
    List<byte[]> pieces = input.pieces(pieceBytes).stream().map(Serial::bytes).toList();
    JavaRDD<byte[]> dealt =
        spark
            .parallelize(pieces, Math.max(1, pieces.size()))
            .flatMapToPair(piece -> read(Serial.object(piece), configuration, partitions, isWhole))
            .partitionBy(new ByNumber(partitions + 2))
            .values();
    List<byte[]>[] collected = dealt.collectPartitions(new int[] {partitions, partitions + 1});
    new PartSpans().read(collected[0].iterator(), /* attributes= */ null, joins::see);
    collected[1].forEach(bytes -> counts.add(Serial.object(bytes)));
    counts.sort(
        Comparator.<PieceCounts>comparingInt(one -> one.piece.rank())
            .thenComparingLong(one -> one.piece.from()));
    this.blocks = joins.isEmpty() ? dealt : joined(spark, dealt);
    blocks.persist(StorageLevel.DISK_ONLY());
  }

  private static Iterator<Tuple2<Integer, byte[]>> read(
      FilePiece piece,
      Broadcast<SerializableConfiguration> configuration,
      int partitions,
      boolean isWhole) {
    PieceReader reader = new PieceReader(piece, configuration.value().value(), partitions, isWhole);
    TaskContext.get()
        .addTaskCompletionListener(
            context -> {
              try {
                reader.close();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    return reader;
  }

  /** Redistributes the spans by the traces that they are parts of. */
  private JavaRDD<byte[]> joined(JavaSparkContext spark, JavaRDD<byte[]> dealt) {
    int count = partitions;
    Broadcast<Sent<CallJoins>> sent = spark.broadcast(new Sent<>(joins));
    JavaRDD<byte[]> joined =
        dealt
            .mapPartitionsWithIndex(
                (part, of) ->
                    part < count ? dealtAnew(part, of, sent.value().get(), count) : none(),
                false)
            .mapToPair(pair -> pair)
            .partitionBy(new ByNumber(count + 1))
            .values();
    for (byte[] again : joined.collectPartitions(new int[] {count})[0]) {
      Long number = Serial.object(again);
      duplicates += number;
    }
    return joined;
  }

  private static Iterator<Tuple2<Integer, byte[]>> none() {
    return List.<Tuple2<Integer, byte[]>>of().iterator();
  }

  private static Iterator<Tuple2<Integer, byte[]>> dealtAnew(
      int part, Iterator<byte[]> of, CallJoins joins, int partitions) {
    List<Tuple2<Integer, byte[]>> dealt = new ArrayList<>();
    try (BlockQueue queue = new BlockQueue(partitions)) {
      PartSpans spans = new PartSpans();
      long[] number = new long[1];
      spans.read(
          of,
          /* attributes= */ null,
          span -> {
            int to = SpanBlocks.partition(joins.traceId(span.traceId()), partitions);
            queue.add(to, span, part, number[0]++);
          });
      queue.flush();
      while (!queue.isEmpty()) {
        dealt.add(queue.remove());
      }
      dealt.add(new Tuple2<>(partitions, Serial.bytes(spans.duplicates())));
    }
    return dealt.iterator();
  }

  /** How many partitions have spans. */
  int partitions() {
    return partitions;
  }

  /** Block by block; there may be more partitions than have spans, with something else. */
  JavaRDD<byte[]> blocks() {
    return blocks;
  }

  CallJoins joins() {
    return joins;
  }

  /** The number of spans in the files; a span delivered twice counts twice. */
  long spans() {
    return counts.stream().mapToLong(one -> one.spans).sum();
  }

  /**
   * What reading has met.
   *
   * @param moreDuplicates how many spans were left out when the parts were read
   */
  ReadSummary summary(long moreDuplicates) {
    long again = duplicates + moreDuplicates;
    long torn = counts.stream().mapToLong(one -> one.tornLines).sum();
    long unreadable = counts.stream().mapToLong(one -> one.unreadableLines).sum();
    FirstUnreadable named = new FirstUnreadable();
    long[] linesBefore = new long[files.size()];
    for (PieceCounts one : counts) {
      int rank = one.piece.rank();
      for (PieceCounts.Unreadable line : one.firstUnreadable) {
        long number = line.line() == 0 ? 0 : linesBefore[rank] + line.line();
        named.add(new UnreadableLine(files.get(rank), number, line.reason()));
      }
      linesBefore[rank] += one.lines;
    }
    return new ReadSummary(files, spans() - again, again, torn, unreadable, named.lines());
  }

  /** The spans of one part, brought here. */
  List<Span> collect(int part) {
    List<Span> spans = new ArrayList<>();
    Iterator<byte[]> of =
        Arrays.asList(blocks.collectPartitions(new int[] {part})).get(0).iterator();
    new PartSpans().read(of, new Spans().attributesRead(), spans::add);
    return spans;
  }
}
