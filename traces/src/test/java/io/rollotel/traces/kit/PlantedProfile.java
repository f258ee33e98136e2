package io.rollotel.traces.kit;

import io.rollotel.traces.otlp.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;

/**
 * A run with a profile, in a directory: steps with a worker that collects garbage and one that is
 * parked for a moment, each on a thread of its own.
 */
public final class PlantedProfile {

  private static final int STEPS = 5;

  /** Collections stop a thread that would say itself when it begins and ends. */
  private static final long PARKED_NANOS = 2_000_000;

  /** As the agent writes it: what the spans' clock says. */
  @Name("io.rollotel.Clock")
  @StackTrace(false)
  private static final class Clock extends Event {
    long epochNanos;
    final int processors = Runtime.getRuntime().availableProcessors();
  }

  private PlantedProfile() {}

  /** Writes the files. */
  public static void slowByGarbage(Path directory) throws Exception {
    slowByGarbage(directory, 0);
  }

  /**
   * Writes the files of a run on two hosts.
   *
   * @param aheadNanos by how much the clock of the slow worker's host is ahead
   */
  public static void slowByGarbage(Path directory, long aheadNanos) throws Exception {
    List<byte[]> alive = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      alive.add(new byte[1 << 20]);
    }
    Planted run = new Planted("profiled");
    try (Recording recording = new Recording()) {
      for (String event :
          List.of(
              "jdk.GCPhasePause",
              "jdk.GCHeapSummary",
              "jdk.ExecuteVMOperation",
              "jdk.ThreadPark")) {
        recording.enable(event).withoutThreshold();
      }
      recording.start();
      for (int step = 1; step <= STEPS; step++) {
        step(run, step, aheadNanos);
      }
      Path profiles = Files.createDirectories(directory.resolve("profiles"));
      for (String process : List.of("driver", "actor0")) {
        recording.dump(profiles.resolve(process + ".1.jfr"));
      }
      Clock clock = new Clock();
      clock.epochNanos = Planted.START + now() + aheadNanos;
      clock.commit();
      recording.stop();
      recording.dump(profiles.resolve("actor1.1.jfr"));
    }
    if (alive.isEmpty()) {
      throw new IllegalStateException("never: it keeps them alive");
    }
    Path traces = Files.createDirectories(directory.resolve("traces"));
    Files.writeString(traces.resolve("traces.jsonl"), lines(run.spans()));
  }

  private static void step(Planted run, int step, long aheadNanos) throws InterruptedException {
    long start = now();
    Thread sleeper = new Thread(() -> LockSupport.parkNanos(PARKED_NANOS));
    sleeper.start();
    long collecting = now();
    long until = System.nanoTime() + 40_000_000;
    while (System.nanoTime() < until) {
      System.gc();
    }
    long collected = now();
    sleeper.join();
    long root = run.span(step, 0, "pipeline_step", "driver@a", start, now());
    run.span(
        step,
        root,
        "generate",
        "actor0@a",
        collecting,
        collecting + PARKED_NANOS,
        "thread.id",
        sleeper.getId());
    run.span(
        step,
        root,
        "generate",
        aheadNanos == 0 ? "actor1@a" : "actor1@b",
        collecting + aheadNanos,
        collected + aheadNanos,
        "thread.id",
        Thread.currentThread().getId());
  }

  /** As {@link Planted} has its times. */
  private static long now() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano() - Planted.START;
  }

  private static String lines(List<Span> spans) {
    return spans.stream().map(PlantedProfile::line).collect(Collectors.joining());
  }

  private static String line(Span span) {
    return "{\"resourceSpans\":[{\"resource\":{\"attributes\":["
        + attributes(span.resource().attributes())
        + "]},\"scopeSpans\":[{\"spans\":[{\"traceId\":\""
        + span.traceId()
        + "\",\"spanId\":\""
        + span.spanId()
        + "\",\"parentSpanId\":\""
        + span.parentSpanId()
        + "\",\"name\":\""
        + span.name()
        + "\",\"kind\":1,\"startTimeUnixNano\":\""
        + span.startEpochNanos()
        + "\",\"endTimeUnixNano\":\""
        + span.endEpochNanos()
        + "\",\"attributes\":["
        + attributes(span.attributes())
        + "]}]}]}]}\n";
  }

  private static String attributes(Map<String, Object> attributes) {
    return attributes.entrySet().stream()
        .map(
            entry ->
                "{\"key\":\""
                    + entry.getKey()
                    + "\",\"value\":{\""
                    + (entry.getValue() instanceof Long ? "intValue" : "stringValue")
                    + "\":\""
                    + entry.getValue()
                    + "\"}}")
        .collect(Collectors.joining(","));
  }
}
