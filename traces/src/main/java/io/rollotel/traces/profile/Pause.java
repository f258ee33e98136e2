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

  /** How long they stood still. */
  public long nanos() {
    return endEpochNanos - startEpochNanos;
  }

  /** Of what overlapped the recording has what sticks out of the first. */
  boolean goesOnWith(Pause next) {
    return activity == next.activity && endEpochNanos == next.startEpochNanos;
  }

  Pause joinedWith(Pause next) {
    return new Pause(activity, why.isEmpty() ? next.why : why, startEpochNanos, next.endEpochNanos);
  }
}
