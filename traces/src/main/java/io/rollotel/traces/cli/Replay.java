package io.rollotel.traces.cli;

import io.rollotel.traces.otlp.Signal;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
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
        "replay [-hV] FILE... --endpoint=URL [--header=NAME=VALUE] [--rate=SPANS] [--no-join]",
    description =
        "Sends files to an OTLP endpoint, each span once. Detects whether the port speaks gRPC"
            + " or HTTP.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Replay implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Mixin private MergedInput input = new MergedInput(); // picocli puts its own here

  @Option(
      names = "--endpoint",
      required = true,
      paramLabel = "URL",
      description = "The endpoint, such as http://localhost:4318. For HTTP, /v1/traces is appended")
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
      description =
          "The highest number of spans per second; default: as fast as the endpoint"
              + " accepts them")
  private long rate;

  private long sent;
  private long startNanos;

  // Made by picocli.
  Replay() {}

  @Override
  public Integer call() throws IOException {
    if (!Set.of("http", "https").contains(String.valueOf(endpoint.getScheme()))) {
      throw new ParameterException(
          spec.commandLine(), "--endpoint takes an http or https URL, such as http://host:4317.");
    }
    input.check();
    try (ReplaySender sender = new ReplaySender(endpoint, headers)) {
      input.read(
          (signal, body, records) -> send(sender, signal, body, records),
          Main.of(spec),
          Progress.Unit.SENT);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--endpoint: " + e.getMessage(), e);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(sent + " spans sent to " + endpoint + "; " + input);
    out.flush();
    return 0;
  }

  private void send(ReplaySender sender, Signal signal, byte[] body, int records)
      throws IOException {
    startNanos = sent == 0 ? System.nanoTime() : startNanos;
    try {
      sender.send(signal, body);
      sent += records;
      hold();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted after " + sent + " spans", e);
    } catch (IOException e) {
      throw new IOException(
          endpoint
              + (e.getMessage() == null ? ": " + e : " " + e.getMessage())
              + "; sent before that: "
              + sent
              + " spans",
          e);
    }
  }

  /** Waits until this many spans may have been sent. */
  private void hold() throws InterruptedException {
    if (rate > 0) {
      long dueNanos = startNanos + (long) (sent * 1e9 / rate);
      TimeUnit.NANOSECONDS.sleep(dueNanos - System.nanoTime());
    }
  }
}
