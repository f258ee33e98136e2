package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.api.trace.Span;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.recorder.Recorder;
import io.rollotel.agent.sdk.Run;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.otlp.MalformedRequestException;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.RecordingLayout;
import io.rollotel.traces.recording.Recordings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever goes wrong during export, each span is delivered, is in the own file, can be recovered,
 * or is counted as lost.
 */
class SpanAccountTest {

  private static final int SEEDS = 150;
  private static final int QUEUE = 40;

  /** No test waits for it. */
  private static final int HOUR_MILLIS = 3_600_000;

  private static final Pattern COUNTS =
      Pattern.compile(
          "([\\d,]+) spans exported, ([\\d,]+) dropped(?:, ([\\d,]+) kept in its own file)?");

  private @TempDir Path directory;

  @Tag("campaign")
  @Test
  void everySpan_isInOneCountWhateverFails() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      try (Stderr stderr = new Stderr()) {
        run(seed, Files.createDirectory(directory.resolve("seed" + seed)));
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private void run(int seed, Path output) throws Exception {
    Random random = new Random(seed);
    Path received = directory.resolve("received" + seed + ".jsonl");
    Recorder recorder =
        new Recorder(RecordingLayout.LEAST_BYTES, output.resolve(Recordings.FOLDER).toFile());
    recorder.open("host-1", Map.of());
    if (random.nextInt(4) == 0) {
      Files.writeString(output.resolve("traces"), "no file can be made here, ever");
    }
    Server server = new Server(random, received);
    Set<String> made = new HashSet<>();
    boolean isKilled = random.nextBoolean();
    try (Run run = Run.withEndpoint(output, server.endpoint(), HOUR_MILLIS, QUEUE, recorder)) {
      for (int step = 3 + random.nextInt(10); step > 0; step--) {
        switch (random.nextInt(6)) {
          case 0 -> blockOwnFile(run);
          case 1 -> Files.deleteIfExists(blocked(run.ownFile().toPath()));
          case 2, 3 -> run.queue.getAsLong();
          default -> end(run, random.nextInt(QUEUE), made);
        }
      }
      if (isKilled) {
        Set<String> found = found(received, output, recovered(seed, output));
        assertThat(found).isEqualTo(made);
      } else {
        run.queue.start();
        long patienceNanos = random.nextBoolean() ? 0 : TimeUnit.MILLISECONDS.toNanos(50);
        run.queue.close(System.nanoTime() + patienceNanos, true);
        end(run, random.nextInt(3), made);
        int dropped = countsOf(run, made.size());
        Set<String> found = found(received, output, Set.of());
        assertThat(made).containsAll(found);
        // A request that is still on its way may arrive after all.
        assertThat(made.size() - found.size()).isLessThanOrEqualTo(dropped);
      }
    } finally {
      server.close();
      recorder.close();
    }
  }

  private static void end(Run run, int spans, Set<String> made) {
    for (int i = 0; i < spans; i++) {
      Span span = run.tracer.spanBuilder("span").startSpan();
      made.add(span.getSpanContext().getSpanId());
      span.end();
    }
  }

  /** Like a full disk: the file keeps its contents and takes nothing more. */
  private static void blockOwnFile(Run run) throws IOException {
    Path file = run.ownFile().toPath();
    if (!Files.isDirectory(file.getParent()) || Files.isDirectory(file)) {
      return;
    }
    run.delivery.close();
    if (Files.exists(file)) {
      Files.move(file, file.resolveSibling("before-" + System.nanoTime() + ".jsonl"));
    }
    Files.createDirectory(file);
  }

  private static Path blocked(Path file) {
    return Files.isDirectory(file) ? file : file.resolveSibling("nothing");
  }

  /** Fails unless each span was counted once; returns how many were dropped. */
  private static int countsOf(Run run, int made) {
    Matcher counts = COUNTS.matcher(run.account.spans());
    assertThat(counts.matches()).as(run.account.spans()).isTrue();
    int dropped = number(counts.group(2));
    assertThat(number(counts.group(1)) + dropped + number(counts.group(3)))
        .as(run.account.spans())
        .isEqualTo(made);
    return dropped;
  }

  private static int number(String digits) {
    return digits == null ? 0 : Integer.parseInt(digits.replace(",", ""));
  }

  /** Fails if a span could be recovered that has also been delivered or kept. */
  private static Set<String> found(Path received, Path output, Set<String> recovered)
      throws IOException {
    Set<String> found = new HashSet<>();
    read(received, found);
    if (Files.isDirectory(output.resolve("traces"))) {
      try (Stream<Path> files = Files.list(output.resolve("traces"))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          read(file, found);
        }
      }
    }
    assertThat(recovered).noneMatch(found::contains);
    found.addAll(recovered);
    return found;
  }

  private static void read(Path file, Set<String> ids) throws IOException {
    if (Files.exists(file)) {
      new TracesReader().read(file, span -> ids.add(span.spanId()));
    }
  }

  /** What the next driver would find if the process were killed now. */
  private Set<String> recovered(int seed, Path output) throws IOException {
    Path copy = Files.createDirectories(directory.resolve("dead" + seed + "/open"));
    Files.copy(output.resolve("open/host-1.rec"), copy.resolve("host-1.rec"));
    List<Recording> all = Recordings.read(copy.getParent()).all();
    assertThat(all).hasSize(1);
    assertThat(all.get(0).overwrittenSpans()).isZero();
    Set<String> ids = new HashSet<>();
    all.get(0).ended().forEach(span -> ids.add(span.spanId()));
    return ids;
  }

  /** Takes some requests, refuses others, and hangs up on the rest. */
  private static final class Server {

    private final HttpServer server;
    private final TracesWriter writer;
    private final List<Integer> answers = new ArrayList<>();

    Server(Random random, Path file) throws IOException {
      writer = TracesWriter.open(file.toFile());
      int good = random.nextInt(5);
      for (int i = 0; i < 100; i++) {
        answers.add(i < good ? 200 : List.of(200, 400, 503, 0).get(random.nextInt(4)));
      }
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
      server.createContext("/", this::answer);
      server.start();
    }

    String endpoint() {
      return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
      byte[] body = exchange.getRequestBody().readAllBytes();
      int status = answers.size() > 1 ? answers.remove(0) : answers.get(0);
      if (status == 200) {
        try {
          writer.write(body, 0, body.length);
        } catch (MalformedRequestException e) {
          status = 400;
        }
      }
      if (status != 0) {
        exchange.sendResponseHeaders(status, -1);
      }
      exchange.close();
    }

    void close() throws IOException {
      server.stop(0);
      writer.close();
    }
  }
}
