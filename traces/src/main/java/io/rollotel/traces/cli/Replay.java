package io.rollotel.traces.cli;

import io.rollotel.traces.otlp.Signal;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code replay}: sends files into a collector, Jaeger or Tempo. */
@Command(
    name = "replay",
    customSynopsis =
        Main.JAVA_JAR
            + " replay [-hV] FILE... --endpoint=URL%n"
            + "         [--header=NAME=VALUE] [--rate=SPANS] [--no-join]",
    description = "Sends files into any OTLP/HTTP endpoint, each span once.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Replay implements Callable<Integer> {

  private static final int ATTEMPTS = 5;
  private static final Set<Integer> RETRYABLE = Set.of(429, 502, 503, 504);
  private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(2);

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Mixin private MergedInput input = new MergedInput(); // picocli puts its own here

  @Option(
      names = "--endpoint",
      required = true,
      paramLabel = "URL",
      description = "Such as http://localhost:4318; /v1/traces is appended")
  private URI endpoint = URI.create("");

  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      description = "A header for each request, such as Authorization=Bearer ...")
  private Map<String, String> headers = Map.of();

  @Option(
      names = "--rate",
      paramLabel = "SPANS",
      defaultValue = "0",
      description = "Spans a second at most; default: as fast as they are taken")
  private long rate;

  private long sent;
  private long startNanos;
  private long shownNanos;

  // Made by picocli.
  Replay() {}

  @Override
  public Integer call() throws IOException {
    if (!Set.of("http", "https").contains(String.valueOf(endpoint.getScheme()))) {
      throw new ParameterException(spec.commandLine(), "--endpoint takes an http or https URL.");
    }
    // Not a field: picocli makes every command for each one, and a client is 0.3 s of processor.
    HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();
    shownNanos = System.nanoTime();
    input.check();
    input.read(
        (signal, body, records) -> send(client, signal, body, records),
        spec.commandLine().getErr());
    PrintWriter out = spec.commandLine().getOut();
    out.println(sent + " spans sent to " + endpoint + "; " + input);
    out.flush();
    return 0;
  }

  private void send(HttpClient client, Signal signal, byte[] body, int records) throws IOException {
    startNanos = sent == 0 ? System.nanoTime() : startNanos;
    HttpRequest.Builder request =
        HttpRequest.newBuilder(target(signal))
            .timeout(Duration.ofSeconds(60))
            .header("Content-Type", "application/x-protobuf")
            .POST(BodyPublishers.ofByteArray(body));
    headers.forEach(request::setHeader);
    try {
      HttpResponse<byte[]> answer = client.send(request.build(), BodyHandlers.ofByteArray());
      for (int attempt = 1; RETRYABLE.contains(answer.statusCode()); attempt++) {
        if (attempt == ATTEMPTS) {
          break;
        }
        TimeUnit.SECONDS.sleep(retryAfterSeconds(answer, attempt));
        answer = client.send(request.build(), BodyHandlers.ofByteArray());
      }
      if (answer.statusCode() / 100 != 2) {
        throw new IOException(refusal(answer));
      }
      sent += records;
      progress();
      hold();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted after " + sent + " spans", e);
    }
  }

  private URI target(Signal signal) {
    String base = endpoint.toString();
    String path = "/v1/" + signal.plural();
    if (base.endsWith(path)) {
      return endpoint;
    }
    return URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + path);
  }

  private static long retryAfterSeconds(HttpResponse<?> answer, int attempt) {
    String wanted = answer.headers().firstValue("Retry-After").orElse("");
    return wanted.matches("\\d{1,2}") ? Long.parseLong(wanted) : 1L << attempt;
  }

  private String refusal(HttpResponse<byte[]> answer) {
    String text = new String(answer.body(), StandardCharsets.UTF_8);
    return endpoint
        + " answered "
        + answer.statusCode()
        + " after "
        + sent
        + " spans: "
        + text.replaceAll("\\p{Cntrl}", " ").trim();
  }

  private void progress() {
    long now = System.nanoTime();
    if (now - shownNanos >= PROGRESS_NANOS) {
      shownNanos = now;
      PrintWriter err = spec.commandLine().getErr();
      err.println(sent + " spans sent");
      err.flush();
    }
  }

  /** Waits until so many spans may have been sent. */
  private void hold() throws InterruptedException {
    if (rate > 0) {
      long dueNanos = startNanos + (long) (sent * 1e9 / rate);
      TimeUnit.NANOSECONDS.sleep(dueNanos - System.nanoTime());
    }
  }
}
