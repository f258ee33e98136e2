package io.rollotel.traces.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.rollotel.traces.kit.OtlpJson;
import io.rollotel.traces.kit.RandomRequests;
import io.rollotel.traces.otlp.Signal;
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
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same requests to a real otelcol with its file exporter, and to our writer. */
@Tag("engines")
@Timeout(1200)
class OtelcolIT {

  private static final int REQUESTS = 10_000;

  private final HttpClient client = HttpClient.newHttpClient();

  @TempDir Path dir;

  @ParameterizedTest
  @EnumSource
  void generatedRequests_becomeTheSameDataInBothFiles(Signal signal) throws Exception {
    RandomRequests requests = new RandomRequests(20_261_121, false);
    Supplier<Message> next =
        switch (signal) {
          case TRACES -> requests::request;
          case METRICS -> () -> requests.request(ExportMetricsServiceRequest.getDefaultInstance());
          case LOGS -> () -> requests.request(ExportLogsServiceRequest.getDefaultInstance());
        };
    Path ours = dir.resolve("ours.jsonl");
    Path theirs = dir.resolve("theirs.jsonl");
    int port = freePort();
    Process otelcol = start(port, theirs, signal);
    int sentAgain = 0;
    try (TracesWriter writer = TracesWriter.open(ours.toFile(), signal, FileRules.DEFAULT)) {
      URI endpoint = URI.create("http://127.0.0.1:" + port + "/v1/" + signal.plural());
      awaitReady(otelcol, endpoint);
      for (int i = 0; i < REQUESTS; i++) {
        byte[] bytes = next.get().toByteArray();
        writer.write(bytes, 0, bytes.length);
        try {
          assertThat(post(endpoint, bytes)).as("request " + i).isEqualTo("200 ");
        } catch (IOException e) {
          // The connection broke before the answer came. otelcol may have the request or not.
          String log = Files.readString(dir.resolve("otelcol.log"));
          assertThat(otelcol.isAlive()).as("request %d: %s%n%s", i, e, log).isTrue();
          assertThat(post(endpoint, bytes)).as("request " + i + ", again").isEqualTo("200 ");
          sentAgain++;
        }
      }
    } finally {
      otelcol.destroy();
      assertThat(otelcol.waitFor(10, TimeUnit.MINUTES)).isTrue();
    }
    try (InputStream ourFile = Files.newInputStream(ours);
        InputStream theirFile = Files.newInputStream(theirs)) {
      LineSource ourLines = new LineSource(ourFile);
      LineSource theirLines = new LineSource(theirFile);
      long same = 0;
      byte[] theirLast = null;
      int repeated = 0;
      while (theirLines.nextLine()) {
        byte[] theirLine = theirLines.readAllBytes();
        if (repeated < sentAgain && Arrays.equals(theirLine, theirLast)) {
          repeated++;
          continue;
        }
        theirLast = theirLine;
        assertThat(ourLines.nextLine()).isTrue();
        byte[] ourLine = ourLines.readAllBytes();
        assertThat(OtlpJson.parse(ourLine))
            .as("line " + theirLines.lineNumber() + ", otelcol's: " + new String(theirLine, UTF_8))
            .isEqualTo(OtlpJson.parse(theirLine));
        same++;
      }
      assertThat(ourLines.nextLine()).isFalse();
      assertThat(same).as("requests with something in them").isGreaterThan(REQUESTS / 10);
    }
    if (signal == Signal.TRACES && sentAgain == 0) {
      assertThat(new TracesReader().read(theirs, span -> {}).spans())
          .as("read by our reader")
          .isEqualTo(new TracesReader().read(ours, span -> {}).spans());
    }
  }

  private Process start(int port, Path file, Signal signal) throws IOException {
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
            %s:
              receivers: [otlp]
              exporters: [file]
        """
            .formatted(port, file, signal.plural()));
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
