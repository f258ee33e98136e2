package io.rollotel.agent.span;

import io.rollotel.agent.background.WeakIdentity;
import io.rollotel.agent.log.AgentLog;
import java.lang.ref.ReferenceQueue;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

/**
 * Finds a future that a method returns again and again, such as one that completes at the end of
 * the program. Each span that waits for it is kept until then, and ended by the thread that
 * completes it.
 *
 * <p>Only a future itself knows how many wait for it, and counts them one by one. So it is asked
 * only while very many spans wait for futures, and then not at each call. Guava's cannot count. Of
 * those, it is noted how often one is met at such a time.
 */
final class SharedFutures {

  /** Of all futures together, and then of a single one. */
  static final int MOST_WAITING = 4_096;

  /** A power of two. */
  private static final int CALLS_PER_LOOK = 64;

  private static final LongAdder WAITING = new LongAdder();

  private static final Set<WeakIdentity> SHARED = ConcurrentHashMap.newKeySet();

  /** How often futures that cannot count were met. */
  private static final Map<WeakIdentity, Integer> MET = new ConcurrentHashMap<>();

  private static final ReferenceQueue<Object> GONE = new ReferenceQueue<>();

  private SharedFutures() {}

  /** A span waits for a future from now on. */
  static void waits() {
    WAITING.increment();
  }

  /** A span that waited has ended. */
  static void ended() {
    WAITING.decrement();
  }

  /** Whether so many spans wait for this future that no more should. */
  static boolean isFull(Object future) {
    long waiting = WAITING.sum();
    if (waiting < MOST_WAITING || !(future instanceof Future<?> awaited)) {
      return false;
    }
    if (!SHARED.isEmpty() && SHARED.contains(new WeakIdentity(future, null))) {
      return !awaited.isDone();
    }
    if (waiting % CALLS_PER_LOOK != 0) {
      return false;
    }
    forgetCollected();
    WeakIdentity known = new WeakIdentity(future, GONE);
    if (waitingFor(awaited, known) < MOST_WAITING) {
      return false;
    }
    SHARED.add(known);
    MET.remove(known);
    AgentLog.warnOnce(
        "traced calls return one future again and again, and "
            + MOST_WAITING
            + " spans wait for it: those of further calls end when the method returns");
    return true;
  }

  private static int waitingFor(Future<?> future, WeakIdentity known) {
    if (!(future instanceof CompletableFuture<?> counting)) {
      return MET.merge(known, 1, Integer::sum) * CALLS_PER_LOOK;
    }
    try {
      return counting.getNumberOfDependents();
    } catch (UnsupportedOperationException minimalStage) {
      return 0;
    }
  }

  private static void forgetCollected() {
    for (Object gone = GONE.poll(); gone != null; gone = GONE.poll()) {
      SHARED.remove(gone);
      MET.remove(gone);
    }
  }
}
