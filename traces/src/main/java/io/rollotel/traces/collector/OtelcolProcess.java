package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.file.SharedFolder;
import io.rollotel.traces.file.TracesWriter;
import io.rollotel.traces.otlp.Signal;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A real otelcol as the run's collector: a child process with file exporters, which ends with this
 * process, however that ends. If it dies earlier, it is restarted.
 */
final class OtelcolProcess implements Closeable {

  private static final long START_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final int SHOWN_LOG_LINES = 5;
  private static final int SHOWN_LOG_BYTES = 8 << 10;
  private static final long MIN_MEBIBYTES = 128;
  private static final long NEVER_MEBIBYTES = 1L << 30;

  /** After this many deaths, it is not restarted, and senders keep undelivered data in files. */
  private static final int MAX_RESTARTS = 5;

  /** The shell becomes otelcol; its remaining part waits for the end of our pipe. */
  private static final String TIED_TO_US =
      "exec 3<&0 </dev/null; (read -r line <&3; kill $$ 2>/dev/null) & exec \"$@\" 3<&-";

  private final List<String> command;
  private final File outputDir;
  private final File log;
  private final URI endpoint;
  private final int grpcPort;
  private final Consumer<String> warn;

  private volatile Process process;
  private volatile boolean isClosed;

  private OtelcolProcess(
      List<String> command, File outputDir, URI endpoint, int grpcPort, Consumer<String> warn)
      throws IOException {
    this.command = command;
    this.outputDir = outputDir;
    this.log = new File(outputDir, "traces/otelcol.log");
    this.endpoint = endpoint;
    this.grpcPort = grpcPort;
    this.warn = warn;
    this.process = launch();
  }

  /** Starts otelcol if the settings ask for it; null to use the embedded collector. */
  static @Nullable OtelcolProcess startIfWanted(
      File outputDir, CollectorSettings settings, Consumer<String> warn) throws IOException {
    boolean isWanted = settings.kind() == CollectorSettings.Kind.OTELCOL;
    if (!isWanted && settings.kind() != CollectorSettings.Kind.AUTO) {
      return null;
    }
    File binary = OtelcolBinary.find();
    if (binary == null) {
      if (isWanted) {
        throw new IOException("neither otelcol-contrib nor otelcol is on the PATH");
      }
      return null;
    }
    try {
      return start(binary, outputDir, settings, warn);
    } catch (IOException e) {
      if (isWanted) {
        throw e;
      }
      warn.accept(
          "otelcol cannot start; the embedded collector takes its place: " + e.getMessage());
      return null;
    }
  }

  /**
   * Starts otelcol and waits until it accepts a request.
   *
   * @param warn receives a line if it dies before it is closed
   * @throws IOException if it does not; the message has its last log lines
   */
  static OtelcolProcess start(
      File binary, File outputDir, CollectorSettings settings, Consumer<String> warn)
      throws IOException {
    if (!settings.host().isLoopbackAddress()) {
      throw new IOException("otelcol has no token here, so it listens on loopback alone");
    }
    File traces = new File(outputDir, "traces");
    int httpPort = port(settings.host(), settings.httpPort());
    int grpcPort =
        settings.grpcPort() == CollectorSettings.NONE
            ? CollectorSettings.NONE
            : port(settings.host(), settings.grpcPort());
    File config = new File(traces, "otelcol.yaml");
    String host = settings.host().getHostAddress();
    String address = host.contains(":") ? "[" + host + "]" : host;
    Files.createDirectories(traces.toPath());
    try (OutputStream out = SharedFolder.replace(config.toPath())) {
      out.write(config(address, httpPort, grpcPort, outputDir, settings.rules()).getBytes(UTF_8));
    }
    OtelcolProcess otelcol =
        new OtelcolProcess(
            List.of("/bin/sh", "-c", TIED_TO_US, "-", binary + "", "--config", config + ""),
            outputDir,
            URI.create("http://" + address + ":" + httpPort),
            grpcPort,
            warn);
    try {
      otelcol.awaitReady();
    } catch (IOException e) {
      otelcol.close();
      throw new IOException(binary + " " + e.getMessage() + otelcol.lastWords(), e);
    }
    Thread watch = new Thread(otelcol::keepAlive, "roll-otel-otelcol");
    watch.setDaemon(true);
    watch.start();
    return otelcol;
  }

  private Process launch() throws IOException {
    for (Signal signal : Signal.values()) {
      File file = file(outputDir, signal);
      if (signal == Signal.TRACES || file.exists()) {
        TracesWriter.open(file).close(); // ends a truncated line, to which otelcol would append
      }
    }
    SharedFolder.append(log).close(); // not a link created by another user
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("OTEL_"));
    return builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
        .start();
  }

  /** Restarts it when it dies; until then, its senders keep undelivered data. */
  private void keepAlive() {
    try {
      for (int restarts = 0; ; restarts++) {
        int end = process.waitFor();
        if (isClosed) {
          return;
        }
        if (restarts == MAX_RESTARTS) {
          throw new IOException("died " + (restarts + 1) + " times");
        }
        warn.accept("otelcol ended with " + end + " and is started again" + lastWords());
        process = launch();
        if (isClosed) {
          process.destroy(); // close() ended the previous one
          return;
        }
        awaitReady();
      }
    } catch (IOException e) {
      process.destroy();
      warn.accept("otelcol " + e.getMessage() + "; spans go to own files" + lastWords());
    } catch (InterruptedException e) {
      process.destroy();
    }
  }

  private static int port(InetAddress host, int wanted) throws IOException {
    try (ServerSocketChannel channel = ServerSocketChannel.open()) {
      channel.bind(new InetSocketAddress(host, wanted), 1);
      return ((InetSocketAddress) channel.getLocalAddress()).getPort();
    }
  }

  private static String config(
      String address, int httpPort, int grpcPort, File outputDir, FileRules rules) {
    String grpc =
        grpcPort == CollectorSettings.NONE
            ? ""
            : "      grpc:\n        endpoint: '" + address + ":" + grpcPort + "'\n";
    StringBuilder exporters = new StringBuilder();
    StringBuilder pipelines = new StringBuilder();
    for (Signal signal : Signal.values()) {
      File file = file(outputDir, signal);
      // With rotation, it appends, and writes each request at once. Without rotation, it truncates
      // the last run's file, and keeps acknowledged data for a while, which a kill -9 loses.
      exporters.append(
          """
            file/%s:
              path: '%s'
              create_directory: true
              rotation:
                max_megabytes: %s
                max_backups: 0
          """
              .formatted(signal.plural(), file.toString().replace("'", "''"), maxMebibytes(rules)));
      pipelines.append(
          """
              %1$s:
                receivers: [otlp]
                exporters: [file/%1$s]
          """
              .formatted(signal.plural()));
    }
    return """
    receivers:
      otlp:
        protocols:
          http:
            endpoint: '%s:%s'
    %sexporters:
    %sservice:
      telemetry:
        metrics:
          level: none
      pipelines:
    %s\
    """
        .formatted(address, httpPort, grpc, exporters, pipelines);
  }

  private static File file(File outputDir, Signal signal) {
    return new File(outputDir, signal.plural() + "/" + signal.plural() + ".jsonl");
  }

  /** A request larger than the maximum file size would be refused, so there is a minimum size. */
  private static long maxMebibytes(FileRules rules) {
    return rules.maxBytes() == 0
        ? NEVER_MEBIBYTES
        : Math.max(MIN_MEBIBYTES, rules.maxBytes() >> 20);
  }

  private void awaitReady() throws IOException {
    long deadlineNanos = System.nanoTime() + START_PATIENCE_NANOS;
    while (!takesARequest()) {
      if (!process.isAlive()) {
        throw new IOException("ended with " + process.exitValue());
      }
      if (System.nanoTime() - deadlineNanos >= 0) {
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

  /** An empty request is valid. */
  private boolean takesARequest() {
    try (HttpClient client =
        HttpClient.to(endpoint.resolve("/v1/traces"), TimeUnit.SECONDS.toNanos(1))) {
      return client
              .post(
                  Map.of("Content-Type", "application/x-protobuf"),
                  new byte[0],
                  System.nanoTime() + TimeUnit.SECONDS.toNanos(5))
              .status()
          == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  /** The log grows with each run, so only its end is read. */
  private String lastWords() {
    try (RandomAccessFile content = new RandomAccessFile(log, "r")) {
      byte[] end = new byte[(int) Math.min(content.length(), SHOWN_LOG_BYTES)];
      content.seek(content.length() - end.length);
      content.readFully(end);
      List<String> lines = new String(end, UTF_8).lines().toList();
      return "; its log ends: "
          + String.join(
              " | ", lines.subList(Math.max(0, lines.size() - SHOWN_LOG_LINES), lines.size()));
    } catch (IOException e) {
      return "; its log: " + e;
    }
  }

  URI endpoint() {
    return endpoint;
  }

  /** Of OTLP/gRPC; null if there is none. */
  @Nullable URI grpcEndpoint() {
    return grpcPort == CollectorSettings.NONE
        ? null
        : URI.create("http://" + endpoint.getHost() + ":" + grpcPort);
  }

  /** Ends it by a signal, which makes it write pending data; waits five seconds at most. */
  @Override
  public void close() {
    isClosed = true;
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
