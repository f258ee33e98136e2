package io.rollotel.traces.kit;

import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntToLongFunction;
import java.util.stream.Collectors;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Runs with a profile of their threads, each in a directory of its own. */
public final class PlantedProfile {

  private static final int STEPS = 6;
  private static final String PROFILES = "profiles";
  private static final String TRACES = "traces";

  /** Collections would also stop a thread that reports its own start and end. */
  private static final long PARKED_NANOS = 2_000_000;

  /** As the agent writes it: the reading of the spans' clock. */
  @Name("io.rollotel.Clock")
  @StackTrace(false)
  private static final class Clock extends Event {
    long epochNanos;
    final int processors = Runtime.getRuntime().availableProcessors();
    String runId = "";
  }

  /** Averaged with the parked worker, a step still takes longer than one with a short nap. */
  private static final long COLLECTED_NANOS = 300_000_000;

  private static final long NAP_PARKED_NANOS = 50_000_000;

  private static final long BURNT_NANOS = 100_000_000;

  private static final int MOST_ATTEMPTS = 20;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Written by what only burns, so that it is not optimized away. */
  private static volatile double burnt;

  /** Files of the runs recorded in this JVM. Recording takes seconds, and many tests want a run. */
  private static final Map<String, Map<String, byte[]>> RECORDED = new HashMap<>();

  private interface Recorder {
    void record(Path directory) throws Exception;
  }

  private PlantedProfile() {}

  /** Steps with a worker that collects garbage and one that is parked for a moment. */
  public static void slowByGarbage(Path directory) throws Exception {
    slowByGarbage(directory, 0);
  }

  /**
   * Writes the files of a run on two hosts.
   *
   * @param aheadNanos by how much the clock of the slow worker's host is ahead
   */
  public static void slowByGarbage(Path directory, long aheadNanos) throws Exception {
    once("garbage, ahead by " + aheadNanos, directory, to -> recordGarbage(to, aheadNanos));
  }

  private static void recordGarbage(Path directory, long aheadNanos) throws Exception {
    List<byte[]> alive = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      alive.add(new byte[1 << 20]);
    }
    Planted run = new Planted("profiled");
    record(
        run,
        directory,
        List.of("driver", "actor0", "actor1"),
        aheadNanos,
        (planted, step) -> collect(planted, step, aheadNanos));
    if (alive.isEmpty()) {
      throw new IllegalStateException("never: it keeps them alive");
    }
  }

  /** Steps of which each has a worker that runs {@code burn}, and does nothing else. */
  public static void burning(Path directory, String runId) throws Exception {
    once(runId + ", burning", directory, to -> recordBurning(to, runId));
  }

  private static void recordBurning(Path directory, String runId) throws Exception {
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      record(
          new Planted(runId),
          directory,
          List.of("driver", "actor0"),
          0,
          (planted, step) -> worker(planted, step, PlantedProfile::burn));
      if (hasBurnt(directory.resolve("profiles/actor0.1.jfr"))) {
        return;
      }
    }
    throw new IllegalStateException("Flight Recorder has never seen a thread burn");
  }

  /**
   * The sampler guarantees nothing: it skips a thread whose stack it cannot walk at that moment.
   */
  private static boolean hasBurnt(Path recording) throws IOException {
    return RecordingFile.readAllEvents(recording).stream()
        .filter(event -> event.getEventType().getName().equals("jdk.ExecutionSample"))
        .map(RecordedEvent::getStackTrace)
        .filter(Objects::nonNull)
        .flatMap(stack -> stack.getFrames().stream())
        .anyMatch(frame -> frame.getMethod().getName().equals("burn") && frame.getLineNumber() > 0);
  }

  /** Steps of which each has a worker that is parked for 50 ms, and then sleeps for so long. */
  public static void napping(Path directory, String runId, long napMillis) throws Exception {
    once(
        runId + ", napping for " + napMillis,
        directory,
        to -> napping(to, runId, step -> napMillis));
  }

  /** The same where it sleeps for as long as the step's number says, from 1. */
  public static void napping(Path directory, String runId, IntToLongFunction napMillis)
      throws Exception {
    record(
        new Planted(runId),
        directory,
        List.of("driver", "actor0"),
        0,
        (planted, step) -> worker(planted, step, () -> nap(napMillis.applyAsLong(step))));
  }

  /** Records a run, or writes the files of the last time. */
  private static synchronized void once(String run, Path directory, Recorder recorder)
      throws Exception {
    Map<String, byte[]> known = RECORDED.get(run);
    if (known == null) {
      recorder.record(directory);
      RECORDED.put(run, files(directory));
      return;
    }
    for (Map.Entry<String, byte[]> file : known.entrySet()) {
      Path to = directory.resolve(file.getKey());
      Files.createDirectories(to.getParent());
      Files.write(to, file.getValue());
    }
  }

  private static Map<String, byte[]> files(Path directory) throws IOException {
    Map<String, byte[]> files = new HashMap<>();
    for (String folder : List.of(PROFILES, TRACES)) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(directory.resolve(folder))) {
        for (Path file : found) {
          files.put(folder + "/" + file.getFileName(), Files.readAllBytes(file));
        }
      }
    }
    return files;
  }

  private interface Step {
    void run(Planted run, int step) throws InterruptedException;
  }

  /**
   * Writes spans and recordings.
   *
   * @param aheadNanos by how much the clock of the last process's host is ahead
   */
  private static void record(
      Planted run, Path directory, List<String> processes, long aheadNanos, Step work)
      throws Exception {
    try (Recording recording = new Recording()) {
      for (String event :
          List.of(
              "jdk.GCPhasePause",
              "jdk.GCHeapSummary",
              "jdk.ExecuteVMOperation",
              "jdk.ThreadPark",
              "jdk.ThreadSleep")) {
        recording.enable(event).withoutThreshold().withStackTrace();
      }
      recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(20));
      recording.start();
      for (int step = 1; step <= STEPS; step++) {
        work.run(run, step);
      }
      Path profiles = Files.createDirectories(directory.resolve(PROFILES));
      int last = processes.size() - 1;
      for (String process : processes.subList(0, last)) {
        recording.dump(profiles.resolve(process + ".1.jfr"));
      }
      Clock clock = new Clock();
      clock.epochNanos = Planted.START + now() + aheadNanos;
      clock.runId = run.runId();
      clock.commit();
      recording.dump(profiles.resolve(processes.get(last) + ".1.jfr"));
    }
    Path traces = Files.createDirectories(directory.resolve(TRACES));
    Files.writeString(traces.resolve("traces.jsonl"), lines(run.spans()));
  }

  private static void worker(Planted run, int step, Runnable work) throws InterruptedException {
    Thread worker = new Thread(work);
    long start = now();
    worker.start();
    worker.join();
    long end = now();
    long root =
        run.span(step, 0, "pipeline_step", "driver@a", start, end, "global_step", (long) step);
    run.span(step, root, "generate", "actor0@a", start, end, "thread.id", worker.getId());
  }

  private static void nap(long millis) {
    long until = System.nanoTime() + NAP_PARKED_NANOS;
    for (long left = NAP_PARKED_NANOS; left > 0; left = until - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void burn() {
    // Of processor time: otherwise there would be no sample on a busy machine.
    long until = THREADS.getCurrentThreadCpuTime() + BURNT_NANOS;
    while (THREADS.getCurrentThreadCpuTime() < until) {
      for (int i = 0; i < 50_000; i++) {
        burnt = Math.sqrt(burnt + i);
      }
    }
  }

  private static void collect(Planted run, int step, long aheadNanos) throws InterruptedException {
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
