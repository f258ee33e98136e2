package io.rollotel.agent.recorder;

import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.traces.recording.RecordingLayout;
import java.io.File;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records which spans are open and which have ended, in a file that outlives this process. Nothing
 * here throws or waits; what cannot be recorded is counted in the file. For any threads, virtual
 * ones too.
 */
public final class Recorder implements AutoCloseable {

  private static final class EpochNanos implements LongSupplier {

    @Override
    public long getAsLong() {
      return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    }
  }

  /** Used instead of a slot if the span does not know it. */
  public static final int BY_ID = -1;

  /** See {@link #left}; a power of two. */
  private static final int MOST_LEFT = 256;

  private static final VarHandle LEFT = MethodHandles.arrayElementVarHandle(int[].class);

  private final int bytes;
  private final File folder;

  /**
   * Slots that the next {@link #beat} frees: the application's stack was too full to call {@code
   * free}, but not to write into an array. If two threads write at once, or more than 256 slots
   * gather, some stay taken.
   */
  private final int[] left = new int[MOST_LEFT];

  private int leftAt;

  /** Null before it is opened, and after it was closed or has failed. */
  private volatile @Nullable RecorderMap map;

  /** The same, but null once the spans that start do not matter any more. */
  private volatile @Nullable RecorderMap starts;

  /** The file that {@link #make} has created and that is not open yet. Guarded by this. */
  private @Nullable RecorderMap made;

  /** Guarded by this. */
  private boolean wasMade;

  /**
   * Touches nothing yet.
   *
   * @param bytes the file's size; 0 for none
   * @param folder the folder for it
   */
  public Recorder(int bytes, File folder) {
    this.bytes = bytes == 0 ? 0 : Math.max(RecordingLayout.LEAST_BYTES, bytes);
    this.folder = folder;
  }

  /** Whether a file is wanted. */
  public boolean isWanted() {
    return bytes != 0;
  }

  /**
   * Makes the file, which is most of the work and may be done ahead, on any thread; a second call
   * does nothing.
   *
   * @param name the file's, without its ending
   */
  public synchronized void make(String name) {
    if (wasMade || bytes == 0) {
      return;
    }
    wasMade = true;
    try {
      made = RecorderMap.make(folder, name, bytes, new EpochNanos());
    } catch (IOException | RuntimeException | Error e) {
      String line = "open spans are not recorded: no file in " + folder + " (" + e + ")";
      File outputDir = folder.getParentFile();
      if (outputDir != null && outputDir.isDirectory()) {
        AgentLog.warn(line);
      } else {
        AgentLog.info(line); // a missing directory is reported elsewhere
      }
    }
  }

  /**
   * Begins to record; a second call does nothing. Waits for {@link #make} where that has begun, and
   * does its work where it has not.
   *
   * @param name the file's, without its ending
   * @param resource of the process, the attributes by their weight
   */
  public synchronized void open(String name, Map<String, Object> resource) {
    make(name);
    RecorderMap file = made;
    if (file == null) {
      return;
    }
    made = null;
    try {
      file.open(resource);
      map = file;
      starts = file;
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  /** More is known about the process than when the file was opened. */
  public void resource(Map<String, Object> resource) {
    RecorderMap open = map;
    if (open != null) {
      try {
        open.resource(resource);
      } catch (RuntimeException | Error e) {
        failed(e);
      }
    }
  }

  /**
   * The facts about a span besides ids and times, for {@link #started} and {@link #ended}. One
   * result can serve many spans.
   *
   * @param kind as in {@code Span.kind} of the traces
   * @param woven whether it is a worker method's
   */
  public long facts(String name, int kind, boolean woven) {
    RecorderMap open = map;
    int number = 0;
    if (open != null) {
      try {
        number = open.names().number(name);
      } catch (StackOverflowError | OutOfMemoryError ofTheApplication) {
        // This span has no name in the file.
      } catch (Throwable t) {
        failed(t);
      }
    }
    return RecordingLayout.facts(number, kind, 0, woven);
  }

  /**
   * A span has started, on this thread.
   *
   * @param parentId 0 for a root
   */
  public void started(
      long traceHigh, long traceLow, long spanId, long parentId, long startEpochNanos, long facts) {
    started(Slots.ofId(spanId), traceHigh, traceLow, spanId, parentId, startEpochNanos, facts);
  }

  /**
   * A span has started on this thread, and will know its slot.
   *
   * @return the slot, for {@link #ended}; 0 if it has none
   */
  public int startedHere(
      long traceHigh, long traceLow, long spanId, long parentId, long startEpochNanos, long facts) {
    return started(
        Slots.ofThread(Thread.currentThread().getId()),
        traceHigh,
        traceLow,
        spanId,
        parentId,
        startEpochNanos,
        facts);
  }

  private int started(
      int near,
      long traceHigh,
      long traceLow,
      long spanId,
      long parentId,
      long startEpochNanos,
      long facts) {
    RecorderMap open = starts;
    if (open == null) {
      return 0;
    }
    int slot = 0;
    try {
      slot =
          open.slots()
              .open(
                  near,
                  traceHigh,
                  traceLow,
                  spanId,
                  parentId,
                  startEpochNanos,
                  Thread.currentThread().getId(),
                  facts);
      open.seen(startEpochNanos);
    } catch (StackOverflowError | OutOfMemoryError ofTheApplication) {
      // This span, or its sign of life, is missing from the file.
    } catch (Throwable t) {
      failed(t);
    }
    if (slot < 0) {
      left[leftAt++ & (MOST_LEFT - 1)] = -slot;
      return 0;
    }
    return slot;
  }

  /**
   * It has ended, on any thread.
   *
   * @param slot what {@link #startedHere} gave; {@link #BY_ID} after {@link #started}
   * @param status as in {@code Span.statusCode} of the traces
   * @param isExported whether it needs no recovery, because it will not be exported or has been
   */
  public void ended(
      int slot,
      long traceHigh,
      long traceLow,
      long spanId,
      long parentId,
      long startEpochNanos,
      long endEpochNanos,
      long facts,
      int status,
      boolean isExported) {
    RecorderMap open = map;
    if (open == null) {
      return;
    }
    try {
      Slots slots = open.slots();
      // Into the ring before it leaves the table, so that it is always in at least one.
      slots.end(
          Thread.currentThread().getId(),
          traceHigh,
          traceLow,
          spanId,
          parentId,
          startEpochNanos,
          endEpochNanos,
          RecordingLayout.withStatus(facts, status),
          isExported);
      if (slot > 0) {
        slots.free(slot);
      } else if (slot == BY_ID) {
        slots.freeOf(spanId);
      }
    } catch (StackOverflowError | OutOfMemoryError ofTheApplication) {
      if (slot > 0) {
        left[leftAt++ & (MOST_LEFT - 1)] = slot;
      }
    } catch (Throwable t) {
      failed(t);
    }
  }

  /** How many ended spans there is room for; unlimited if nothing is recorded. */
  public int endedRoom() {
    RecorderMap open = map;
    return open == null ? Integer.MAX_VALUE : open.slots().endedRoom();
  }

  /** These ended spans were acknowledged, or are in the process's own file. */
  public void exported(ExportedSpanIds spanIds) {
    RecorderMap open = map;
    if (open == null) {
      return;
    }
    try {
      open.slots().exported(spanIds);
    } catch (Throwable t) {
      failed(t);
    }
  }

  /** So many ended spans were neither delivered nor kept since the process started. */
  public void dropped(long spans) {
    RecorderMap open = map;
    if (open == null) {
      return;
    }
    try {
      open.dropped(spans);
    } catch (Throwable t) {
      failed(t);
    }
  }

  /**
   * Records that the process is alive, even without spans. Warns the user if the file was deleted
   * or moved. It is not recreated, because spans know their slots in it.
   */
  public void beat() {
    RecorderMap open = map;
    if (open == null) {
      return;
    }
    beat(open);
    if (!open.file().exists() && map == open) { // close() deletes it after it has let go
      AgentLog.warnOnce(
          open.file()
              + " was deleted: if this process is killed, its open spans cannot be recovered");
    }
  }

  private void beat(RecorderMap open) {
    try {
      open.beat();
      for (int i = 0; i < MOST_LEFT; i++) {
        int slot = (int) LEFT.getAndSet(left, i, 0); // once, even if several threads beat
        if (slot > 0) {
          open.slots().free(slot);
        }
      }
    } catch (Throwable t) {
      failed(t);
    }
  }

  /**
   * The file was truncated, or its disk fails: the JVM throws an error for that, now or a few
   * instructions later.
   */
  private void failed(Throwable t) {
    TraceHook.passOnStop(t);
    starts = null;
    map = null;
    AgentLog.warnOnce("open spans are not recorded any more: " + t);
  }

  /**
   * The process is ending: a span that starts now is not what it was doing. Those that are open may
   * still end.
   */
  public void startsNoMore() {
    starts = null;
  }

  /**
   * Removes the file, unless spans are open or were dropped: then it stays, as a record of them.
   */
  @Override
  public synchronized void close() {
    close(true);
  }

  /**
   * Removes the file, also if spans are open: the process goes on untraced, and readers would take
   * it for dead.
   */
  public synchronized void discard() {
    close(false);
  }

  private void close(boolean keepsOpen) {
    RecorderMap open = map;
    if (open != null) {
      beat(open); // so that the rest can be freed
    }
    RecorderMap file = open == null ? made : open;
    made = null;
    starts = null;
    map = null;
    if (file == null) {
      return;
    }
    try {
      file.close(keepsOpen);
    } catch (IOException | RuntimeException | Error e) {
      AgentLog.warn(file.file() + " was not closed cleanly: " + e);
    }
  }
}
