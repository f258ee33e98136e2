package io.rollotel.spark;

import io.rollotel.traces.analysis.PartPasses;
import io.rollotel.traces.analysis.PartWork;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.partition.SpanBlocks;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import scala.Tuple2;

/**
 * Goes through parts on the executors of a cluster: a job for each pass. The work is broadcast.
 * What is found is added up where it was found and then, of many parts, by a few further tasks; so
 * a few results come to the driver.
 */
final class SparkPasses implements PartPasses {

  /** So many results may come to the driver at once. */
  private static final int FEW = 8;

  private static final long UNKNOWN = -1;

  private final JavaSparkContext spark;
  private final ShuffledSpans shuffled;
  private long duplicates = UNKNOWN;

  /** What a task needs. */
  private record Pass<T>(Spans numbers, PartWork<T> work) implements Serializable {

    byte[] on(Iterator<byte[]> blocks) {
      Spans spans = Spans.withNumbersOf(numbers, work.tags());
      PartSpans part = new PartSpans();
      part.read(blocks, spans.attributesRead(), spans::add);
      T found = work.none();
      work.add(found, work.of(spans));
      return Serial.bytes(new Found<>(found, part.duplicates()));
    }

    byte[] sum(Iterator<byte[]> found) {
      T all = work.none();
      long again = 0;
      while (found.hasNext()) {
        Found<T> one = Serial.object(found.next());
        work.add(all, one.found);
        again += one.duplicates;
      }
      return Serial.bytes(new Found<>(all, again));
    }
  }

  /** What was found in parts, and how many of their spans had come again. */
  private record Found<T>(T found, long duplicates) implements Serializable {}

  SparkPasses(JavaSparkContext spark, ShuffledSpans shuffled) {
    this.spark = spark;
    this.shuffled = shuffled;
  }

  @Override
  public int parts() {
    return shuffled.partitions();
  }

  @Override
  public void more(int number) {} // Spark tells its progress itself

  @Override
  public Spans read(int part, Spans numbers) {
    Spans spans = Spans.withNumbersOf(numbers);
    shuffled.collect(part).forEach(spans::add);
    return spans;
  }

  /** Spans have the attributes that the shuffle kept. */
  @Override
  public void read(Set<String> traceIds, CallJoins joins, Consumer<Span> sink) throws IOException {
    Broadcast<Sent<Chosen>> sent =
        spark.broadcast(new Sent<>(new Chosen(Set.copyOf(traceIds), joins)));
    try {
      int parts = parts();
      List<byte[]> found =
          shuffled
              .blocks()
              .mapPartitionsWithIndex(
                  (part, blocks) ->
                      part < parts
                          ? sent.value().get().of(part, blocks).iterator()
                          : List.<byte[]>of().iterator(),
                  false)
              .collect();
      SpanBlocks.Reader reader = new SpanBlocks.Reader(/* attributes= */ null);
      for (byte[] block : found) {
        reader.read(block, sink);
      }
    } finally {
      sent.destroy();
    }
  }

  /** Looks for traces. */
  private record Chosen(Set<String> traceIds, CallJoins joins) implements Serializable {

    List<byte[]> of(int part, Iterator<byte[]> blocks) {
      List<byte[]> found = new ArrayList<>();
      try (BlockQueue queue = new BlockQueue(1)) {
        long[] number = new long[1];
        new PartSpans()
            .read(
                blocks,
                /* attributes= */ null,
                span -> {
                  if (traceIds.contains(joins.traceId(span.traceId()))) {
                    queue.add(0, span, part, number[0]++);
                  }
                });
        queue.flush();
        while (!queue.isEmpty()) {
          found.add(queue.remove()._2());
        }
      }
      return found;
    }
  }

  @Override
  public <T> void each(Spans numbers, PartWork<T> work, T all) {
    Broadcast<Sent<Pass<T>>> sent = spark.broadcast(new Sent<>(new Pass<>(numbers, work)));
    try {
      each(sent, work, all);
    } finally {
      sent.destroy();
    }
  }

  private <T> void each(Broadcast<Sent<Pass<T>>> sent, PartWork<T> work, T all) {
    int parts = parts();
    JavaRDD<byte[]> found =
        shuffled
            .blocks()
            .mapPartitionsWithIndex(
                (part, blocks) ->
                    part < parts
                        ? List.of(sent.value().get().on(blocks)).iterator()
                        : List.<byte[]>of().iterator(),
                false);
    int few = parts <= FEW ? parts : Math.max(FEW, (int) Math.round(Math.sqrt(parts)));
    if (few < parts) {
      found =
          found
              .mapPartitionsWithIndex((part, one) -> numbered(part % few, one), false)
              .mapToPair(pair -> pair)
              .partitionBy(new ByNumber(few))
              .values()
              .mapPartitions(some -> List.of(sent.value().get().sum(some)).iterator());
    }
    long again = 0;
    for (byte[] bytes : found.collect()) {
      Found<T> one = Serial.object(bytes);
      work.add(all, one.found);
      again += one.duplicates;
    }
    duplicates = again;
  }

  private static Iterator<Tuple2<Integer, byte[]>> numbered(int number, Iterator<byte[]> of) {
    return of.hasNext()
        ? List.of(new Tuple2<>(number, of.next())).iterator()
        : List.<Tuple2<Integer, byte[]>>of().iterator();
  }

  /** How many spans were left out since their like was read before; known after a pass. */
  long duplicates() {
    if (duplicates == UNKNOWN) {
      throw new IllegalStateException("no part has been read");
    }
    return duplicates;
  }
}
