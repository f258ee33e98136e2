package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.file.TracesWriter;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A real otelcol as the run's collector: a child process with a file exporter, which ends with this
 * process, however that ends.
 */
final class OtelcolProcess implements Closeable {

  private static final List<String> NAMES = List.of("otelcol-contrib", "otelcol");
  private static final long START_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final int SHOWN_LOG_LINES = 5;

  /** The shell becomes otelcol; what is left of it waits for the end of our pipe. */
  private static final String TIED_TO_US =
      "exec 3<&0 </dev/null; (read -r line <&3; kill $$) & exec \"$@\" 3<&-";

  private final Process process;
  private final URI endpoint;
  private final int grpcPort;

  private OtelcolProcess(Process process, URI endpoint, int grpcPort) {
    this.process = process;
    this.endpoint = endpoint;
    this.grpcPort = grpcPort;
  }

  /** The first of otelcol-contrib and otelcol on the search path; null where there is neither. */
  static @Nullable File find(@Nullable String searchPath) {
    for (String name : NAMES) {
      for (String folder : (searchPath == null ? "" : searchPath).split(File.pathSeparator, -1)) {
        File candidate = new File(folder, name);
        if (!folder.isEmpty() && candidate.isFile() && candidate.canExecute()) {
          return candidate.getAbsoluteFile();
        }
      }
    }
    return null;
  }

  /**
   * Starts otelcol and waits until it takes a request.
   *
   * @throws IOException if it does not, with the last lines that it logged
   */
  static OtelcolProcess start(File binary, File outputDir, CollectorSettings settings)
      throws IOException {
    if (!settings.host().isLoopbackAddress()) {
      throw new IOException("otelcol has no token here, so it listens on loopback alone");
    }
    File traces = new File(outputDir, "traces");
    File file = new File(traces, "traces.jsonl");
    TracesWriter.open(file).close(); // ends a torn line, which otelcol would go on with
    int httpPort = port(settings.host(), settings.httpPort());
    int grpcPort =
        settings.grpcPort() == CollectorSettings.NONE
            ? CollectorSettings.NONE
            : port(settings.host(), settings.grpcPort());
    File config = new File(traces, "otelcol.yaml");
    String host = settings.host().getHostAddress();
    String address = host.contains(":") ? "[" + host + "]" : host;
    Files.writeString(config.toPath(), config(address, httpPort, grpcPort, file));
    File log = new File(traces, "otelcol.log");
    ProcessBuilder builder =
        new ProcessBuilder(
            "/bin/sh", "-c", TIED_TO_US, "-", binary.toString(), "--config", config.toString());
    builder.environment().keySet().removeIf(name -> name.startsWith("OTEL_"));
    Process process =
        builder
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
            .start();
    URI endpoint = URI.create("http://" + address + ":" + httpPort);
    OtelcolProcess otelcol = new OtelcolProcess(process, endpoint, grpcPort);
    try {
      otelcol.awaitReady();
      return otelcol;
    } catch (IOException e) {
      otelcol.close();
      throw new IOException(binary + " " + e.getMessage() + "; its log ends: " + tail(log), e);
    }
  }

  private static int port(InetAddress host, int wanted) throws IOException {
    try (ServerSocket socket = new ServerSocket(wanted, 1, host)) {
      return socket.getLocalPort();
    }
  }

  private static String config(String address, int httpPort, int grpcPort, File file) {
    String grpc =
        grpcPort == CollectorSettings.NONE
            ? ""
            : "      grpc:\n        endpoint: '" + address + ":" + grpcPort + "'\n";
    // Without append it would truncate the last run's file.
    return """
        receivers:
          otlp:
            protocols:
              http:
                endpoint: '%s:%d'
        %sexporters:
          file:
            path: '%s'
            append: true
            flush_interval: 200ms
        service:
          telemetry:
            metrics:
              level: none
          pipelines:
            traces:
              receivers: [otlp]
              exporters: [file]
        """
        .formatted(address, httpPort, grpc, file.toString().replace("'", "''"));
  }

  private void awaitReady() throws IOException {
    long deadlineNanos = System.nanoTime() + START_PATIENCE_NANOS;
    while (!takesARequest()) {
      if (!process.isAlive()) {
        throw new IOException("ended with " + process.exitValue());
      }
      if (System.nanoTime() >= deadlineNanos) {
        throw new IOException("took no request within 15 s");
      }
      try {
        if (process.waitFor(20, TimeUnit.MILLISECONDS)) {
          throw new IOException("ended with " + process.exitValue());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("was not waited for", e);
      }
    }
  }

  /** An empty request is a good one. */
  private boolean takesARequest() {
    try {
      HttpURLConnection connection =
          (HttpURLConnection) endpoint.resolve("/v1/traces").toURL().openConnection();
      connection.setConnectTimeout(1000);
      connection.setReadTimeout(5000);
      connection.setRequestMethod("POST");
      connection.setRequestProperty("Content-Type", "application/x-protobuf");
      connection.setDoOutput(true);
      connection.getOutputStream().close();
      int status = connection.getResponseCode();
      connection.disconnect();
      return status == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  private static String tail(File log) {
    try {
      List<String> lines = Files.readString(Path.of(log.toString()), UTF_8).lines().toList();
      return String.join(
          " | ", lines.subList(Math.max(0, lines.size() - SHOWN_LOG_LINES), lines.size()));
    } catch (IOException e) {
      return e.toString();
    }
  }

  URI endpoint() {
    return endpoint;
  }

  int grpcPort() {
    return grpcPort;
  }

  /** Ends it as a signal does, after which it writes what it has; five seconds at most. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
