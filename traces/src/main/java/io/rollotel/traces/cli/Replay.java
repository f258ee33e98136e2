package io.rollotel.traces.cli;

import io.rollotel.traces.collector.HostPort;
import io.rollotel.traces.collector.UnansweredText;
import io.rollotel.traces.otlp.PartialSuccess;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.report.PlainText;
import io.rollotel.traces.settings.EndpointText;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
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
        "replay [-hV] FILE... [--endpoint=URL] [--header=NAME=VALUE] [--rate=SPANS] [--no-join]",
    description =
        "Sends files to an OTLP endpoint, each span once. Detects whether the port speaks gRPC"
            + " or HTTP. Reads the endpoint, its headers and its certificates from the variables"
            + " OTEL_EXPORTER_OTLP_*, as the agent does; it sends these headers to no other"
            + " endpoint.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Replay implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Mixin private MergedInput input = new MergedInput(); // picocli puts its own here

  @Option(
      names = "--endpoint",
      paramLabel = "URL",
      description =
          "The endpoint, such as http://localhost:4318. For HTTP, /v1/traces is appended. Default:"
              + " OTEL_EXPORTER_OTLP_ENDPOINT")
  private @Nullable URI endpoint;

  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      description = "A header for each request, such as Authorization=Bearer ...")
  private Map<String, String> headers = Map.of();

  @Option(
      names = "--rate",
      paramLabel = "SPANS",
      description =
          "The highest number of spans per second; default: as fast as the endpoint"
              + " accepts them")
  private @Nullable Long rate;

  private final Map<Signal, Long> sent = new EnumMap<>(Signal.class);
  private final Map<Signal, Long> rejected = new EnumMap<>(Signal.class);
  private String firstRejection = "";

  /** Whether accepted or rejected: the rate counts both. */
  private long passed;

  private long startNanos;

  // Made by picocli.
  Replay() {}

  @Override
  public Integer call() throws IOException {
    OtlpEnvironment environment = new OtlpEnvironment(System.getenv());
    try {
      return call(environment, endpoint == null ? environment.endpoint() : endpoint);
    } catch (IllegalArgumentException e) {
      if (e.getCause() instanceof UnknownHostException) {
        throw new IOException("The endpoint cannot be reached: " + e.getMessage() + ".", e);
      }
      // The messages of others may quote the address with its password, or a header.
      String message = String.valueOf(e.getMessage());
      throw new ParameterException(
          spec.commandLine(),
          message.startsWith("OTEL_") ? message : "The endpoint, or a header, cannot be used.",
          e);
    }
  }

  private int call(OtlpEnvironment environment, @Nullable URI target) throws IOException {
    if (target == null) {
      throw new ParameterException(
          spec.commandLine(),
          "Give --endpoint, such as http://localhost:4318, or set"
              + " OTEL_EXPORTER_OTLP_ENDPOINT.");
    }
    String named = endpoint == null ? "OTEL_EXPORTER_OTLP_ENDPOINT" : "--endpoint";
    if (!Set.of("http", "https").contains(String.valueOf(target.getScheme()))) {
      throw new ParameterException(
          spec.commandLine(), named + " takes an http or https URL, such as http://host:4317.");
    }
    try {
      HostPort.of(target);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(),
          named + " takes a host, and a port up to 65535, such as http://host:4317.",
          e);
    }
    if (rate != null && rate < 1) {
      throw new ParameterException(
          spec.commandLine(), "--rate takes a number of spans per second from 1.");
    }
    input.check(spec.commandLine());
    Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    all.putAll(environment.headers(target));
    all.putAll(headers);
    all.forEach(this::check);
    SSLContext tls = target.getScheme().equals("https") ? environment.tls() : null;
    try (ReplaySender sender = new ReplaySender(target, all, tls)) {
      input.read(
          (signal, body, records) -> send(sender, target, signal, body, records),
          Main.of(spec),
          Progress.Unit.SENT);
    }
    if (input.isOfNothing()) {
      return Main.FAILED;
    }
    String shown = shown(target);
    PrintWriter out = spec.commandLine().getOut();
    out.println(counted(sent) + " sent to " + shown + "; " + input);
    out.flush();
    if (!rejected.isEmpty()) {
      PrintWriter err = spec.commandLine().getErr();
      err.println(
          PlainText.escaped(shown + " rejected " + counted(rejected) + firstRejection + "."));
    }
    return input.hasUnreadableFiles() || !rejected.isEmpty() ? Main.FAILED : 0;
  }

  /** Names a header that cannot be sent; its value may be a secret. */
  private void check(String name, String value) {
    String part = "name";
    try {
      HttpRequest.newBuilder().setHeader(name, "");
      part = "value";
      HttpRequest.newBuilder().setHeader(name, value);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(),
          "The header " + name + " cannot be sent: look at its " + part + ".",
          e);
    }
  }

  private void send(ReplaySender sender, URI target, Signal signal, byte[] body, int records)
      throws IOException {
    startNanos = passed == 0 ? System.nanoTime() : startNanos;
    try {
      PartialSuccess partial = sender.send(signal, body);
      passed += records;
      long refused = Math.min(partial.rejected(), records);
      sent.merge(signal, records - refused, Long::sum);
      if (refused > 0) {
        firstRejection = rejected.isEmpty() ? partial.asFirst() : firstRejection;
        rejected.merge(signal, refused, Long::sum);
      }
      hold();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted after " + counted(sent), e);
    } catch (ReplaySender.RefusedException e) {
      throw new IOException(
          shown(target) + " " + e.getMessage() + "; sent before that: " + counted(sent), e);
    } catch (IOException e) {
      throw new IOException(
          shown(target)
              + " does not answer ("
              + UnansweredText.reason(e)
              + ") after "
              + counted(sent)
              + ": "
              + UnansweredText.cure(target.toString(), e),
          e);
    }
  }

  private static String shown(URI target) {
    return EndpointText.withoutUser(target.toString());
  }

  /** Such as {@code 12 spans, 1 data point}. */
  private static String counted(Map<Signal, Long> all) {
    if (all.isEmpty()) {
      return "0 spans";
    }
    List<String> parts = new ArrayList<>();
    all.forEach(
        (signal, records) ->
            parts.add(
                records
                    + switch (signal) {
                      case TRACES -> " span";
                      case METRICS -> " data point";
                      case LOGS -> " log record";
                    }
                    + (records == 1 ? "" : "s")));
    return String.join(", ", parts);
  }

  /** Waits until this many spans may have been sent. */
  private void hold() throws InterruptedException {
    if (rate != null) {
      long dueNanos = startNanos + (long) (passed * 1e9 / rate);
      TimeUnit.NANOSECONDS.sleep(dueNanos - System.nanoTime());
    }
  }
}
