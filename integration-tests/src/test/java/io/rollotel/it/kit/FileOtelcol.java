package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A real otelcol that receives OTLP by one protocol, and writes spans and metrics to files. */
public final class FileOtelcol implements AutoCloseable {

  private final Path directory;
  private final int port;
  private final Process process;

  private FileOtelcol(Path directory, int port, Process process) {
    this.directory = directory;
    this.port = port;
    this.process = process;
  }

  /**
   * Starts it, and waits until it is ready.
   *
   * @param program the collector
   * @param protocol as in {@code OTEL_EXPORTER_OTLP_PROTOCOL}
   * @param directory for its files
   */
  public static FileOtelcol start(Path program, String protocol, Path directory) throws Exception {
    Files.createDirectories(directory);
    int port = FreePort.find();
    Path config = directory.resolve("otelcol.yaml");
    Files.writeString(
        config,
        """
        receivers:
          otlp:
            protocols:
              %s:
                endpoint: 127.0.0.1:%d
        exporters:
          file/traces:
            path: %s
          file/metrics:
            path: %s
        service:
          telemetry:
            metrics:
              level: none
          pipelines:
            traces:
              receivers: [otlp]
              exporters: [file/traces]
            metrics:
              receivers: [otlp]
              exporters: [file/metrics]
        """
            .formatted(
                protocol.equals("grpc") ? "grpc" : "http",
                port,
                directory.resolve("traces.jsonl"),
                directory.resolve("metrics.jsonl")));
    Path log = directory.resolve("otelcol.log");
    Process process =
        new ProcessBuilder(program.toString(), "--config", config.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    FileOtelcol collector = new FileOtelcol(directory, port, process);
    try {
      Patience.until(
          () -> "otelcol is ready: " + Files.readString(log),
          process.toHandle(),
          () -> Files.readString(log).contains("Everything is ready"));
    } catch (Throwable notReady) {
      process.destroyForcibly();
      throw notReady;
    }
    return collector;
  }

  /** For {@code OTEL_EXPORTER_OTLP_ENDPOINT}. */
  public String endpoint() {
    return "http://127.0.0.1:" + port;
  }

  /** The spans that it has written, complete after {@link #close}. */
  public Path traces() {
    return directory.resolve("traces.jsonl");
  }

  /** The spans that it has written, complete after {@link #close}. */
  public Path metrics() {
    return directory.resolve("metrics.jsonl");
  }

  /** Ends it, so that it writes the rest. */
  @Override
  public void close() throws IOException, InterruptedException {
    process.destroy();
    assertThat(Patience.untilEnd(process)).isTrue();
  }
}
