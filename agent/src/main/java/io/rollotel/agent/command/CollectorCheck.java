package io.rollotel.agent.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.agent.settings.Exporter;
import io.rollotel.agent.settings.Role;
import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.collector.AnswerBeginning;
import io.rollotel.traces.collector.ClientTls;
import io.rollotel.traces.collector.GrpcClient;
import io.rollotel.traces.collector.HostPort;
import io.rollotel.traces.collector.OtlpHeaders;
import io.rollotel.traces.collector.OtlpProtocol;
import io.rollotel.traces.collector.PortProbe;
import io.rollotel.traces.collector.Rendezvous;
import io.rollotel.traces.file.RunBytes;
import io.rollotel.traces.file.WaitingFiles;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.settings.EndpointText;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Whether spans will be accepted: sends an empty export to this process's endpoint. */
final class CollectorCheck {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** A server shows its protocol at once. */
  private static final Duration PROBE_PATIENCE = Duration.ofSeconds(3);

  /** In the format of CollectorCounts: no other text of a server is shown. */
  private static final Pattern COUNTS =
      Pattern.compile("\\d+ requests accepted, [a-z0-9 ,:]{1,400}");

  private final Settings settings;

  CollectorCheck(Settings settings) {
    this.settings = settings;
  }

  List<Finding> findings() {
    String exporters = settings.otel("otel.traces.exporter");
    if ("none".equals(exporters)) {
      return List.of(
          Finding.warn("export", "OTEL_TRACES_EXPORTER=none: spans are recorded and dropped"));
    }
    if (settings.exporter() == Exporter.FILE) {
      return List.of(
          Finding.ok("export", "ROLL_OTEL_EXPORTER=file: each process writes a file of its own"));
    }
    List<Finding> findings = new ArrayList<>();
    if (exporters != null && !exporters.equals("otlp")) {
      findings.add(
          Finding.warn("export", "OTEL_TRACES_EXPORTER: the agent supports only otlp and none"));
    }
    String traces = settings.otel("otel.exporter.otlp.traces.endpoint");
    String base = settings.otel("otel.exporter.otlp.endpoint");
    if (traces != null) {
      for (String endpoint : EndpointText.split(traces)) {
        toEndpoint("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", endpoint, endpoint, findings);
      }
    } else if (base != null) {
      for (String endpoint : EndpointText.split(base)) {
        String ofTraces = endpoint.replaceFirst("/+$", "") + "/v1/traces";
        toEndpoint("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint, ofTraces, findings);
      }
    } else {
      toTheRun(findings);
    }
    replay(
            settings.replay(),
            settings.endpointGiven("traces"),
            WaitingFiles.count(Doctor.directory(settings)))
        .ifPresent(findings::add);
    return findings;
  }

  /** The spans that wait in own files for the endpoint, and which process sends them. */
  static Optional<Finding> replay(boolean isOn, boolean hasEndpoint, WaitingFiles.Count waiting) {
    if (!hasEndpoint) {
      return isOn
          ? Optional.of(
              Finding.warn(
                  "replay",
                  "ROLL_OTEL_REPLAY has no effect: OTEL_EXPORTER_OTLP_ENDPOINT is not set"))
          : Optional.empty();
    }
    if (waiting.files() == 0) {
      return isOn ? Optional.of(Finding.ok("replay", "on, and nothing waits")) : Optional.empty();
    }
    String files =
        waiting.files()
            + (waiting.files() == 1 ? " file with " : " files with ")
            + RunBytes.size(waiting.bytes())
            + (waiting.files() == 1 ? " waits" : " wait")
            + " in traces/ of the output directory";
    return Optional.of(
        isOn
            ? Finding.ok("replay", "on: " + files + " to be sent")
            : Finding.warn(
                "replay", files + ": set ROLL_OTEL_REPLAY=on, or send them with replay"));
  }

  /** To the collector of a run that is under way in the output directory. */
  private void toTheRun(List<Finding> findings) {
    Rendezvous.Collector collector;
    // A process that may not lead changes nothing.
    try (Rendezvous rendezvous =
        new Rendezvous(
            Doctor.directory(settings), false, false, settings.runId(), line -> {}, line -> {})) {
      collector = rendezvous.collector();
    }
    if (collector != null) {
      Map<String, String> headers = Map.of("Authorization", "Bearer " + collector.token());
      status(collector.endpoint(), headers).ifPresent(findings::add);
      export(collector.endpoint() + "/v1/traces", null, headers, findings);
    } else if (settings.role() == Role.WORKER) {
      findings.add(
          Finding.warn(
              "export",
              "a worker, and no driver collects in "
                  + Doctor.directory(settings)
                  + " so far: until then its spans go to a file of its own"));
    } else {
      findings.add(
          Finding.ok(
              "export", "no endpoint is set: the first traced JVM of the run collects the spans"));
    }
  }

  /** The counts of the run's collector; none if it is a foreign one, which does not report them. */
  private static Optional<Finding> status(URI endpoint, Map<String, String> headers) {
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(endpoint.resolve("/status")).timeout(PATIENCE);
      headers.forEach(request::setHeader);
      Future<HttpResponse<byte[]>> asked =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(PATIENCE)
              .build()
              .sendAsync(request.build(), AnswerBeginning.handler());
      HttpResponse<byte[]> answer;
      try {
        answer = asked.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
      } finally {
        asked.cancel(true); // its body may never end
      }
      String line = new String(answer.body(), UTF_8).strip();
      if (answer.statusCode() != 200 || !COUNTS.matcher(line).matches()) {
        return Optional.empty();
      }
      return Optional.of(
          line.endsWith(" 0 requests refused")
              ? Finding.ok("collector", line)
              : Finding.warn("collector", line));
    } catch (ExecutionException | TimeoutException e) {
      return Optional.empty(); // which the export will say
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private void toEndpoint(String variable, String given, String url, List<Finding> findings) {
    String shown = EndpointText.withoutUser(given);
    if (!given.contains("://")) {
      findings.add(
          Finding.fail("export", variable + "=" + shown + " has no scheme: write http://" + shown));
      return;
    }
    ExecutorService threads = Executors.newCachedThreadPool(CollectorCheck::daemon);
    try {
      URI endpoint = URI.create(url);
      SSLContext tls = given.startsWith("https:") ? tls() : null;
      OtlpProtocol protocol = protocol(endpoint, tls, shown, threads, findings);
      if (protocol == OtlpProtocol.GRPC) {
        exportByGrpc(endpoint, tls, shown, threads, findings);
      } else if (protocol == OtlpProtocol.HTTP) {
        export(url, tls, headers(), findings);
      }
    } catch (IOException | IllegalArgumentException e) {
      findings.add(Finding.fail("export", shown + " cannot be asked (" + e.getMessage() + ")"));
    } finally {
      threads.shutdown();
    }
  }

  /**
   * The protocol by which the agent will send, as {@code SpokenProtocol} decides; null if the port
   * does not speak it.
   */
  private @Nullable OtlpProtocol protocol(
      URI endpoint,
      @Nullable SSLContext tls,
      String shown,
      ExecutorService threads,
      List<Finding> findings) {
    Map.Entry<String, String> set =
        settings.otlpProtocols().entrySet().stream().findFirst().orElse(null);
    OtlpProtocol first =
        set == null ? OtlpProtocol.expectedOf(endpoint) : OtlpProtocol.named(set.getValue());
    PortProbe port = new PortProbe(endpoint, tls, threads, PROBE_PATIENCE.toNanos());
    OtlpProtocol spoken = port.spoken(first).orElse(null);
    if (spoken == null) {
      return first; // there is no answer, which the export reports
    }
    if (spoken == first) {
      findings.add(
          Finding.ok(
              "protocol", shown + ": this port speaks " + first + ", and the agent will use it"));
      return first;
    }
    if (set == null) {
      findings.add(
          Finding.ok(
              "protocol",
              shown + ": this port speaks " + spoken + "; the agent finds that out and does too"));
      return spoken;
    }
    String variable = set.getKey().toUpperCase(Locale.ROOT).replace('.', '_');
    findings.add(
        Finding.fail(
            "protocol",
            shown
                + ": this port speaks "
                + spoken
                + ": set "
                + variable
                + "="
                + spoken.setting()
                + ", or leave it out"));
    return null;
  }

  private void exportByGrpc(
      URI endpoint,
      @Nullable SSLContext tls,
      String shown,
      ExecutorService threads,
      List<Finding> findings) {
    try (GrpcClient client = GrpcClient.open(endpoint, tls, PATIENCE.toMillis(), threads)) {
      Map<String, List<String>> headers = new LinkedHashMap<>();
      headers()
          .forEach((name, value) -> headers.put(name.toLowerCase(Locale.ROOT), List.of(value)));
      findings.add(
          CollectorAnswer.judgedGrpc(
              client.exportAndWait(Signal.TRACES, new byte[0], headers, false, PATIENCE.toNanos()),
              shown));
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "roll-otel-doctor");
    thread.setDaemon(true);
    return thread;
  }

  private @Nullable SSLContext tls() throws IOException {
    return ClientTls.of(
        ofTraces("certificate"), ofTraces("client.key"), ofTraces("client.certificate"));
  }

  /** A setting of the exporter; the setting for traces takes precedence. */
  private @Nullable String ofTraces(String name) {
    String forTraces = settings.otel("otel.exporter.otlp.traces." + name);
    return forTraces != null ? forTraces : settings.otel("otel.exporter.otlp." + name);
  }

  private static void export(
      String endpoint,
      @Nullable SSLContext tls,
      Map<String, String> headers,
      List<Finding> findings) {
    String shown = EndpointText.withoutUser(endpoint);
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(HostPort.forJdk(URI.create(endpoint)))
              .timeout(PATIENCE)
              .header("Content-Type", "application/x-protobuf")
              // An ExportTraceServiceRequest without spans has no bytes.
              .POST(HttpRequest.BodyPublishers.noBody());
      headers.forEach(request::setHeader);
      HttpClient.Builder builder =
          HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(PATIENCE);
      if (tls != null) {
        builder.sslContext(tls);
      }
      HttpClient client = builder.build();
      long before = System.currentTimeMillis();
      HttpResponse<InputStream> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      long after = System.currentTimeMillis();
      answer.body().close(); // it may never end
      findings.add(CollectorAnswer.judged(answer.statusCode(), shown));
      CollectorAnswer.clock(answer.headers().firstValue("Date"), before, after)
          .ifPresent(findings::add);
    } catch (IOException e) {
      findings.add(CollectorAnswer.unanswered(e, shown));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      findings.add(Finding.fail("export", shown + ": interrupted"));
    } catch (IllegalArgumentException e) {
      findings.add(
          Finding.fail("export", shown + " is not a URL for OTLP/HTTP (" + e.getMessage() + ")"));
    }
  }

  /** Malformed ones are named by {@link OtelCheck}. */
  private Map<String, String> headers() {
    String given = ofTraces("headers");
    try {
      return given == null ? Map.of() : OtlpHeaders.of(given);
    } catch (IllegalArgumentException malformed) {
      return Map.of();
    }
  }
}
