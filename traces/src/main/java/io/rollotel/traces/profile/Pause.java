package io.rollotel.traces.profile;

/**
 * A period in which all threads of a process were stopped.
 *
 * @param activity {@link Activity#GC_PAUSE} or {@link Activity#SAFEPOINT}
 * @param why the JVM's operation; empty if it is not known
 * @param startEpochNanos by the clock of the spans
 * @param endEpochNanos as {@code startEpochNanos}
 */
public record Pause(Activity activity, String why, long startEpochNanos, long endEpochNanos) {

  /** How long they were stopped. */
  public long nanos() {
    return endEpochNanos - startEpochNanos;
  }

  /** If pauses overlap, only the part of the later one beyond the first is kept. */
  boolean goesOnWith(Pause next) {
    return activity == next.activity && endEpochNanos == next.startEpochNanos;
  }

  Pause joinedWith(Pause next) {
    return new Pause(activity, why.isEmpty() ? next.why : why, startEpochNanos, next.endEpochNanos);
  }
}
