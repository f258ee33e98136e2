package io.rollotel.traces.report;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.PartedRuns;
import io.rollotel.traces.analysis.TraceParts;
import io.rollotel.traces.file.ByteAmount;
import io.rollotel.traces.file.ReadProgress;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.partition.PartitionOptions;
import io.rollotel.traces.partition.Partitions;
import io.rollotel.traces.spans.Spans;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads runs that do not fit into memory. Their spans are written to files, partitioned by trace
 * id, and a few partitions at a time are in memory. The files are kept, so the next report reads
 * only new data.
 */
public final class LargeRuns implements Closeable {

  /** The purpose of a report on runs that are not in memory. */
  public enum Purpose {
    /** The whole of it is printed. */
    CONTENTS,
    /** A page shows it. */
    PAGE,
    /** It is compared with another one. */
    COMPARISON,
    /** All runs stand side by side, without their profiles. */
    RUNS,
    /** Only one trace is shown. */
    TRACE
  }

  /** If all durations would take more than this of the heap, percentiles are estimated. */
  private static final double DURATIONS_OF_HEAP = 0.35;

  /** The memory of a span's duration there: by name, by worker, and in distributions of these. */
  private static final long DURATION_BYTES = 48;

  /** The additional memory if a query may match the span. */
  private static final long MATCH_BYTES = 36;

  /** If percentiles are estimated, those of at most this many durations are still exact. */
  private static final int MOST_EXACT = 1_000;

  /** The approximate memory of a span during analysis. */
  private static final long SPAN_BYTES = 450;

  /** The approximate memory needed beside the spans. */
  private static final long OTHER_BYTES = 150_000_000;

  /** The approximate size of a span in a page, including its attributes, and the maximum of all. */
  private static final long PAGE_SPAN_BYTES = 300;

  private static final long MOST_PAGE_BYTES = 500_000_000;

  private static final double MOST_OF_HEAP = 0.85;

  /** The share of the heap for the partitions that are in memory at once. */
  private static final double PARTS_OF_HEAP = 0.4;

  /**
   * The share of the heap that the recordings of a profile may have as files. 130 MB of them fit
   * into 1 GiB, beside the partitions of a million spans.
   */
  private static final double PROFILE_OF_HEAP = 0.125;

  private final Partitions partitions;
  private final RunReport report;
  private final ReadProgress analysed;

  private LargeRuns(Partitions partitions, RunReport report, ReadProgress analysed) {
    this.partitions = partitions;
    this.report = report;
    this.analysed = analysed;
  }

  /**
   * The approximate heap for all spans of some directories in memory.
   *
   * @throws IOException if a directory cannot be read
   */
  public static long heapBytes(List<Path> where) throws IOException {
    return Partitions.estimatedSpans(where) * SPAN_BYTES + OTHER_BYTES;
  }

  /**
   * The same for a page, which has attributes as well.
   *
   * @throws IOException if a directory cannot be read
   */
  public static long pageHeapBytes(List<Path> where) throws IOException {
    long pageBytes = Partitions.estimatedSpans(where) * PAGE_SPAN_BYTES;
    return heapBytes(where) + Math.min(pageBytes, MOST_PAGE_BYTES);
  }

  /** Whether this JVM's heap is probably too small for this. */
  public static boolean exceedMemory(long heapBytes) {
    return heapBytes > MOST_OF_HEAP * Runtime.getRuntime().maxMemory();
  }

  /**
   * Reads all runs below some directories, and analyses one.
   *
   * @param where as in {@link RunReport#read}
   * @param purpose the purpose of the report
   * @param cacheDir the directory of the files; null for the default
   * @param analysing creates, after the files have been read, the receiver of the progress of the
   *     analysis, in parts
   * @param notes receives lines for the user
   * @throws IOException if a directory cannot be read, or there is too little room for the files
   */
  public static LargeRuns read(
      List<Path> where,
      ReportOptions options,
      Purpose purpose,
      @Nullable Path cacheDir,
      Supplier<ReadProgress> analysing,
      Consumer<String> notes)
      throws IOException {
    PartitionOptions how =
        PartitionOptions.defaults().withProgress(options.progress()).withNotes(notes);
    Partitions partitions =
        Partitions.open(cacheDir == null ? Partitions.defaultDir(where) : cacheDir, where, how);
    boolean isRead = false;
    try {
      try {
        partitions.update();
      } finally {
        options.progress().end();
      }
      ReadProgress analysed = analysing.get();
      RunReport report = report(where, options, purpose, partitions, analysed, notes);
      LargeRuns runs = new LargeRuns(partitions, report, analysed);
      isRead = true;
      return runs;
    } finally {
      if (!isRead) {
        partitions.close();
      }
    }
  }

  private static RunReport report(
      List<Path> where,
      ReportOptions options,
      Purpose purpose,
      Partitions partitions,
      ReadProgress analysed,
      Consumer<String> notes)
      throws IOException {
    // If two runs are compared, both are in memory.
    double heap = Runtime.getRuntime().maxMemory() / (purpose == Purpose.COMPARISON ? 2.0 : 1.0);
    boolean isMatched = purpose == Purpose.CONTENTS && options.where() != null;
    long durationBytes = DURATION_BYTES + (isMatched ? MATCH_BYTES : 0);
    boolean areExact = partitions.spans() * durationBytes <= DURATIONS_OF_HEAP * heap;
    OpenSpans open = new OpenSpans(partitions.recordings()).joined(partitions.joins());
    PartedRuns.Options parted =
        new PartedRuns.Options(
            options.stepName(),
            options.isClockCorrected(),
            purpose == Purpose.COMPARISON,
            threads(partitions),
            areExact ? Integer.MAX_VALUE : MOST_EXACT,
            analysed::read);
    try {
      PartedRuns runs = new PartedRuns(parts(partitions), partitions.joins(), open, parted);
      long mostProfileBytes = (long) (PROFILE_OF_HEAP * Runtime.getRuntime().maxMemory());
      RunReport report =
          RunReport.ofParts(where, options, partitions.summary(), runs, open, mostProfileBytes);
      // While progress is reported.
      if ((purpose == Purpose.CONTENTS || purpose == Purpose.PAGE) && !report.isEmpty()) {
        report.contents();
        if (purpose == Purpose.CONTENTS) {
          report.whereRows();
        }
      }
      if (purpose != Purpose.TRACE && purpose != Purpose.RUNS && !report.isEmpty()) {
        noteProfile(report.profileBytes(), mostProfileBytes, notes);
      }
      return report;
    } finally {
      analysed.end();
    }
  }

  private static void noteProfile(long bytes, long mostBytes, Consumer<String> notes) {
    if (bytes > mostBytes) {
      notes.accept(
          String.format(
              Locale.ROOT,
              "The recordings have %s, and the heap is %s: the profile is left out. Start it with java"
                  + " -Xmx%dg.",
              ByteAmount.text(bytes),
              ByteAmount.text(Runtime.getRuntime().maxMemory()),
              1 + (long) (bytes / PROFILE_OF_HEAP / (1 << 30))));
    }
  }

  /** Reading is over: no more progress is reported. */
  public void endProgress() {
    analysed.end();
  }

  /** The report, which reads the files until they are closed. */
  public RunReport report() {
    return report;
  }

  @Override
  public void close() throws IOException {
    analysed.end(); // later requests take time as well
    partitions.close();
  }

  private static int threads(Partitions partitions) {
    long partBytes = Math.max(1, partitions.spans() / partitions.count() * SPAN_BYTES);
    double inMemory = PARTS_OF_HEAP * Runtime.getRuntime().maxMemory() / partBytes;
    return (int) Math.max(1, Math.min(Runtime.getRuntime().availableProcessors(), inMemory));
  }

  private static TraceParts parts(Partitions partitions) {
    return new TraceParts() {
      @Override
      public int count() {
        return partitions.count();
      }

      @Override
      public void read(int part, Spans spans) throws IOException {
        partitions.read(part, spans.attributesRead(), spans::add);
      }

      @Override
      public List<Span> read(int part, Predicate<String> isWanted) throws IOException {
        List<Span> chosen = new ArrayList<>();
        partitions.read(part, null, isWanted, chosen::add);
        return chosen;
      }
    };
  }
}
