package io.rollotel.traces.profile;

import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** The recording of one thread. */
final class ThreadActivity {

  /** The sampler sees one thread in native code at a time, so each of many is seen rarely. */
  private static final long MOST_UNSEEN_NANOS = 250_000_000;

  /** When it started; the earliest time if it started before the recording. */
  long startNanos = Long.MIN_VALUE;

  /**
   * Where it waited: an {@link Activity} by its ordinal, and what for, a text of {@link Stacks}.
   */
  final Times waits = new Times();

  /** Where its code ran: a stack, and {@link #NATIVE} if in native code. */
  Times samples = new Times();

  static final int NATIVE = 1;

  /** Whether it is no virtual thread: the JVM measures processor times only of others. */
  boolean isPlatform;

  /**
   * When it was seen waiting in native code, which leaves no event: the method, a text of {@link
   * Stacks}, and nothing.
   */
  final Times inNative = new Times();

  /** Its waits, and the times between two sights of it in native code without another between. */
  private Times blocked = new Times();

  /** Its processor time in the seconds that end then, in microseconds, and nothing. */
  final Times loads = new Times();

  /** The share of its runnable time in which it ran; null until first use. */
  volatile @Nullable Load load;

  /**
   * The share of its runnable time in which a thread ran.
   *
   * @param running in each window of the process; not a number if unknown
   * @param usual in all windows together
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Load(float[] running, float usual) {}

  /** All of it is read. */
  void seal() {
    samples.sealMoments();
    loads.sealMoments();
    inNative.sealMoments();
    waits.seal();
  }

  /**
   * Where its processor time says that it did not run, native code waited.
   *
   * @param isIdle whether the thread hardly ran at a time
   */
  void findWaitsInNative(LongPredicate isIdle, Stacks stacks) {
    Times ran = new Times();
    for (int i = 0; i < samples.size(); i++) {
      long at = samples.from(i);
      int stack = samples.first(i);
      if (samples.second(i) == NATIVE && isIdle.test(at)) {
        inNative.add(at, at, stacks.text(stacks.method(stack)), 0);
      } else {
        ran.add(at, at, stack, samples.second(i));
      }
    }
    if (ran.size() < samples.size()) {
      ran.sealMoments();
      samples = ran;
      inNative.sealMoments();
      sealBlocked();
      load = null;
    }
  }

  /** All of its waits are known. */
  void sealBlocked() {
    blocked = new Times();
    for (int i = 0; i < waits.size(); i++) {
      blocked.add(waits.from(i), waits.to(i), 0, 0);
    }
    for (int i = 0; i + 1 < inNative.size(); i++) {
      if (waitsAfter(i)) {
        blocked.add(inNative.from(i), inNative.from(i + 1), 0, 0);
      }
    }
    blocked.seal();
  }

  /** Whether it waited in native code from one sight of it there to the next. */
  boolean waitsAfter(int sight) {
    long from = inNative.from(sight);
    long to = inNative.from(sight + 1);
    int sample = samples.beginningAt(from);
    return to - from <= MOST_UNSEEN_NANOS
        && inNative.first(sight) == inNative.first(sight + 1)
        && (sample == samples.size() || samples.from(sample) >= to);
  }

  /** The time of a period in which nothing is known to have kept it from running. */
  double freeNanos(long from, long to) {
    double free = to - from;
    for (int i = blocked.endingAfter(from); i < blocked.size() && blocked.from(i) < to; i++) {
      free -= Math.min(to, blocked.to(i)) - Math.max(from, blocked.from(i));
    }
    return free;
  }

  /**
   * The method that the thread was in at a time: where it ran, or otherwise where it waited; "" for
   * none.
   */
  String methodBetween(long from, long to, Stacks stacks) {
    int sample = samples.beginningAt(from);
    if (sample < samples.size() && samples.from(sample) < to) {
      return stacks.method(samples.first(sample));
    }
    int wait = waits.endingAfter(from);
    if (wait < waits.size() && waits.from(wait) < to) {
      String where = stacks.text(waits.second(wait));
      int on = where.indexOf(" (");
      return on < 0 ? where : where.substring(0, on);
    }
    return "";
  }
}
