package io.rollotel.traces.partition;

import io.rollotel.traces.file.ReadProgress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reads the new parts of the sources, on several threads. Every few seconds all of them write their
 * blocks, and the last one writes the manifest, from which the next process continues.
 */
final class Reading {

  private final Path dir;
  private final Manifest manifest;
  private final PartitionFiles files;
  private final ResourceTable resources;
  private final Tuning tuning;

  private final Queue<List<Piece>> units = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile long lastManifestNanos;

  private final ReadProgress progress;
  private final ReentrantLock progressing = new ReentrantLock();
  private final AtomicLong readBytes = new AtomicLong();
  private long ofBytes;

  Reading(
      Path dir,
      Manifest manifest,
      PartitionFiles files,
      ResourceTable resources,
      Tuning tuning,
      ReadProgress progress) {
    this.dir = dir;
    this.manifest = manifest;
    this.files = files;
    this.resources = resources;
    this.tuning = tuning;
    this.progress = progress;
  }

  /** Decides what is read; false if there is nothing to read or to check. */
  boolean plan() {
    List<Piece> pieces = new ArrayList<>();
    for (Source source : manifest.sources) {
      if (!source.isFinished) {
        pieces(source, pieces);
      }
    }
    ofBytes = pieces.stream().mapToLong(Piece::weight).sum();
    long unitBytes =
        Math.max(
            tuning.leastUnitBytes(),
            Math.min(tuning.mostUnitBytes(), ofBytes / (4L * tuning.threads())));
    List<List<Piece>> all = new ArrayList<>();
    List<Piece> unit = new ArrayList<>();
    long weight = 0;
    for (Piece piece : pieces) {
      for (Piece part : cut(piece, unitBytes)) {
        unit.add(part);
        weight += part.weight() * (part.source().isPacked ? PartitionOptions.GZIP_RATIO : 1);
        if (weight >= tuning.leastUnitBytes()) {
          all.add(unit);
          unit = new ArrayList<>();
          weight = 0;
        }
      }
    }
    if (!unit.isEmpty()) {
      all.add(unit);
    }
    // The longest first, because a compressed file cannot be split.
    all.sort(Comparator.comparingLong(Reading::weight).reversed());
    units.addAll(all);
    return !all.isEmpty();
  }

  private static long weight(List<Piece> unit) {
    return unit.stream()
        .mapToLong(
            piece -> piece.weight() * (piece.source().isPacked ? PartitionOptions.GZIP_RATIO : 1))
        .sum();
  }

  private static void pieces(Source source, List<Piece> pieces) {
    long size = source.look.size();
    if (source.isPacked || size == FoundFiles.NO_FILE) {
      pieces.add(new Piece(source, source.end(), Long.MAX_VALUE, true, Math.max(0, size)));
      return;
    }
    List<Source.Range> gaps = source.gaps(size);
    if (gaps.isEmpty()) {
      pieces.add(new Piece(source, size, size, true, 0)); // opened, to see whether it is the same
    }
    for (Source.Range gap : gaps) {
      pieces.add(new Piece(source, gap.from(), gap.to(), true, gap.to() - gap.from()));
    }
  }

  private static List<Piece> cut(Piece piece, long unitBytes) {
    if (piece.to() == Long.MAX_VALUE || piece.weight() <= unitBytes) {
      return List.of(piece);
    }
    List<Piece> parts = new ArrayList<>();
    for (long from = piece.from(); from < piece.to(); from += unitBytes) {
      long to = Math.min(piece.to(), from + unitBytes);
      parts.add(new Piece(piece.source(), from, to, from == piece.from(), to - from));
    }
    return parts;
  }

  long plannedBytes() {
    return ofBytes;
  }

  /** The approximate growth of the cache. */
  long neededBytes() {
    double needed = 0;
    double[] ratios = new double[3]; // of lines, of gzip, of Parquet
    for (List<Piece> unit : units) {
      for (Piece piece : unit) {
        Source source = piece.source();
        if (piece.weight() > 0) {
          int kind = !source.isPacked ? 0 : Source.isGzip(source.path) ? 1 : 2;
          ratios[kind] = ratios[kind] == 0 ? Sample.ratio(source) : ratios[kind];
          needed += ratios[kind] * piece.weight();
        }
      }
    }
    return (long) needed;
  }

  /**
   * Reads it.
   *
   * @throws IOException if the cache cannot be written, or the thread was interrupted
   */
  void run() throws IOException {
    lastManifestNanos = System.nanoTime();
    int count = Math.max(1, Math.min(tuning.threads(), units.size()));
    Phaser phaser =
        new Phaser(count) {
          @Override
          protected boolean onAdvance(int phase, int registered) {
            if (registered != 0 && failure.get() == null) {
              try {
                writeManifest();
              } catch (IOException | RuntimeException | Error e) {
                failure.compareAndSet(null, e);
              }
              lastManifestNanos = System.nanoTime();
            }
            return registered == 0;
          }
        };
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(() -> work(phaser), "roll-otel-read-" + i);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    Parallel.join(threads, failure);
    for (Source source : manifest.sources) {
      source.isFinished |= !source.isReplaced && !source.hasFailed();
    }
    progress.read(readBytes.get(), ofBytes);
    writeManifest();
  }

  private void work(Phaser phaser) {
    try (PartitionWriter writer =
        new PartitionWriter(
            files, manifest.partitions + 1, resources, tuning.budgetBytes(manifest.partitions))) {
      Worker worker = new Worker(phaser);
      SourceReader reader = new SourceReader(writer, manifest.partitions, worker, this::progress);
      worker.reader = reader;
      List<Piece> unit = units.poll();
      while (unit != null && failure.get() == null && reader.read(unit)) {
        unit = units.poll();
      }
    } catch (IOException | RuntimeException | Error e) {
      failure.compareAndSet(null, e);
    } finally {
      phaser.arriveAndDeregister();
    }
  }

  /** Pauses a thread while the manifest is written. */
  private final class Worker implements SourceReader.Stop {

    private final Phaser phaser;
    private @Nullable SourceReader reader;

    Worker(Phaser phaser) {
      this.phaser = phaser;
    }

    @Override
    public boolean goesOn() throws IOException {
      if (System.nanoTime() - lastManifestNanos >= tuning.manifestNanos() && reader != null) {
        reader.commit();
        phaser.arriveAndAwaitAdvance();
      }
      return failure.get() == null;
    }
  }

  private void writeManifest() throws IOException {
    manifest.sources.forEach(Source::noteTail);
    manifest.resourcesLength = resources.flush();
    manifest.lengths = files.lengths();
    manifest.write(dir);
  }

  private void progress(long bytes) {
    long read = readBytes.addAndGet(bytes);
    if (progressing.tryLock()) {
      try {
        progress.read(read, ofBytes);
      } finally {
        progressing.unlock();
      }
    }
  }
}
