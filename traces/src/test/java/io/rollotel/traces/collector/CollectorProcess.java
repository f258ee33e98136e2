package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.cli.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code collect} in a JVM of its own. */
final class CollectorProcess implements AutoCloseable {

  private final HttpClient client = HttpClient.newHttpClient();
  private final List<String> command;
  private final Process process;
  private final URI endpoint;
  private final BufferedReader out;

  private CollectorProcess(List<String> command) throws IOException {
    this.command = command;
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("ROLL_OTEL_"));
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    this.process = builder.start();
    this.out = process.inputReader(UTF_8);
    String listening = out.readLine();
    if (listening == null || !listening.startsWith("OTLP/HTTP on ")) {
      throw new IOException("the collector did not start: " + listening);
    }
    this.endpoint = URI.create(listening.substring("OTLP/HTTP on ".length()));
  }

  /** Starts one; the words before the command, such as a shell's, may bound it. */
  static CollectorProcess start(Path dir, List<String> before, String... options)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:-UsePerfData",
            "-XX:TieredStopAtLevel=1",
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "collect",
            "--dir=" + dir,
            "--http=0",
            "--grpc=none"));
    command.addAll(List.of(options));
    return new CollectorProcess(command);
  }

  /** How it was started. */
  List<String> command() {
    return command;
  }

  HttpResponse<String> post(byte[] request) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(endpoint.resolve("/v1/traces"))
            .header("Content-Type", "application/x-protobuf")
            .POST(BodyPublishers.ofByteArray(request))
            .build(),
        BodyHandlers.ofString());
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Ends it as Ctrl-C does; gives what it printed since it listened. */
  List<String> stop() throws InterruptedException {
    process.toHandle().destroy(); // the process's own would close its output
    List<String> lines = out.lines().toList();
    process.waitFor();
    return lines;
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
