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
 * An event with three facts. The time by the spans' clock, since Flight Recorder uses a clock that
 * it sets at the start of a chunk. The number of processors, by which it divides the load of
 * threads. And the run's id, which identifies recordings on other hosts when the run ends.
 */
@Name(ProfileClock.NAME)
@Label("Clock of the Spans")
@Description("The wall-clock time of the event, the number of processors, and the run")
@Category("roll-otel")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // Flight Recorder reads the fields
final class ProfileClock extends Event {

  static final String NAME = "io.rollotel.Clock";

  @Label("Nanoseconds since the Epoch")
  private final long epochNanos;

  @Label("Processors")
  private final int processors = Runtime.getRuntime().availableProcessors();

  @Label("Run Id")
  private final String runId;

  private ProfileClock(long epochNanos, String runId) {
    this.epochNanos = epochNanos;
    this.runId = runId;
  }

  static void tell(String runId) {
    Instant now = Instant.now();
    long epochNanos = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    new ProfileClock(epochNanos, runId).commit();
  }
}
