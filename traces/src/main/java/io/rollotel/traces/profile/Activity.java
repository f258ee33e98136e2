package io.rollotel.traces.profile;

import java.util.Locale;

/** The activity of a thread for a span at a moment; {@link #toString} is its name in JSON. */
public enum Activity {
  /** Its code runs on a processor. */
  RUNNING("running"),
  /** It waits to enter a monitor that another thread holds. */
  LOCK("waiting for a lock"),
  /** It waits for another thread: it is parked, or in {@code Object.wait}. */
  PARKED("parked"),
  SLEEPING("sleeping"),
  /** It waits for a socket. */
  SOCKET("socket"),
  /** It waits for a file. */
  FILE("file"),
  /** The garbage collector has stopped it. */
  GC_PAUSE("GC pauses"),
  /** The JVM has stopped it for another reason. */
  SAFEPOINT("safepoints"),
  /** It could run but has no processor, or waits too briefly for an event. */
  NOT_SCHEDULED("not on a processor"),
  /** No thread works for the span: its method has returned a future. */
  FUTURE("waiting for a future"),
  /** The thread has no processor times, and too few samples. */
  UNEXPLAINED("unexplained"),
  /** Nothing was recorded at the time. */
  NO_PROFILE("without a profile"),
  /** It waits in native code, such as that of Ray, for which there is no event. */
  NATIVE("waiting in native code");

  private final String words;

  Activity(String words) {
    this.words = words;
  }

  /** Its name within a sentence. */
  public String words() {
    return words;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
