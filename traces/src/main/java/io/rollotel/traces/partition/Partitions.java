package io.rollotel.traces.partition;

import io.rollotel.traces.file.FirstUnreadable;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.SeenSpans;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.otlp.UnreadableLine;
import io.rollotel.traces.recording.Recording;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The spans of directories, partitioned by trace id, in a cache on disk: the same spans that {@link
 * io.rollotel.traces.file.TracesReader} reads, in parts that fit into memory.
 *
 * <p>{@link #update} reads what is new. It can be stopped at any moment, even by killing the
 * process: the next one continues from a few seconds earlier. A file that has grown is read from
 * its former end, a renamed or compressed file is recognised, and deleted or replaced files no
 * longer count.
 *
 * <p>Reading takes the following memory. Each thread needs a line and its spans, and a buffer of
 * blocks. All threads together need an eighth of the heap for spans that have not been written yet.
 * Resources stay in memory, and so do the joins of calls, see {@link CallJoins}.
 *
 * <p>{@link #update} and {@link #close} are for one thread; the rest is for any, in between.
 */
public final class Partitions implements Closeable {

  private static final int MOST_ROUNDS = 5;

  /** With less free space, the disk counts as full. */
  private static final long LEAST_FREE_BYTES = 16L << 20;

  /** For files smaller than this, no space is estimated. */
  private static final long SMALL_BYTES = 64L << 20;

  /** For more disk space than this, a line is printed first. */
  private static final long LARGE_BYTES = 1_000_000_000;

  private static final long UNKNOWN = -1;

  private final Path dir;
  private final List<Path> where;
  private final PartitionOptions options;
  private final CacheLock lock;
  private final CacheContents cache;

  // The result of the last update.
  private LiveSources live;
  private CallJoins joins = new CallJoins();
  private Recovered recovered = Recovered.NONE;
  private List<List<UnreadableLine>> unreadable = List.of();

  /** The number of duplicates by partition; known after reading it. */
  private AtomicLongArray duplicates = new AtomicLongArray(0);

  private boolean isUsable;

  /** For tests; null to derive it from the options and the heap. */
  private @Nullable Tuning tuning;

  private Partitions(Path dir, List<Path> where, PartitionOptions options, CacheLock lock)
      throws IOException {
    this.dir = dir;
    this.where = List.copyOf(where);
    this.options = options;
    this.lock = lock;
    this.cache = new CacheContents(dir, options);
    this.live = new LiveSources(cache.manifest());
  }

  /**
   * Opens the cache of some directories, or creates one.
   *
   * @param cacheDir an empty directory, or a cache; created if missing
   * @param dirs directories or files as for {@link io.rollotel.traces.file.TracesReader#read}
   * @throws java.nio.file.NoSuchFileException if a path does not exist
   * @throws IOException if the directory cannot be used, for example because another process uses
   *     it
   */
  public static Partitions open(Path cacheDir, List<Path> dirs, PartitionOptions options)
      throws IOException {
    FoundFiles.in(dirs); // before a directory is created for missing input
    Path dir = CacheDir.make(cacheDir);
    CacheLock lock = CacheLock.take(dir);
    boolean isOpened = false;
    try {
      Partitions partitions = new Partitions(dir, dirs, options, lock);
      isOpened = true;
      return partitions;
    } finally {
      if (!isOpened) {
        lock.close();
      }
    }
  }

  /**
   * The cache's default location for some directories: {@code report-cache} in a directory that is
   * alone; of several, or of a file, {@code report-cache-} and a hash of their paths in the first
   * directory, or beside the first file. If that location is not writable, the directory for
   * temporary files.
   */
  public static Path defaultDir(List<Path> dirs) throws IOException {
    return CacheDir.byDefault(dirs);
  }

  /**
   * The approximate number of spans in some directories, by the sizes of their files.
   *
   * @throws java.nio.file.NoSuchFileException if a path does not exist
   * @throws IOException if a directory cannot be read
   */
  public static long estimatedSpans(List<Path> dirs) throws IOException {
    return FoundFiles.in(dirs).estimatedSpans();
  }

  /** For tests. */
  void tune(Tuning other) {
    tuning = other;
  }

  /**
   * Reads data that is new since the last time; then the spans of all partitions can be read. After
   * an exception, it can be called again and continues.
   *
   * @throws DiskSpaceException if there is too little room for the cache
   * @throws IOException if a directory cannot be read, or the cache cannot be written; files that
   *     cannot be read are in {@link #summary}
   */
  public void update() throws IOException {
    if (!isUsable && !cache.manifest().sources.isEmpty()) {
      cache.reload(); // what the last one has left
    }
    isUsable = false;
    long neededBytes = 0;
    try {
      boolean isSettled = false;
      for (int round = 0; round < MOST_ROUNDS && !isSettled; round++) {
        FoundFiles found = FoundFiles.in(where);
        unreadable = found.unreadable();
        cache.settle(found);
        Manifest manifest = cache.manifest();
        Tuning tuned = tuned();
        Reading reading =
            new Reading(dir, manifest, cache.files(), cache.resources(), tuned, options.progress());
        if (reading.plan() || found.isChanged()) {
          neededBytes = reading.neededBytes();
          checkSpace(reading, neededBytes);
          if (neededBytes > LARGE_BYTES) {
            options.notes().accept(DiskSpaceException.announcement(dir, neededBytes));
          }
          manifest.movedLengths = null;
          reading.run();
        }
        isSettled = manifest.sources.stream().noneMatch(source -> source.isReplaced);
      }
      finish();
    } catch (DiskSpaceException e) {
      throw e;
    } catch (DamagedException e) {
      throw damaged(e);
    } catch (IOException e) {
      long free = CacheDir.freeBytes(dir);
      if (free < LEAST_FREE_BYTES) {
        DiskSpaceException full = new DiskSpaceException(dir, neededBytes, free);
        full.initCause(e);
        throw full;
      }
      throw e;
    }
    isUsable = true;
  }

  private Tuning tuned() {
    Tuning given = tuning;
    return given == null ? Tuning.of(options.threads(), count()) : given;
  }

  private void checkSpace(Reading reading, long neededBytes) throws IOException {
    long free = CacheDir.freeBytes(dir);
    if (reading.plannedBytes() > SMALL_BYTES && neededBytes + LEAST_FREE_BYTES > free) {
      throw new DiskSpaceException(dir, neededBytes, free);
    }
  }

  private void finish() throws IOException {
    live = new LiveSources(cache.manifest());
    joins = cache.joins(live);
    cache.move(joins, live, tuned());
    duplicates = new AtomicLongArray(count());
    for (int i = 0; i < count(); i++) {
      duplicates.set(i, UNKNOWN);
    }
    recovered =
        Recovered.read(where, cache.files(), count(), cache.resources(), live, tuned().threads());
  }

  private IOException damaged(DamagedException e) {
    return new IOException("the cache " + dir + " is damaged: delete it, and it is rebuilt", e);
  }

  /** How many partitions there are. */
  public int count() {
    return cache.partitions();
  }

  /** The number of spans; a span delivered twice counts twice. */
  public long spans() {
    return cache.manifest().spans() + recovered.spans().size();
  }

  /**
   * A summary of everything read. Its spans and duplicates are exact once all partitions have been
   * read; until then, spans of unread partitions count as distinct.
   */
  public ReadSummary summary() {
    long again = 0;
    for (int i = 0; i < duplicates.length(); i++) {
      again += Math.max(0, duplicates.get(i));
    }
    List<Path> paths = new ArrayList<>();
    List<List<UnreadableLine>> first = new ArrayList<>();
    long torn = 0;
    long skipped = 0;
    for (List<UnreadableLine> ofDir : unreadable) {
      first.add(new ArrayList<>(ofDir));
      skipped += ofDir.size();
    }
    for (Source source : cache.manifest().sources) {
      paths.add(source.path);
      torn += source.tornLines();
      skipped += source.unreadableLines();
      for (Source.Problem problem : source.problems()) {
        first
            .get(source.dir)
            .add(new UnreadableLine(source.path, problem.line(), problem.reason()));
      }
    }
    List<UnreadableLine> named = new ArrayList<>();
    for (int i = 0; i < first.size(); i++) {
      List<UnreadableLine> ofDir = first.get(i);
      if (i < recovered.unreadable().size()) {
        skipped += recovered.unreadable().get(i).size();
        ofDir.addAll(recovered.unreadable().get(i));
      }
      FirstUnreadable firstOfDir = new FirstUnreadable();
      ofDir.forEach(firstOfDir::add);
      named.addAll(firstOfDir.lines());
    }
    return new ReadSummary(paths, spans() - again, again, torn, skipped, named);
  }

  /** Which spans belong together although they are in several traces. */
  public CallJoins joins() {
    return joins;
  }

  /** The recorder files; a span that is in the traces is no longer open. */
  public List<Recording> recordings() {
    return recovered.recordings();
  }

  /**
   * The partition in which a trace is read: if it is a part of another trace, the partition of that
   * one.
   *
   * @param traceId as in {@link Span#traceId}
   */
  public int partitionOf(String traceId) {
    return TraceHash.partition(joins.traceId(traceId), count());
  }

  /**
   * Passes on the spans of a partition: the first one of each trace id and span id, and all spans
   * of a trace, together with those of the traces that {@link #joins} makes parts of it. They still
   * have their original trace ids: {@code Spans.joinCalls} joins them. Meanwhile, a reader
   * remembers their ids, 16 to 72 bytes each.
   *
   * @param attributes the attributes to pass on; null for all, including events and links
   * @throws IOException if the cache cannot be read
   */
  public void read(int partition, @Nullable Set<String> attributes, Consumer<Span> sink)
      throws IOException {
    duplicates.set(partition, read(partition, attributes, traceId -> true, sink));
  }

  /**
   * The same of chosen traces.
   *
   * @param isWanted receives the original trace ids of spans
   * @return the number of duplicates among them
   * @throws IOException if the cache cannot be read
   */
  public long read(
      int partition,
      @Nullable Set<String> attributes,
      Predicate<String> isWanted,
      Consumer<Span> sink)
      throws IOException {
    if (!isUsable) {
      throw new IllegalStateException("update() has not come to its end");
    }
    int count = count();
    SeenSpans seen = new SeenSpans();
    long[] again = new long[1];
    BlockReader.Sink each =
        span -> {
          if (seen.add(span.traceId(), span.spanId())) {
            sink.accept(span);
          } else {
            again[0]++;
          }
        };
    boolean hasMoved = !joins.isEmpty();
    try (BlockReader reader = new BlockReader(cache.resources().all(), attributes)) {
      read(
          cache.files(),
          partition,
          reader,
          (source, traceId) ->
              live.isLive(source)
                  && isWanted.test(traceId)
                  && !(hasMoved && Moves.isMoved(joins, traceId, partition, count)),
          each);
      read(
          cache.moved(),
          partition,
          reader,
          (source, traceId) -> live.isLive(source) && isWanted.test(traceId),
          each);
    } catch (DamagedException e) {
      throw damaged(e);
    }
    for (Span span : recovered.spans()) {
      if (partitionOf(span.traceId()) == partition && isWanted.test(span.traceId())) {
        sink.accept(span);
      }
    }
    return again[0];
  }

  private void read(
      PartitionFiles from,
      int partition,
      BlockReader reader,
      BlockReader.Filter filter,
      BlockReader.Sink sink)
      throws IOException {
    if (from.isEmpty(partition)) {
      return;
    }
    try (FileChannel channel = from.open(partition)) {
      List<PartitionFiles.Place> places = from.places(partition, channel);
      // A moved trace comes from one partition, and in its order.
      for (PartitionFiles.Place place : from == cache.moved() ? places : live.ordered(places)) {
        reader.load(channel, place);
        reader.read(filter, sink);
      }
    }
  }

  /** Releases the cache for other processes; it stays on the disk. */
  @Override
  public void close() throws IOException {
    isUsable = false;
    lock.close();
  }
}
