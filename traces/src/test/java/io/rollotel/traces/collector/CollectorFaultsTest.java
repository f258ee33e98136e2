package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.kit.Requests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Faults that end a process or a disk; {@code collect} runs in a JVM of its own. */
@Timeout(600)
class CollectorFaultsTest {

  /** The property for a longer run. */
  private static final int KILLS = Integer.getInteger("collector.kills", 3);

  @TempDir Path dir;

  @Tag("campaign")
  @Test
  void killedUnderLoad_losesNothingAcknowledged() throws Exception {
    AtomicLong nextSpan = new AtomicLong(1);
    Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    for (int kill = 0; kill < KILLS; kill++) {
      CountDownLatch isUnderLoad = new CountDownLatch(40);
      try (CollectorProcess collector = CollectorProcess.start(dir, List.of())) {
        List<Thread> senders =
            List.of(
                new Thread(() -> send(collector, nextSpan, acknowledged, isUnderLoad)),
                new Thread(() -> send(collector, nextSpan, acknowledged, isUnderLoad)));
        senders.forEach(Thread::start);
        isUnderLoad.await();
        collector.kill();
        for (Thread sender : senders) {
          sender.join();
        }
      }
    }
    Set<String> read = new HashSet<>();
    ReadSummary summary = new TracesReader().read(dir, span -> read.add(span.spanId()));
    Set<String> missing = new HashSet<>(acknowledged);
    missing.removeAll(read);
    assertThat(missing).isEmpty();
    assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(KILLS * 40);
    assertThat(summary.unreadableLines()).isZero();
    assertThat(summary.tornLines()).isLessThanOrEqualTo(KILLS);
  }

  private static void send(
      CollectorProcess collector,
      AtomicLong nextSpan,
      Set<String> acknowledged,
      CountDownLatch sent) {
    try {
      while (true) {
        long id = nextSpan.getAndIncrement();
        byte[] request = Requests.of(List.of(Requests.span(1, id, 0, "x".repeat(3000), 5, 3)));
        if (collector.post(request).statusCode() == 200) {
          acknowledged.add(String.format("%016x", id));
          sent.countDown();
        }
      }
    } catch (IOException | InterruptedException killed) {
      // as was to be
    }
  }

  @Test
  void fullDisk_isToldToTheSenderAndWritingGoesOnWhenThereIsRoom() throws Exception {
    assumeThat(Path.of("/bin/bash")).exists();
    Path file = dir.resolve("traces/traces.jsonl");
    // 64 KiB for each file, which a disk with room again has again.
    List<String> shell = List.of("/bin/bash", "-c", "ulimit -f 64; exec \"$@\"", "-");
    try (CollectorProcess collector = CollectorProcess.start(dir, shell)) {
      byte[] request = Requests.of(List.of(Requests.span(1, 2, 0, "x".repeat(10_000), 5, 3)));
      int accepted = 0;
      while (collector.post(request).statusCode() == 200) {
        accepted++;
      }
      assertThat(accepted).isBetween(3, 7);
      assertThat(collector.post(request).statusCode()).isEqualTo(503);
      assertThat(collector.post(request).headers().firstValue("Retry-After")).isPresent();
      assertThat(Files.readAllLines(file)).hasSize(accepted).allMatch(line -> line.endsWith("}"));
      Files.move(file, dir.resolve("elsewhere"));
      assertThat(collector.post(request).statusCode()).isEqualTo(200);
      assertThat(Files.readAllLines(file)).hasSize(1);
      assertThat(collector.stop().toString())
          .contains((accepted + 1) + " requests accepted", "3 requests refused: 3 unwritable");
    }
  }

  @Test
  void fullDisk_costsNoLineThatAnotherHasAppended() throws Exception {
    assumeThat(Path.of("/bin/bash")).exists();
    Path file = dir.resolve("traces/traces.jsonl");
    List<String> shell = List.of("/bin/bash", "-c", "ulimit -f 64; exec \"$@\"", "-");
    try (CollectorProcess collector = CollectorProcess.start(dir, shell)) {
      byte[] request = Requests.of(List.of(Requests.span(1, 2, 0, "x".repeat(10_000), 5, 3)));
      assertThat(collector.post(request).statusCode()).isEqualTo(200);
      try (TracesWriter another = TracesWriter.open(file.toFile())) {
        while (Files.size(file) < 60 << 10) {
          another.write(request, 0, request.length);
        }
      }
      byte[] before = Files.readAllBytes(file);
      assertThat(collector.post(request).statusCode()).isEqualTo(503);
      assertThat(file).hasBinaryContent(before);
    }
  }

  @Test
  void secondCollectorInTheSameDirectory_isRefused() throws Exception {
    try (CollectorProcess first = CollectorProcess.start(dir, List.of())) {
      ProcessBuilder second = new ProcessBuilder(first.command());
      assertThat(second.redirectErrorStream(true).start().waitFor()).isEqualTo(1);
    }
  }
}
