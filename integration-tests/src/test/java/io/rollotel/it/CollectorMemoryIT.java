package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rollotel.it.kit.CollectProcess;
import io.rollotel.it.kit.CollectorLoad;
import io.rollotel.it.kit.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The resources that {@code collect} uses, started without JVM options, under loads far beyond its
 * limits. The property {@code collector.load.seconds} makes them longer, {@code collector.options}
 * adds options for the JVM, one a line.
 */
class CollectorMemoryIT {

  private static final int SECONDS = Integer.getInteger("collector.load.seconds", 2);
  private static final int MOST_MIB = 256;
  private static final List<String> OPTIONS =
      System.getProperty("collector.options", "").lines().toList();

  private static final String PROTOBUF = "application/x-protobuf";
  private static final String JSON = "application/json";

  /** What is sent, and whether some of it is to be taken, or none of it can be. */
  enum Load {
    TWO_SENDERS(true, load -> load.grpc(2, 1, CollectorLoad.request(146_000), "identity")),
    MANY_SENDERS(true, load -> load.grpc(100, 1, CollectorLoad.request(1_200_000), "identity")),
    LARGE_REQUESTS(true, load -> load.grpc(200, 1, CollectorLoad.request(5_000_000), "identity")),
    MANY_STREAMS(true, load -> load.grpc(64, 64, CollectorLoad.request(146_000), "identity")),
    GZIP(true, load -> load.grpc(50, 2, CollectorLoad.request(1_200_000), "gzip")),
    GZIP_BOMBS(false, load -> load.grpc(50, 4, new byte[16_700_000], "gzip")),
    TINY_FRAMES(false, load -> load.frames(200, 10, 1)),
    FRAMES_BEYOND_THE_WINDOW(false, load -> load.frames(200, 10, 1000)),
    HTTP(true, load -> load.http(200, CollectorLoad.request(1_200_000), PROTOBUF, false, 0)),
    HTTP_LARGE(true, load -> load.http(200, CollectorLoad.request(5_000_000), PROTOBUF, false, 0)),
    HTTP_SLOW(true, load -> load.http(256, CollectorLoad.request(400_000), PROTOBUF, false, 5000)),
    HTTP_GZIP(
        true,
        load ->
            load.http(
                100, CollectorLoad.gzip(CollectorLoad.request(5_000_000)), PROTOBUF, true, 0)),
    HTTP_GZIP_BOMBS(
        false, load -> load.http(200, CollectorLoad.gzip(new byte[16_700_000]), PROTOBUF, true, 0)),
    HTTP_JSON(true, load -> load.http(100, CollectorLoad.json(5_000_000, 10), JSON, false, 0)),
    /** The parser holds a text as a whole, in two bytes for each character. */
    HTTP_JSON_OF_ONE_TEXT(
        true, 400, load -> load.http(50, CollectorLoad.json(8_000_000, 8_000_000), JSON, false, 0));

    private final boolean isGood;
    private final int mostMib;
    private final Consumer<CollectorLoad> send;

    Load(boolean isGood, Consumer<CollectorLoad> send) {
      this(isGood, MOST_MIB, send);
    }

    Load(boolean isGood, int mostMib, Consumer<CollectorLoad> send) {
      this.isGood = isGood;
      this.mostMib = mostMib;
      this.send = send;
    }
  }

  private @TempDir Path directory;

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource
  void collectorUnderLoad_takesAQuarterOfAGibibyteAtMost(Load load) throws Exception {
    assumeThat(Path.of("/proc/self/status")).exists();
    CollectProcess collector = CollectProcess.start(directory, 0, 0, OPTIONS);
    try (CollectorLoad senders = new CollectorLoad(collector)) {
      load.send.accept(senders);
      Thread.sleep(SECONDS * 1000L);
      if (load.isGood) {
        Patience.until(
            () -> load + ": a request is accepted; refused: " + senders.refused(),
            ProcessHandle.of(collector.pid()).orElseThrow(),
            () -> senders.accepted() > 0);
      }
      int mib = peakMib(collector.pid());
      System.out.printf(
          "%s: %d MiB, %d requests accepted, %d refused%n",
          load, mib, senders.accepted(), senders.refused());
      assertThat(mib).as("MiB under %s", load).isLessThanOrEqualTo(load.mostMib);
      assertThat(senders.sent()).isPositive();
      if (!load.isGood) {
        assertThat(senders.accepted()).isZero();
      }
    }
  }

  private static int peakMib(long pid) throws IOException {
    List<String> lines = Files.readAllLines(Path.of("/proc/" + pid + "/status"));
    return lines.stream()
        .filter(line -> line.startsWith("VmHWM:"))
        .mapToInt(line -> Integer.parseInt(line.replaceAll("\\D", "")) / 1024)
        .findFirst()
        .orElseThrow();
  }
}
