package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.internal.DefaultConfigProperties;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.Stderr;
import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.file.WaitingFiles;
import io.rollotel.traces.otlp.Signal;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rounds of the replay, one after the other, without its thread. */
class ReplayTest {

  private static final int MOST_ROUNDS = 1_000;
  private static final Pattern SPAN = Pattern.compile("span-\\d+");

  private @TempDir Path directory;
  private final List<String> received = new CopyOnWriteArrayList<>();
  private final Ledger ledger = new Ledger();
  private HttpServer server;
  private volatile int status = 200;

  /** The status for a request that holds this. */
  private volatile String refused = "in no request";

  private volatile int ofRefused = 400;

  /** What is longer is refused. */
  private volatile int mostBytes = Integer.MAX_VALUE;

  /** The answer to what is taken. */
  private volatile byte[] partial = {};

  private String protocol = "http/protobuf";
  private boolean mayGo = true;
  private Path traces;
  private File own;
  private Replay replay;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/v1/traces",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1);
          boolean isRefused = body.contains(refused) || body.length() > mostBytes;
          int answer = isRefused ? ofRefused : status;
          if (answer == 200 && !body.isEmpty()) {
            SPAN.matcher(body).results().forEach(found -> received.add(found.group()));
          }
          exchange.sendResponseHeaders(answer, partial.length == 0 ? -1 : partial.length);
          exchange.getResponseBody().write(partial);
          exchange.close();
        });
    server.start();
    traces = Files.createDirectories(directory.resolve("traces"));
    own = traces.resolve("host-1.jsonl").toFile();
    WaitingFiles.begin(own, endpoints());
    replay = replay();
  }

  @AfterEach
  void stop() throws IOException {
    replay.release();
    WaitingFiles.end(own);
    server.stop(0);
  }

  private List<String> endpoints() {
    return List.of("http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces");
  }

  private Replay replay() {
    Map<String, String> settings = new HashMap<>();
    settings.put(
        "otel.exporter.otlp.endpoint",
        "http://user:secret@127.0.0.1:" + server.getAddress().getPort());
    settings.put("otel.java.exporter.otlp.retry.disabled", "true");
    if (!protocol.isEmpty()) {
      settings.put("otel.exporter.otlp.protocol", protocol);
    }
    ConfigProperties config = DefaultConfigProperties.createFromMap(settings);
    Replay made =
        new Replay(
            new WaitingFiles(own, endpoints()),
            () -> WaitingFiles.setAside(own),
            () -> OtlpEndpoint.ofUser(config, Signal.TRACES, new SpokenProtocols()),
            () -> mayGo,
            ledger);
    made.getAsLong(); // which only waits
    return made;
  }

  private void write(String... lines) throws IOException {
    Files.writeString(own.toPath(), String.join("", lines));
  }

  private static String line(int... spans) {
    StringBuilder line = new StringBuilder("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[");
    for (int span : spans) {
      line.append(span == spans[0] ? "" : ",");
      line.append("{\"traceId\":\"").append("0".repeat(31)).append("1\",\"spanId\":\"");
      line.append(String.format("%016x", span)).append("\",\"name\":\"span-").append(span);
      line.append("\"}");
    }
    return line.append("]}]}]}\n").toString();
  }

  /** Until no file waits. */
  private void untilAllIsSent() {
    for (int round = 0; waiting() > 0; round++) {
      assertThat(round).as("rounds").isLessThan(MOST_ROUNDS);
      replay.getAsLong();
    }
  }

  private int waiting() {
    return WaitingFiles.count(directory.toFile()).files();
  }

  @Test
  void whatWaits_isSentInItsOrderAndTakenAway() throws IOException {
    write(line(1), line(2), line(3));
    untilAllIsSent();
    assertThat(received).containsExactly("span-1", "span-2", "span-3");
    assertThat(traces.toFile().list()).containsExactly("host-1.jsonl.sent");
    assertThat(ledger.spans()).endsWith(", 3 sent from such files");
    assertThat(replay.ownSpans()).isEqualTo(3);
  }

  @Test
  void filesThatALongOutageHasFilled_areSentInTheirOrder() throws Exception {
    FileRules twoLinesEach = new FileRules(0, 2, false, false);
    try (TracesWriter writer = TracesWriter.open(own, Signal.TRACES, twoLinesEach)) {
      for (int span = 1; span <= 7; span++) {
        byte[] line = line(span).getBytes(StandardCharsets.UTF_8);
        writer.writeJson(line, 0, line.length);
      }
    }
    assertThat(waiting()).isEqualTo(4);
    untilAllIsSent();
    assertThat(received)
        .containsExactly("span-1", "span-2", "span-3", "span-4", "span-5", "span-6", "span-7");
    assertThat(traces.toFile().list()).containsExactly("host-1.jsonl.sent");
  }

  @Test
  void liveSpansThatDoNotGetThrough_holdItBack() throws IOException {
    write(line(1));
    mayGo = false;
    assertThat(replay.getAsLong()).isLessThan(TimeUnit.SECONDS.toNanos(1));
    assertThat(received).isEmpty();
    assertThat(own).exists();
    mayGo = true;
    assertThat(replay.getAsLong()).as("not all processes at once").isPositive();
    assertThat(received).isEmpty();
    untilAllIsSent();
    assertThat(received).hasSize(1);
  }

  /**
   * Also a wrong token, or a pipeline that is not up yet: the waiting spans are not the cause, and
   * stay.
   */
  @ParameterizedTest
  @CsvSource({"503, false", "401, false", "404, true", "500, true", "400, true", "400, false"})
  void endpointThatTakesNothing_isAskedEverMoreSeldomAndNothingIsLost(
      int answer, boolean takesEmptyRequests) throws IOException {
    write(line(1), line(2), line(3), line(4));
    if (takesEmptyRequests) {
      refused = "span-";
      ofRefused = answer;
    } else {
      status = answer;
    }
    long longestNanos = 0;
    for (int i = 0; i < 200; i++) {
      longestNanos = Math.max(longestNanos, replay.getAsLong());
    }
    assertThat(longestNanos).isBetween(TimeUnit.SECONDS.toNanos(10), TimeUnit.SECONDS.toNanos(45));
    assertThat(waiting()).isOne();
    assertThat(traces.resolve("refused")).doesNotExist();
    status = 200;
    refused = "in no request";
    replay.release(); // as after ten minutes
    replay = replay();
    untilAllIsSent();
    assertThat(received).containsExactly("span-1", "span-2", "span-3", "span-4");
  }

  @ParameterizedTest
  @CsvSource({"400, http/protobuf", "413, http/protobuf", "500, http/protobuf", "400, ''"})
  void lineThatIsRefusedForGood_isKeptAndCostsNoOther(int answer, String spoken)
      throws IOException {
    protocol = spoken;
    replay = replay();
    write(line(1), line(2), "no request\n", line(3));
    refused = "span-2";
    ofRefused = answer;
    try (Stderr stderr = new Stderr()) {
      untilAllIsSent();
      assertThat(received).containsExactly("span-1", "span-3");
      assertThat(kept())
          .hasSize(2)
          .contains("no request")
          .anyMatch(line -> line.contains("span-2"));
      assertThat(stderr.lines())
          .hasSize(2)
          .allMatch(line -> line.contains(traces.resolve("refused").toString()))
          .anyMatch(line -> line.contains("HTTP status " + answer))
          .anyMatch(line -> line.contains(" 2 lines of "))
          .noneMatch(line -> line.contains("secret"));
      assertThat(ledger.spans()).contains(", 1 refused and kept");
    }
    assertThat(replay.ownSpans()).as("of this process, nothing waits any more").isEqualTo(3);
  }

  private List<String> kept() throws IOException {
    List<String> lines = new ArrayList<>();
    File[] files = traces.resolve("refused").toFile().listFiles();
    for (File file : files == null ? new File[0] : files) {
      lines.addAll(Files.readAllLines(file.toPath()));
    }
    return lines;
  }

  @Test
  void lineThatIsRefusedOnce_isSentOnceMore() throws IOException {
    write(line(1), line(2), line(3));
    replay.getAsLong();
    refused = "span-2";
    replay.getAsLong();
    refused = "in no request";
    untilAllIsSent();
    assertThat(received).containsExactly("span-1", "span-3", "span-2");
    assertThat(traces.resolve("refused")).doesNotExist();
  }

  @Test
  void largeLine_losesNoMoreThanTheSpansThatAreRefused() throws IOException {
    write(line(1, 2, 3, 4, 5, 6, 7, 8, 9), line(10));
    refused = "span-6";
    untilAllIsSent();
    assertThat(received).hasSize(9).doesNotContain("span-6");
    assertThat(kept()).singleElement().asString().contains("span-6").doesNotContain("span-5");
  }

  /** As where each is larger than the endpoint takes. */
  @Test
  void allLinesRefusedAsAWhole_arriveInParts() throws IOException {
    for (int i = 0; i < 5; i++) {
      Files.writeString(
          own.toPath(),
          line(10 + 2 * i, 11 + 2 * i),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
    mostBytes = 60;
    untilAllIsSent();
    assertThat(received).hasSize(10).doesNotHaveDuplicates();
    assertThat(traces.resolve("refused")).doesNotExist();
  }

  @Test
  void lastLineThatIsRefused_goesWhereLiveSpansAreTaken() throws IOException {
    write(line(1));
    refused = "span-1";
    for (int i = 0; i < 8; i++) {
      replay.getAsLong();
    }
    assertThat(waiting()).as("nothing else shows who is to blame").isOne();
    ledger.exported(1);
    untilAllIsSent();
    assertThat(kept()).hasSize(1);
  }

  @Test
  void lineThatNobodyCanJudge_leavesOtherFilesTheirTurn() throws Exception {
    write(line(1));
    refused = "span-1";
    for (int i = 0; i < 100; i++) {
      replay.getAsLong();
    }
    write(line(2));
    for (int i = 0; i < 20; i++) {
      replay.getAsLong();
    }
    assertThat(received).containsExactly("span-2");
    assertThat(waiting()).isOne();
  }

  @Test
  void spansThatAreRejectedOfARequestThatIsTaken_areCountedAndKept() throws IOException {
    partial = new byte[] {10, 6, 8, 1, 18, 2, 'n', 'o'};
    write(line(1, 2), line(3));
    try (Stderr stderr = new Stderr()) {
      untilAllIsSent();
      assertThat(stderr.lines()).anyMatch(line -> line.contains("rejects") && line.contains("no"));
    }
    assertThat(kept()).hasSize(2);
    assertThat(ledger.spans()).contains(", 1 sent from such files, 2 refused and kept");
  }

  @Test
  void failureOfItsOwn_isCountedAndSaidAndTriedEverMoreSeldom() throws IOException {
    write(line(1));
    Replay broken =
        new Replay(
            new WaitingFiles(own, endpoints()),
            () -> {
              throw new IllegalStateException("broken");
            },
            () -> {
              throw new IOException("not asked");
            },
            () -> true,
            ledger);
    broken.getAsLong();
    try (Stderr stderr = new Stderr()) {
      long first = broken.getAsLong();
      long last = 0;
      for (int i = 0; i < 8; i++) {
        last = broken.getAsLong();
      }
      assertThat(first).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(500));
      assertThat(last).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(15));
      assertThat(stderr.lines()).singleElement().asString().contains("broken");
    }
    assertThat(ledger.spans()).contains(", 9 failures of the replay");
  }

  @Test
  void secondOutage_sendsTheRestAfterwards() throws IOException {
    write(line(1), line(2));
    replay.getAsLong();
    assertThat(received).containsExactly("span-1");
    status = 503;
    replay.getAsLong();
    replay.getAsLong();
    status = 200;
    untilAllIsSent();
    assertThat(received).containsExactly("span-1", "span-2");
  }

  @Test
  void processThatEndsOnTheWay_leavesTheRestToTheNext() throws IOException {
    write(line(1), line(2), line(3));
    replay.getAsLong();
    Replay first = replay;
    replay = replay();
    replay.getAsLong();
    assertThat(received).as("the first has the file").containsExactly("span-1");
    first.stop();
    first.release();
    assertThat(first.getAsLong()).isPositive();
    untilAllIsSent();
    assertThat(received).containsExactly("span-1", "span-2", "span-3");
  }

  @Test
  void afterALine_itRestsAsLongAsItsRateTakes() throws IOException {
    write(line(1).replace("\"spans\":[", "\"spans\":[" + many(5_000)));
    // 10,000 a second, less the time that sending took.
    assertThat(replay.getAsLong())
        .isBetween(TimeUnit.MILLISECONDS.toNanos(200), TimeUnit.SECONDS.toNanos(5));
  }

  private static String many(int spans) {
    return ("{\"traceId\":\"" + "0".repeat(31) + "2\",\"spanId\":\"0000000000000009\"},")
        .repeat(spans);
  }
}
