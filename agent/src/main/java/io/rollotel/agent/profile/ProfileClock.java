package io.rollotel.agent.profile;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * What time it is by the clock of the spans: Flight Recorder goes by one that it sets at the start
 * of a chunk. And by how many processors its loads of threads were divided.
 */
@Name(ProfileClock.NAME)
@Label("Clock of the Spans")
@Description("The wall-clock time at the time of the event, and the number of processors")
@Category("roll-otel")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // Flight Recorder reads the fields
final class ProfileClock extends Event {

  static final String NAME = "io.rollotel.Clock";

  @Label("Nanoseconds since the Epoch")
  private final long epochNanos;

  @Label("Processors")
  private final int processors = Runtime.getRuntime().availableProcessors();

  private ProfileClock(long epochNanos) {
    this.epochNanos = epochNanos;
  }

  static void tell() {
    Instant now = Instant.now();
    new ProfileClock(TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano()).commit();
  }
}
