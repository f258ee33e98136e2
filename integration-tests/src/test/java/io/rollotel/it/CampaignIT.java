package io.rollotel.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.CountedSpans;
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
      assertThat(CountedSpans.below(directory.resolve("output"))).isEqualTo(made);
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
      CampaignOutcome outcome = CampaignOutcome.of(seed, where);
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
        outcome = CampaignOutcome.of(seed, where);
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
