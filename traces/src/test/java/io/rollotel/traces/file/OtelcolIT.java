package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The same requests to a real otelcol with its file exporter, and to our writer. */
@Tag("engines")
@Timeout(600)
class OtelcolIT {

  private static final int REQUESTS = 10_000;

  private final HttpClient client = HttpClient.newHttpClient();

  @TempDir Path dir;

  @Test
  void generatedRequests_becomeTheSameDataInBothFiles() throws Exception {
    RandomRequests requests = new RandomRequests(20_261_121, false);
    Path ours = dir.resolve("ours.jsonl");
    Path theirs = dir.resolve("theirs.jsonl");
    int port = freePort();
    Process otelcol = start(port, theirs);
    try (TracesWriter writer = TracesWriter.open(ours.toFile())) {
      URI endpoint = URI.create("http://127.0.0.1:" + port + "/v1/traces");
      awaitReady(otelcol, endpoint);
      for (int i = 0; i < REQUESTS; i++) {
        ExportTraceServiceRequest request = requests.request();
        byte[] bytes = request.toByteArray();
        writer.write(bytes, 0, bytes.length);
        assertThat(post(endpoint, bytes)).as("request " + i).isEqualTo("200 ");
      }
    } finally {
      otelcol.destroy();
      assertThat(otelcol.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
    try (InputStream ourFile = Files.newInputStream(ours);
        InputStream theirFile = Files.newInputStream(theirs)) {
      LineSource ourLines = new LineSource(ourFile);
      LineSource theirLines = new LineSource(theirFile);
      long same = 0;
      while (theirLines.nextLine()) {
        assertThat(ourLines.nextLine()).isTrue();
        byte[] theirLine = theirLines.readAllBytes();
        byte[] ourLine = ourLines.readAllBytes();
        assertThat(OtlpJson.parse(ourLine))
            .as("line " + theirLines.lineNumber() + ", otelcol's: " + new String(theirLine, UTF_8))
            .isEqualTo(OtlpJson.parse(theirLine));
        same++;
      }
      assertThat(ourLines.nextLine()).isFalse();
      assertThat(same).isGreaterThan(REQUESTS / 3);
    }
    assertThat(new TracesReader().read(theirs, span -> {}).spans())
        .as("read by our reader")
        .isEqualTo(new TracesReader().read(ours, span -> {}).spans());
  }

  private Process start(int port, Path file) throws IOException {
    Path config = dir.resolve("otelcol.yaml");
    Files.writeString(
        config,
        """
        receivers:
          otlp:
            protocols:
              http:
                endpoint: 127.0.0.1:%d
        exporters:
          file:
            path: %s
        service:
          telemetry:
            metrics:
              level: none
          pipelines:
            traces:
              receivers: [otlp]
              exporters: [file]
        """
            .formatted(port, file));
    File log = dir.resolve("otelcol.log").toFile();
    return new ProcessBuilder(otelcol().toString(), "--config", config.toString())
        .redirectErrorStream(true)
        .redirectOutput(log)
        .start();
  }

  private void awaitReady(Process otelcol, URI endpoint) throws Exception {
    while (true) {
      try {
        assertThat(post(endpoint, new byte[0])).isEqualTo("200 ");
        return;
      } catch (IOException e) {
        assertThat(otelcol.isAlive()).as(Files.readString(dir.resolve("otelcol.log"))).isTrue();
        Thread.sleep(20);
      }
    }
  }

  /** The status, and of an error the reason. */
  private String post(URI endpoint, byte[] request) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(endpoint)
                .header("Content-Type", "application/x-protobuf")
                .POST(BodyPublishers.ofByteArray(request))
                .build(),
            BodyHandlers.ofString());
    return answer.statusCode() + " " + (answer.statusCode() == 200 ? "" : answer.body());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static Path otelcol() {
    String engines = System.getenv("ROLL_OTEL_ENGINES");
    Path folder =
        (engines == null || engines.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".cache/roll-otel-engines")
                : Path.of(engines))
            .resolve("otelcol");
    assertThat(folder.resolve("otelcol.yaml")).as("run engines/setup").exists();
    return folder.resolve("otelcol/otelcol");
  }
}
