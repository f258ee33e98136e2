package io.rollotel.it.kit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/** {@code collect} of the shipped jar, which listens once this is there. */
public final class CollectProcess implements AutoCloseable {

  private final Process process;
  private final BufferedReader said;
  private final int httpPort;
  private final int grpcPort;
  private final URI page;

  private CollectProcess(Process process) throws IOException {
    this.process = process;
    said = process.inputReader(UTF_8);
    httpPort = portBehind("OTLP/HTTP on http://127.0.0.1:");
    grpcPort = portBehind("OTLP/gRPC on 127.0.0.1:");
    assertThat(said.readLine()).startsWith("writes to ");
    page = URI.create(behind("shows the run on "));
  }

  private int portBehind(String before) throws IOException {
    return Integer.parseInt(behind(before));
  }

  private String behind(String before) throws IOException {
    String line = said.readLine();
    assertThat(line).startsWith(before);
    return line.substring(before.length());
  }

  /** Starts one on these ports, 0 for any. */
  public static CollectProcess start(Path dir, int httpPort, int grpcPort) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Finished.jdk("java"),
            "-jar",
            ProgramRun.AGENT.toString(),
            "collect",
            "--dir=" + dir,
            "--http=" + httpPort,
            "--grpc=" + grpcPort);
    builder.environment().keySet().removeIf(name -> name.startsWith("ROLL_"));
    return new CollectProcess(builder.redirectErrorStream(true).start());
  }

  public long pid() {
    return process.pid();
  }

  public int httpPort() {
    return httpPort;
  }

  /** The run as a page. */
  public URI page() {
    return page;
  }

  public int grpcPort() {
    return grpcPort;
  }

  /** The port for this value of OTEL_EXPORTER_OTLP_PROTOCOL. */
  public int port(String protocol) {
    return protocol.equals("grpc") ? grpcPort : httpPort;
  }

  /** STOP, CONT, KILL. */
  public void signal(String name) throws IOException, InterruptedException {
    Finished.of(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))).isWell();
    if (name.equals("KILL")) {
      process.waitFor();
    }
  }

  /** Ends it as Ctrl-C does; gives what it printed since it listened. */
  public List<String> stop() throws InterruptedException {
    process.toHandle().destroy(); // the process's own would close its output
    List<String> lines = said.lines().toList();
    process.waitFor();
    return lines;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
