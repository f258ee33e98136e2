package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code collect} of the shipped jar, which listens once this is there. */
public final class CollectProcess implements AutoCloseable {

  private final LiveProgram program;
  private final int httpPort;
  private final int grpcPort;
  private final URI page;

  private CollectProcess(LiveProgram program, String scheme)
      throws IOException, InterruptedException {
    this.program = program;
    httpPort = Integer.parseInt(program.await("OTLP/HTTP on " + scheme + "://127.0.0.1:"));
    grpcPort = Integer.parseInt(program.await("OTLP/gRPC on 127.0.0.1:"));
    program.await("writes to ");
    page = URI.create(program.await("shows the run on "));
    assertThat(program.said()).as("no other line").hasSize(4);
  }

  /** Starts one on these ports, 0 for any. */
  public static CollectProcess start(Path dir, int httpPort, int grpcPort)
      throws IOException, InterruptedException {
    return start(dir, httpPort, grpcPort, List.of());
  }

  /** Starts one on these ports, 0 for any, with options for its JVM. */
  public static CollectProcess start(Path dir, int httpPort, int grpcPort, List<String> options)
      throws IOException, InterruptedException {
    List<String> ports = List.of("--http=" + httpPort, "--grpc=" + grpcPort);
    return start(dir, List.of(), options, ports, "http");
  }

  /** Starts one on any ports that may have so many files and connections open. */
  public static CollectProcess startWithFiles(Path dir, int files)
      throws IOException, InterruptedException {
    List<String> shell = List.of("bash", "-c", "ulimit -n " + files + "; exec \"$@\"", "bash");
    return start(dir, shell, List.of(), List.of("--http=0", "--grpc=0"), "http");
  }

  /** Starts one on any ports that accepts requests with this token, whatever host name they use. */
  public static CollectProcess startWithToken(Path dir, String token)
      throws IOException, InterruptedException {
    List<String> options = List.of("--http=0", "--grpc=0", "--token=" + token);
    return start(dir, List.of(), List.of(), options, "http");
  }

  /** Starts one on any ports, whose connections are encrypted as further options say. */
  public static CollectProcess startEncrypted(Path dir, List<String> encryption)
      throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(List.of("--http=0", "--grpc=0"));
    options.addAll(encryption);
    return start(dir, List.of(), List.of(), options, "https");
  }

  private static CollectProcess start(
      Path dir, List<String> shell, List<String> jvmOptions, List<String> options, String scheme)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(shell);
    command.add(Finished.jdk("java"));
    command.addAll(jvmOptions);
    command.addAll(List.of("-jar", ProgramRun.AGENT.toString(), "collect", "--dir=" + dir));
    command.addAll(options);
    LiveProgram program = LiveProgram.of(Launched.clean(new ProcessBuilder(command)));
    try {
      return new CollectProcess(program, scheme);
    } catch (Exception | AssertionError e) {
      program.close();
      throw e;
    }
  }

  public long pid() {
    return program.handle().pid();
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
    if (name.equals("KILL")) {
      program.kill();
    } else {
      Finished.of(new ProcessBuilder("kill", "-" + name, program.pid())).isWell();
    }
  }

  /** Ends it as Ctrl-C does; gives what it printed since it listened. */
  public List<String> stop() throws IOException, InterruptedException {
    return program.stop();
  }

  @Override
  public void close() {
    program.close();
  }
}
