package io.rollotel.traces.kit;

import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntToLongFunction;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;

/** Runs with a profile, each in a directory of its own: what threads did while it was recorded. */
public final class PlantedProfile {

  private static final int STEPS = 6;

  /** Collections stop a thread that would say itself when it begins and ends. */
  private static final long PARKED_NANOS = 2_000_000;

  /** Together with what is parked longer in the mean than what only burns. */
  private static final long COLLECTED_NANOS = 200_000_000;

  private static final long BURNT_NANOS = 60_000_000;

  private static final int MOST_ATTEMPTS = 20;

  /** Written by what only burns, so that it is not optimized away. */
  private static volatile double burnt;

  private PlantedProfile() {}

  /** Steps with a worker that collects garbage and one that is parked for a moment. */
  public static void slowByGarbage(Path directory) throws Exception {
    List<byte[]> alive = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      alive.add(new byte[1 << 20]);
    }
    Planted run = new Planted("profiled");
    record(run, directory, List.of("driver", "actor0", "actor1"), PlantedProfile::collect);
    if (alive.isEmpty()) {
      throw new IllegalStateException("never: it keeps them alive");
    }
  }

  /** Steps of which each has a worker that runs {@code burn} and then sleeps for so long. */
  public static void napping(Path directory, String runId, long napMillis) throws Exception {
    napping(directory, runId, step -> napMillis);
  }

  /** The same where it sleeps for as long as the step's number says, from 1. */
  public static void napping(Path directory, String runId, IntToLongFunction napMillis)
      throws Exception {
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      record(
          new Planted(runId),
          directory,
          List.of("driver", "actor0"),
          (planted, step) -> worker(planted, step, napMillis.applyAsLong(step)));
      if (isSampled(directory.resolve("profiles/actor0.1.jfr"))) {
        return;
      }
    }
    throw new IllegalStateException("Flight Recorder has taken no sample");
  }

  /** Whether a sample was taken: few are, while others have the processors. */
  private static boolean isSampled(Path recording) throws IOException {
    return RecordingFile.readAllEvents(recording).stream()
        .filter(event -> event.getEventType().getName().equals("jdk.ExecutionSample"))
        .flatMap(sample -> sample.getStackTrace().getFrames().stream())
        .anyMatch(frame -> frame.getMethod().getName().equals("burn"));
  }

  private interface Step {
    void run(Planted run, int step) throws InterruptedException;
  }

  private static void record(Planted run, Path directory, List<String> processes, Step work)
      throws Exception {
    try (Recording recording = new Recording()) {
      for (String event :
          List.of(
              "jdk.GCPhasePause",
              "jdk.GCHeapSummary",
              "jdk.ExecuteVMOperation",
              "jdk.ThreadPark",
              "jdk.ThreadSleep")) {
        recording.enable(event).withoutThreshold();
      }
      recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(20));
      recording.start();
      for (int step = 1; step <= STEPS; step++) {
        work.run(run, step);
      }
      recording.stop();
      Path profiles = Files.createDirectories(directory.resolve("profiles"));
      for (String process : processes) {
        Path file = profiles.resolve(process + ".1.jfr");
        Files.deleteIfExists(file);
        recording.dump(file);
      }
    }
    Path traces = Files.createDirectories(directory.resolve("traces"));
    Files.writeString(traces.resolve("traces.jsonl"), lines(run.spans()));
  }

  private static void worker(Planted run, int step, long napMillis) throws InterruptedException {
    Thread worker = new Thread(() -> burnAndNap(napMillis));
    long start = now();
    worker.start();
    worker.join();
    long end = now();
    long root =
        run.span(step, 0, "pipeline_step", "driver@a", start, end, "global_step", (long) step);
    run.span(step, root, "generate", "actor0@a", start, end, "thread.id", worker.getId());
  }

  private static void burnAndNap(long napMillis) {
    burn();
    try {
      Thread.sleep(napMillis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void burn() {
    long until = System.nanoTime() + BURNT_NANOS;
    while (System.nanoTime() < until) {
      burnt = Math.sqrt(burnt + 1);
    }
  }

  private static void collect(Planted run, int step) throws InterruptedException {
    long start = now();
    Thread sleeper = new Thread(() -> LockSupport.parkNanos(PARKED_NANOS));
    sleeper.start();
    long collecting = now();
    long until = System.nanoTime() + COLLECTED_NANOS;
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
        "actor1@a",
        collecting,
        collected,
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
