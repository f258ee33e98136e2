package io.rollotel.traces.profile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The recorded activity of one process: that of each of its threads, and pauses of all. */
@SuppressWarnings("EnumOrdinal") // these numbers are never serialised
final class ProcessActivity {

  /** Receives the activity of a thread in a period, which adds up to the period. */
  interface Sink {
    /** It waited. */
    void waited(Activity activity, int detail, long fromNanos, long toNanos);

    /** It did this for so long. */
    void spent(Activity activity, int detail, double nanos);

    /** It was seen running there. */
    void sampled(int stack);
  }

  /** A wait for a monitor, until the location of the thread that held it is known. */
  private record LockWait(
      ThreadActivity thread, long from, long to, String monitor, long ownerThread) {}

  /** With less runnable time, the share in which a thread ran is unknown. */
  private static final long LEAST_NANOS = 5_000_000;

  /**
   * Native code that computes gets more of a processor, unless ten others want the same one, or its
   * container is limited to less.
   */
  private static final double MOST_IDLE_SHARE = 0.1;

  /** A thread that was not recorded. */
  private static final ThreadActivity UNKNOWN = new ThreadActivity();

  private static final long PERIOD_NANOS = 20_000_000;

  private final Stacks stacks;
  private final Map<Long, ThreadActivity> threads = new HashMap<>();

  /** Pauses of all threads: an {@link Activity} by its ordinal, and the reason. */
  private final Times pauses = new Times();

  /** Work that threads did for a span that was handed to them: the span's thread, as an index. */
  private final Map<Long, Times> works = new HashMap<>();

  private final List<ThreadActivity> workers = new ArrayList<>();

  private final List<LockWait> lockWaits = new ArrayList<>();

  /** The recorded periods, one per file. */
  private final Times recorded = new Times();

  private final Times clocks = new Times();

  private long[] ticks = new long[0];

  /** How often a collection left this percentage of the largest heap full. */
  private final int[] heapPercents = new int[101];

  long samplePeriodNanos = PERIOD_NANOS;

  ProcessActivity(Stacks stacks) {
    this.stacks = stacks;
  }

  ThreadActivity thread(long id) {
    return threads.computeIfAbsent(id, none -> new ThreadActivity());
  }

  void wait(long thread, Activity activity, String detail, long from, long to) {
    thread(thread).waits.add(from, to, activity.ordinal(), stacks.text(detail));
  }

  void lockWait(long thread, String monitor, long ownerThread, long from, long to) {
    lockWaits.add(new LockWait(thread(thread), from, to, monitor, ownerThread));
  }

  void pause(Activity activity, String why, long from, long to) {
    pauses.add(from, to, activity.ordinal(), stacks.text(why));
  }

  void work(long spanId, long thread, long from, long to) {
    ThreadActivity worker = thread(thread);
    workers.add(worker);
    works.computeIfAbsent(spanId, none -> new Times()).add(from, to, workers.size() - 1, 0);
  }

  /** A part of the largest heap was full after a collection. */
  void heap(double share) {
    heapPercents[(int) Math.max(0, Math.min(100, Math.ceil(100 * share)))]++;
  }

  /** How far the spans' clock was ahead of the recording's. */
  void clock(long aheadNanos) {
    clocks.add(aheadNanos, aheadNanos, 0, 0);
  }

  void recorded(long from, long to) {
    recorded.add(from, to, 0, 0);
  }

  /** All of it is read. */
  void seal() {
    recorded.seal();
    pauses.seal();
    clocks.sealMoments();
    works.values().forEach(Times::sealMoments);
    threads.values().forEach(ThreadActivity::seal);
    Times unlocked = new Times();
    for (LockWait wait : lockWaits) {
      ThreadActivity owner = threads.get(wait.ownerThread);
      String holder = owner == null ? "" : owner.methodBetween(wait.from, wait.to, stacks);
      String detail = wait.monitor + (holder.isEmpty() ? "" : " held by " + holder);
      unlocked.add(wait.from, wait.to, 0, stacks.text(detail));
    }
    for (int i = 0; i < lockWaits.size(); i++) {
      LockWait wait = lockWaits.get(i);
      wait.thread.waits.add(wait.from, wait.to, Activity.LOCK.ordinal(), unlocked.second(i));
    }
    threads.values().forEach(thread -> thread.waits.seal());
    threads.values().forEach(ThreadActivity::sealBlocked);
    ticks =
        threads.values().stream()
            .flatMapToLong(
                thread -> {
                  long[] all = new long[thread.loads.size()];
                  Arrays.setAll(all, thread.loads::from);
                  return Arrays.stream(all);
                })
            .sorted()
            .distinct()
            .toArray();
    for (ThreadActivity thread : threads.values()) {
      if (thread.isPlatform) {
        thread.findWaitsInNative(at -> isIdle(thread, at), stacks);
      }
    }
  }

  /** Whether a thread ran so little at a time that the code it was in can only have waited. */
  private boolean isIdle(ThreadActivity thread, long at) {
    int window = window(at);
    return window < ticks.length
        && thread.startNanos <= (window == 0 ? recorded.from(0) : ticks[window - 1])
        && running(thread, window) < MOST_IDLE_SHARE;
  }

  /** The offset from the recording's clock to that of the spans: the median. */
  long clockNanos() {
    return clocks.size() == 0 ? 0 : clocks.from(clocks.size() / 2);
  }

  /** The median of {@link #heap} in percent; 0 if there was no collection. */
  int heapPercent() {
    int half = (Arrays.stream(heapPercents).sum() + 1) / 2;
    int percent = 0;
    for (int seen = heapPercents[0]; seen < half; seen += heapPercents[percent]) {
      percent++;
    }
    return percent;
  }

  /** The activity of threads for a span that another thread began: see {@link #worker}. */
  @Nullable Times works(long spanId) {
    return works.get(spanId);
  }

  /**
   * Pauses of all threads, by start; none overlaps another.
   *
   * @param behindNanos how far the requested times are behind the recording's
   */
  List<Pause> pauses(long behindNanos) {
    List<Pause> found = new ArrayList<>();
    for (int i = 0; i < pauses.size(); i++) {
      Pause pause =
          new Pause(
              Activity.values()[pauses.first(i)],
              stacks.text(pauses.second(i)),
              pauses.from(i) - behindNanos,
              pauses.to(i) - behindNanos);
      int last = found.size() - 1;
      if (last >= 0 && found.get(last).goesOnWith(pause)) {
        found.set(last, found.get(last).joinedWith(pause));
      } else {
        found.add(pause);
      }
    }
    return found;
  }

  ThreadActivity worker(int number) {
    return workers.get(number);
  }

  @Nullable ThreadActivity known(long id) {
    return threads.get(id);
  }

  /** The activity of a thread; null if it was not recorded. */
  void walk(@Nullable ThreadActivity thread, long from, long to, Sink sink) {
    long at = from;
    for (int i = recorded.endingAfter(from); i < recorded.size() && at < to; i++) {
      long start = Math.min(to, Math.max(at, recorded.from(i)));
      long end = Math.min(to, recorded.to(i));
      spend(Activity.NO_PROFILE, start - at, sink);
      if (end > start) {
        walkRecorded(thread == null ? UNKNOWN : thread, start, end, sink);
        at = end;
      } else {
        at = start;
      }
    }
    spend(Activity.NO_PROFILE, to - at, sink);
  }

  private static void spend(Activity activity, long nanos, Sink sink) {
    if (nanos > 0) {
      sink.spent(activity, Stacks.NONE, (double) nanos);
    }
  }

  private void walkRecorded(ThreadActivity thread, long from, long to, Sink sink) {
    Times waits = thread.waits;
    long at = from;
    for (int i = waits.endingAfter(from); i < waits.size() && waits.from(i) < to; i++) {
      long start = Math.max(at, waits.from(i));
      long end = Math.min(to, waits.to(i));
      able(thread, at, start, sink);
      sink.waited(Activity.values()[waits.first(i)], waits.second(i), start, end);
      at = end;
    }
    able(thread, at, to, sink);
  }

  /** The thread waited for nothing. */
  private void able(ThreadActivity thread, long from, long to, Sink sink) {
    long at = from;
    for (int i = pauses.endingAfter(from); i < pauses.size() && pauses.from(i) < to; i++) {
      long start = Math.max(at, pauses.from(i));
      long end = Math.min(to, pauses.to(i));
      free(thread, at, start, sink);
      sink.spent(Activity.values()[pauses.first(i)], pauses.second(i), (double) (end - start));
      at = end;
    }
    free(thread, at, to, sink);
  }

  /** No event tells what kept the thread from running. */
  private void free(ThreadActivity thread, long from, long to, Sink sink) {
    Times seen = thread.inNative;
    long at = from;
    // Both sights must be within, because a span that ends between two may have been running.
    for (int i = seen.beginningAt(from); i + 1 < seen.size() && seen.from(i + 1) < to; i++) {
      if (thread.waitsAfter(i)) {
        runnable(thread, at, seen.from(i), sink);
        sink.waited(Activity.NATIVE, seen.first(i), seen.from(i), seen.from(i + 1));
        at = seen.from(i + 1);
      }
    }
    runnable(thread, at, to, sink);
  }

  /** Nothing kept the thread from running. */
  private void runnable(ThreadActivity thread, long from, long to, Sink sink) {
    if (to <= from) {
      return;
    }
    int samples = 0;
    for (int i = thread.samples.beginningAt(from);
        i < thread.samples.size() && thread.samples.from(i) < to;
        i++) {
      sink.sampled(thread.samples.first(i));
      samples++;
    }
    if (thread.loads.size() == 0) {
      double running = Math.min((double) (to - from), (double) samples * samplePeriodNanos);
      sink.spent(Activity.RUNNING, Stacks.NONE, running);
      sink.spent(Activity.UNEXPLAINED, Stacks.NONE, (double) (to - from) - running);
      return;
    }
    double running = 0;
    long at = from;
    for (int window = window(from); at < to; window++) {
      long end = window < ticks.length ? Math.min(to, ticks[window]) : to;
      running += (end - at) * (double) running(thread, window);
      at = Math.max(at, end);
    }
    sink.spent(Activity.RUNNING, Stacks.NONE, running);
    sink.spent(Activity.NOT_SCHEDULED, Stacks.NONE, (double) (to - from) - running);
  }

  /** The first window that ends after a moment. */
  private int window(long moment) {
    int found = Arrays.binarySearch(ticks, moment);
    return found >= 0 ? found + 1 : -found - 1;
  }

  /** The share of its runnable time in which a thread ran, in a window. */
  private float running(ThreadActivity thread, int window) {
    ThreadActivity.Load load = thread.load;
    if (load == null) {
      load = load(thread); // two concurrent readers find the same
      thread.load = load;
    }
    float known = window < load.running().length ? load.running()[window] : Float.NaN;
    return Float.isNaN(known) ? load.usual() : known;
  }

  private ThreadActivity.Load load(ThreadActivity thread) {
    float[] running = new float[ticks.length];
    double processor = 0;
    double free = 0;
    int load = 0;
    for (int i = 0; i < ticks.length; i++) {
      long start = i == 0 ? Math.max(recorded.from(0), ticks[0] - 1_000_000_000L) : ticks[i - 1];
      double freeNanos = freeNanos(thread, Math.max(start, thread.startNanos), ticks[i]);
      double nanos = 0;
      while (load < thread.loads.size() && thread.loads.from(load) <= ticks[i]) {
        nanos += thread.loads.first(load++) * 1_000.0;
      }
      processor += Math.min(nanos, freeNanos);
      free += freeNanos;
      running[i] = freeNanos < LEAST_NANOS ? Float.NaN : (float) Math.min(1, nanos / freeNanos);
    }
    return new ThreadActivity.Load(running, free == 0 ? 1 : (float) (processor / free));
  }

  private double freeNanos(ThreadActivity thread, long from, long to) {
    double free = thread.freeNanos(from, to);
    for (int i = pauses.endingAfter(from); i < pauses.size() && pauses.from(i) < to; i++) {
      free -= Math.min(to, pauses.to(i)) - Math.max(from, pauses.from(i));
    }
    return Math.max(0, free);
  }
}
