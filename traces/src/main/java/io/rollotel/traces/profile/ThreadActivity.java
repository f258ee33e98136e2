package io.rollotel.traces.profile;

import org.jspecify.annotations.Nullable;

/** The recording of one thread. */
final class ThreadActivity {

  /** When it started; the earliest time if it started before the recording. */
  long startNanos = Long.MIN_VALUE;

  /**
   * Where it waited: an {@link Activity} by its ordinal, and what for, a text of {@link Stacks}.
   */
  final Times waits = new Times();

  /** Where its code ran: a stack, and nothing. */
  final Times samples = new Times();

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

  void seal() {
    samples.sealMoments();
    loads.sealMoments();
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
