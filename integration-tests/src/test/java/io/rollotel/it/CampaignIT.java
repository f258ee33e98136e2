package io.rollotel.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.FaultyNetwork;
import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.FreePort;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.Protobuf;
import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The campaign of docs/reliability.md, in short; {@code engines/campaign} has it at length. Each
 * test prints its figures.
 */
@Tag("engines")
class CampaignIT {

  private static final int KILLS = Integer.getInteger("campaign.kills", 3);
  private static final int SOAK_SECONDS = Integer.getInteger("campaign.soak", 20);

  /** How often a seed runs again if an OutOfMemoryError has ended its program. */
  private static final int ATTEMPTS = 5;

  private static final int SEEDS = Integer.getInteger("campaign.seeds", 6);
  private static final int FIRST_SEED = Integer.getInteger("campaign.first.seed", 1);

  /** How much longer than without the agent; the default allows for a busy machine. */
  private static final int MAX_SECONDS = Integer.getInteger("campaign.seconds", 60);

  /** Without it: in a full heap the JDK itself may end the JVM, though seldom. */
  private static final boolean FULL_HEAP = Boolean.getBoolean("campaign.heap");

  /** The library libfaketime, by which a program's clock can be set back; none by default. */
  private static final String FAKE_CLOCK = System.getProperty("campaign.clock", "");

  private static final int STEPS = Integer.getInteger("campaign.steps", 25);

  /** In a full heap; from then on nothing is traced, and this line reports it. */
  private static final String NEVER_BEGAN = "the SDK cannot be built";

  private static final Pattern RESULT = Pattern.compile("= (-?\\d+) (\\d+) (\\d+)");

  private @TempDir Path directory;

  // ---- the collector is killed under load

  @Test
  void collectorKilledUnderLoad_hasEveryAcknowledgedSpanAndNoTornLine() throws Exception {
    Random random = new Random(KILLS);
    Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
    AtomicLong next = new AtomicLong(1);
    int port = FreePort.find();
    AtomicBoolean isOver = new AtomicBoolean();
    List<Thread> senders = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Thread sender = new Thread(() -> send(port, next, acknowledged, isOver));
      sender.start();
      senders.add(sender);
    }
    try {
      for (int kill = 0; kill < KILLS; kill++) {
        int before = acknowledged.size();
        try (CollectProcess collector = CollectProcess.start(directory, port, 0)) {
          Patience.until(() -> "acknowledged", () -> acknowledged.size() > before);
          Thread.sleep(random.nextInt(300));
          collector.signal("KILL");
        }
      }
    } finally {
      isOver.set(true);
      for (Thread sender : senders) {
        sender.join();
      }
    }
    Set<Long> found = new HashSet<>();
    ReadSummary summary =
        new TracesReader()
            .read(directory, span -> found.add(Long.parseUnsignedLong(span.spanId(), 16)));
    assertThat(summary.unreadableLines()).isZero();
    acknowledged.removeAll(found);
    assertThat(acknowledged).as("acknowledged and not there").isEmpty();
    System.out.printf("campaign: %d kills, %,d spans found, none lost%n", KILLS, found.size());
  }

  /** Ten spans a request, whatever becomes of it. */
  private static void send(
      int port, AtomicLong next, Set<Long> acknowledged, AtomicBoolean isOver) {
    while (!isOver.get()) {
      List<Long> ids = new ArrayList<>();
      ByteArrayOutputStream spans = new ByteArrayOutputStream();
      for (int i = 0; i < 10; i++) {
        long id = next.getAndIncrement();
        ids.add(id);
        Protobuf.field(spans, 2, span(id));
      }
      byte[] request = Protobuf.message(1, Protobuf.message(2, spans.toByteArray()));
      try {
        HttpURLConnection connection =
            (HttpURLConnection)
                URI.create("http://127.0.0.1:" + port + "/v1/traces").toURL().openConnection();
        connection.setDoOutput(true);
        connection.setConnectTimeout(1000);
        connection.setReadTimeout(10_000);
        connection.setRequestProperty("Content-Type", "application/x-protobuf");
        connection.getOutputStream().write(request);
        if (connection.getResponseCode() == 200) {
          acknowledged.addAll(ids);
        }
      } catch (IOException killed) {
        // Nobody has said that these are there.
      }
    }
  }

  private static byte[] span(long id) {
    byte[] spanId = ByteBuffer.allocate(8).putLong(id).array();
    ByteArrayOutputStream span = new ByteArrayOutputStream();
    Protobuf.field(span, 1, ByteBuffer.allocate(16).putLong(8, id).array());
    Protobuf.field(span, 2, spanId);
    Protobuf.field(span, 5, "killed".getBytes(UTF_8));
    return span.toByteArray();
  }

  // ---- a steady load in a small heap

  @Test
  void steadyLoadInASmallHeap_growsNowhereAndLosesNoSpan() throws Exception {
    try (LiveProgram worker =
        ProgramRun.of(directory, SteadyWorker.class, "5000")
            .jvmOptions("-Xmx128m")
            .environment("ROLL_OTEL_LOG", "info")
            .environment("ROLL_OTEL_FILE_GZIP", "true")
            .start()) {
      worker.await("= ready");
      List<Sample> samples = new ArrayList<>();
      for (int quarter = 0; quarter < 4; quarter++) {
        TimeUnit.MILLISECONDS.sleep(SOAK_SECONDS * 250L);
        samples.add(Sample.of(worker.handle()));
        System.out.printf("campaign: after quarter %d %s%n", quarter + 1, samples.get(quarter));
      }
      long made = Long.parseLong(worker.ask("stop"));
      List<String> said = worker.end();
      assertThat(said).anyMatch(line -> line.contains(" 0 dropped"));
      assertThat(spans(directory.resolve("output"))).isEqualTo(made);
      System.out.printf("campaign: %d s, %,d spans, none lost%n", SOAK_SECONDS, made);
      Sample first = samples.get(0);
      Sample last = samples.get(3);
      assertThat(last.liveKib()).as("heap: %s", samples).isLessThan(first.liveKib() + 4_096);
      assertThat(last.threads()).as("threads: %s", samples).isLessThan(first.threads() + 5);
      assertThat(last.descriptors()).as("files: %s", samples).isLessThan(first.descriptors() + 5);
    }
  }

  /** What a process has at a time. */
  private record Sample(long liveKib, int threads, int descriptors) {

    static Sample of(ProcessHandle process) throws Exception {
      String pid = Long.toString(process.pid());
      String histogram =
          Finished.of(new ProcessBuilder(Finished.jdk("jcmd"), pid, "GC.class_histogram"))
              .isWell()
              .out();
      String total = histogram.substring(histogram.lastIndexOf("Total")).strip();
      long bytes = Long.parseLong(total.split("\\s+")[2]);
      try (Stream<Path> threads = Files.list(Path.of("/proc", pid, "task"));
          Stream<Path> files = Files.list(Path.of("/proc", pid, "fd"))) {
        return new Sample(bytes / 1024, (int) threads.count(), (int) files.count());
      }
    }
  }

  // ---- faults at random

  @Test
  void faultsAtRandom_leaveTheProgramsResultAndAnExactAccount() throws Exception {
    List<String> failures = new ArrayList<>();
    double worstSeconds = 0;
    long spans = 0;
    long dropped = 0;
    int plainOutOfMemory = 0;
    int tracedOutOfMemory = 0;
    for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      Path where = Files.createDirectory(directory.resolve("seed" + seed));
      Outcome outcome = Outcome.of(seed, where);
      for (int again = 0; again < ATTEMPTS && outcome.isOutOfMemory(); again++) {
        plainOutOfMemory += outcome.plainIsOutOfMemory() ? 1 : 0;
        tracedOutOfMemory += outcome.tracedIsOutOfMemory() ? 1 : 0;
        System.out.println(
            "campaign: seed "
                + seed
                + " again: an OutOfMemoryError ended it "
                + (outcome.tracedIsOutOfMemory() ? "with" : "without")
                + " the agent");
        delete(where);
        Files.createDirectory(where);
        outcome = Outcome.of(seed, where);
      }
      if (outcome.isTimed()) {
        worstSeconds = Math.max(worstSeconds, outcome.extraSeconds());
      }
      if (outcome.extraSeconds() > 2) {
        System.out.printf(
            Locale.ROOT,
            "campaign: seed %d took %.1f s longer with %s%n",
            seed,
            outcome.extraSeconds(),
            outcome.faults());
      }
      spans += outcome.made();
      dropped += outcome.dropped();
      String failure = outcome.failure();
      if (!failure.isEmpty()) {
        failures.add("seed " + seed + ": " + failure);
        System.out.println("campaign: " + failures.get(failures.size() - 1));
      }
      delete(where);
    }
    System.out.printf(
        Locale.ROOT,
        "campaign: %d seeds, %,d calls, %,d spans said to be dropped; at most %.1f s longer;"
            + " ended by an OutOfMemoryError: %d without the agent, %d with it%n",
        SEEDS,
        spans,
        dropped,
        worstSeconds,
        plainOutOfMemory,
        tracedOutOfMemory);
    assertThat(failures).isEmpty();
  }

  /** Of one seed. */
  private record Outcome(
      String faults,
      boolean isTimed,
      String plain,
      String traced,
      boolean plainIsOutOfMemory,
      boolean tracedIsOutOfMemory,
      String err,
      double extraSeconds,
      long made,
      long unsure,
      long found,
      long dropped) {

    static Outcome of(int seed, Path where) throws Exception {
      try (Faults faults = new Faults(seed, where)) {
        long startNanos = System.nanoTime();
        List<String> plainLines = new ArrayList<>();
        LiveProgram plain = faults.startPlain();
        int plainExitCode = plain.finish(plainLines);
        long plainNanos = System.nanoTime() - startNanos;

        startNanos = System.nanoTime();
        LiveProgram traced = faults.startTraced();
        Thread hands = faults.strike(traced.handle());
        List<String> lines = new ArrayList<>();
        int exitCode = traced.finish(lines);
        double extraSeconds = (System.nanoTime() - startNanos - plainNanos) / 1e9;
        hands.interrupt();
        hands.join();
        faults.end();

        Matcher result = RESULT.matcher(last(lines));
        boolean isThere = result.matches();
        long dropped = lastCount(DROPPED, traced.err()) + lastCount(FAILED, traced.err());
        return new Outcome(
            faults.toString(),
            faults.clock == null, // with libfaketime each reading of a clock is slow
            plainExitCode + " " + sum(plainLines),
            exitCode + " " + sum(lines),
            isOutOfMemory(plainExitCode, plain),
            isOutOfMemory(exitCode, traced),
            traced.err(),
            extraSeconds,
            isThere ? Long.parseLong(result.group(2)) : 0,
            isThere ? Long.parseLong(result.group(3)) : 0,
            spans(where),
            dropped);
      }
    }

    /** With a full heap any allocation of the program may throw it, in its main thread as well. */
    private static boolean isOutOfMemory(int exitCode, LiveProgram program) throws IOException {
      return FULL_HEAP
          && exitCode == 1
          && program.err().contains("Exception in thread \"main\" java.lang.OutOfMemoryError");
    }

    boolean isOutOfMemory() {
      return plainIsOutOfMemory || tracedIsOutOfMemory;
    }

    private static final Pattern DROPPED = Pattern.compile("exported, ([\\d,]+) dropped");
    private static final Pattern FAILED = Pattern.compile("([\\d,]+) failures? inside tracing");

    private static long lastCount(Pattern pattern, String text) {
      long count = 0;
      Matcher counts = pattern.matcher(text);
      while (counts.find()) {
        count = Long.parseLong(counts.group(1).replace(",", ""));
      }
      return count;
    }

    /** What is wrong; empty if nothing is. */
    String failure() {
      List<String> wrong = new ArrayList<>();
      if (!traced.equals(plain)) {
        wrong.add("exit code and sum " + traced + " instead of " + plain);
      }
      if (isTimed && extraSeconds > MAX_SECONDS) {
        wrong.add(String.format(Locale.ROOT, "%.1f s longer", extraSeconds));
      }
      if (found > made) {
        wrong.add(found + " spans of " + made + " calls");
      }
      if (found + dropped < made - unsure && !err.contains(NEVER_BEGAN)) {
        wrong.add(
            (made - unsure - found - dropped)
                + " spans of "
                + made
                + " calls lost without a word ("
                + found
                + " found, "
                + dropped
                + " dropped, "
                + unsure
                + " unsure)");
      }
      return wrong.isEmpty()
          ? ""
          : wrong + " with " + faults + "; said: " + err.strip().replace("\n", " | ");
    }

    private static String last(List<String> lines) {
      return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
    }

    /** The last line, where it is no result. */
    private static String sum(List<String> lines) {
      Matcher result = RESULT.matcher(last(lines));
      return result.matches() ? result.group(1) : "none: " + last(lines);
    }
  }

  /** What a seed does to a program's surroundings. */
  private static final class Faults implements AutoCloseable {

    private enum Collecting {
      HERE,
      OTHER_PROCESS,
      OWN_FILE
    }

    private final Random random;
    private final int seed;
    private final Path where;
    private final Path output;
    private final Collecting collecting;
    private final List<String> done = new ArrayList<>();
    private CollectProcess collector; // null where there is no other process
    private FaultyNetwork network; // null likewise
    private final Path clock; // null where the program has the machine's
    private final String limits;
    private boolean isStopped;
    private boolean isKilled;
    private volatile String broken = "";

    Faults(int seed, Path where) throws Exception {
      this.seed = seed;
      this.where = where;
      random = new Random(seed * 31L);
      output = Files.createDirectories(where.resolve("traced")).resolve("output/otlp");
      collecting = Collecting.values()[random.nextInt(Collecting.values().length)];
      done.add(collecting.toString());
      if (collecting == Collecting.OTHER_PROCESS) {
        collector = CollectProcess.start(output, 0, 0);
        network = FaultyNetwork.to(collector.httpPort());
      }
      int kibibytes = random.nextInt(4) == 0 ? 128 + random.nextInt(8_000) : 0;
      int descriptors = random.nextInt(2) == 0 ? 64 + random.nextInt(200) : 1_024;
      String sizes =
          (kibibytes == 0 ? "" : "ulimit -f " + kibibytes + "; ") + "ulimit -n " + descriptors;
      done.add(sizes);
      clock = FAKE_CLOCK.isEmpty() || random.nextInt(6) != 0 ? null : where.resolve("clock");
      if (clock != null) {
        Files.writeString(clock, "+0\n");
        done.add("clock of its own");
      }
      limits = clock == null ? sizes : sizes + "; " + fakeClock();
    }

    /** Of bash: the clock says what the file says, looked at each second; no other clock does. */
    private String fakeClock() {
      return "export LD_PRELOAD='%s' FAKETIME_TIMESTAMP_FILE='%s' FAKETIME_CACHE_DURATION=1 %s"
          .formatted(FAKE_CLOCK, clock, "DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_FAKE_MONOTONIC=1");
    }

    /** Under the same limits, without the agent. */
    LiveProgram startPlain() throws IOException {
      return program(Files.createDirectories(where.resolve("plain")))
          .withoutAgent()
          .withoutEnvironment("ROLL_OTEL_ENABLED")
          .startLimited(limits);
    }

    LiveProgram startTraced() throws IOException {
      ProgramRun run =
          program(where.resolve("traced"))
              .environment("ROLL_OTEL_LOG", "info")
              .environment("ROLL_OTEL_EXIT_TIMEOUT", "1s");
      if (collecting == Collecting.OTHER_PROCESS) {
        run.environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + network.port());
      } else if (collecting == Collecting.OWN_FILE) {
        run.environment("ROLL_OTEL_EXPORTER", "file");
      }
      return run.startLimited(limits);
    }

    private ProgramRun program(Path in) {
      return ProgramRun.of(in, CampaignWorker.class, seed + "", STEPS + "", FULL_HEAP + "")
          .jvmOptions("-Xmx64m", "-Xss512k", "-XX:-MaxFDLimit");
    }

    /** Runs until it ends by itself or is interrupted. */
    Thread strike(ProcessHandle program) {
      Thread hands =
          new Thread(
              () -> {
                try {
                  for (int i = random.nextInt(5); i > 0 && program.isAlive(); i--) {
                    Thread.sleep(random.nextInt(600));
                    strikeOnce();
                  }
                } catch (InterruptedException over) {
                  // The program has ended.
                } catch (Exception e) {
                  broken = e.toString();
                }
              });
      hands.start();
      return hands;
    }

    private void strikeOnce() throws Exception {
      if (clock != null && random.nextBoolean()) {
        done.add("clock set back");
        Files.writeString(clock, "-" + (1 + random.nextInt(7_200)) + "\n");
        return;
      }
      int fault = random.nextInt(collecting == Collecting.OTHER_PROCESS ? 8 : 2);
      switch (fault) {
        case 0, 1 -> {
          if (Files.isDirectory(output)) {
            done.add("directory removed");
            Files.move(output, where.resolve("away" + done.size()));
          }
        }
        case 2 -> {
          done.add("collector stopped");
          collector.signal("STOP");
          isStopped = true;
          Thread.sleep(random.nextInt(500));
          collector.signal("CONT");
          isStopped = false;
        }
        case 3 -> {
          done.add("collector killed");
          isKilled = true;
          isStopped = false;
          collector.signal("KILL");
          Thread.sleep(random.nextInt(300)); // in which the program may end
          collector = CollectProcess.start(output, collector.httpPort(), 0);
          isKilled = false;
        }
        case 4 -> {
          done.add("collector left stopped");
          collector.signal("STOP");
          isStopped = true;
        }
        default -> {
          FaultyNetwork.State state = FaultyNetwork.State.values()[random.nextInt(4)];
          done.add("network " + state);
          network.set(state);
        }
      }
    }

    /** Spans in flight reach its files. */
    void end() throws Exception {
      assertThat(broken).as("what the test itself could not do").isEmpty();
      if (collector != null) {
        if (isStopped) {
          collector.signal("CONT");
        }
        network.set(FaultyNetwork.State.GOOD);
        if (!isKilled) {
          collector.stop();
        }
      }
    }

    @Override
    public void close() throws Exception {
      if (collector != null) {
        collector.close();
        network.close();
      }
    }

    @Override
    public String toString() {
      return done.toString();
    }
  }

  /** How many there are below a directory, each once. After an hour they are many millions. */
  private static long spans(Path directory) throws IOException {
    SpanIds ids = new SpanIds();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(CampaignIT::isTraces).toList()) {
        ReadSummary summary = new TracesReader().read(file, span -> ids.add(span.spanId()));
        assertThat(summary.unreadableLines()).as(file.toString()).isZero();
      }
    }
    return ids.count();
  }

  private static final class SpanIds {
    private long[] ids = new long[1 << 16];
    private int size;

    void add(String id) {
      if (size == ids.length) {
        ids = Arrays.copyOf(ids, size + size / 2);
      }
      ids[size++] = Long.parseUnsignedLong(id, 16);
    }

    long count() {
      Arrays.sort(ids, 0, size);
      return LongStream.range(0, size)
          .filter(i -> i == 0 || ids[(int) i] != ids[(int) i - 1])
          .count();
    }
  }

  private static boolean isTraces(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".jsonl") || name.endsWith(".jsonl.gz");
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      Path[] deepestFirst = all.toArray(Path[]::new);
      Arrays.sort(deepestFirst, (one, other) -> other.compareTo(one));
      for (Path path : deepestFirst) {
        Files.delete(path);
      }
    }
  }
}
