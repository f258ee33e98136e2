package io.rollotel.it.kit;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.Yaml;

/** A collector that runs a configuration of {@code deploy/otelcol}, on ports of its own. */
public final class Otelcol implements AutoCloseable {

  public static final Path CONFIGURATIONS = ProgramRun.ROOT.resolve("deploy/otelcol");

  private final Path directory;
  private final Path configuration;
  private final Map<String, String> environment = new LinkedHashMap<>();
  private final List<String> options = new ArrayList<>();
  private final int grpcPort = FreePort.find();
  private final int httpPort = FreePort.find();
  private final URI health = URI.create("http://127.0.0.1:" + FreePort.find());
  private final URI metrics = URI.create("http://127.0.0.1:" + FreePort.find() + "/metrics");
  private Process process;

  /**
   * One that is not started yet.
   *
   * @param directory for its log, its queue and its files
   */
  public Otelcol(Path directory, String configuration) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.configuration = directory.resolve(configuration);
    Files.copy(CONFIGURATIONS.resolve(configuration), this.configuration);
    environment("GRPC_ENDPOINT", "127.0.0.1:" + grpcPort);
    environment("HTTP_ENDPOINT", "127.0.0.1:" + httpPort);
    environment("HEALTH_ENDPOINT", health.getAuthority());
    environment("METRICS_HOST", metrics.getHost());
    environment("METRICS_PORT", Integer.toString(metrics.getPort()));
    environment("QUEUE_DIR", directory.resolve("queue").toString());
    environment("TRACES_DIR", directory.resolve("files").toString());
  }

  /** The program. */
  public static Path program() {
    return Engines.folder("tiers", "tiers.yaml").resolve("otelcol/otelcol");
  }

  public Otelcol environment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  public Otelcol options(String... more) {
    options.addAll(List.of(more));
    return this;
  }

  /** Names the gateways, which in the file have a name of Kubernetes'. */
  public Otelcol gateways(Otelcol... gateways) throws IOException {
    List<String> hosts = new ArrayList<>();
    for (Otelcol gateway : gateways) {
      hosts.add("127.0.0.1:" + gateway.grpcPort);
    }
    Map<String, Object> file = new Yaml().load(Files.readString(configuration));
    Map<String, Object> exporter = new Manifest(file).at("exporters.load_balancing");
    exporter.put("resolver", Map.of("static", Map.of("hostnames", hosts)));
    Files.writeString(configuration, new Yaml().dump(file));
    return this;
  }

  public int grpcPort() {
    return grpcPort;
  }

  public int httpPort() {
    return httpPort;
  }

  /** Its own metrics, for Prometheus. */
  public String metrics() throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString())
        .body();
  }

  /** Where it writes files, if it writes any. */
  public Path files() {
    return directory.resolve("files");
  }

  /** Starts it, on the same ports and with the same queue as before. */
  public Otelcol start() throws Exception {
    List<String> command =
        new ArrayList<>(List.of(program().toString(), "--config=" + configuration));
    command.addAll(options);
    Path log = Files.createTempFile(directory, "otelcol", ".log");
    ProcessBuilder builder = Launched.clean(new ProcessBuilder(command));
    builder.environment().putAll(environment);
    process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Patience.until(
        () -> "the collector is ready: " + Files.readString(log),
        process.toHandle(),
        this::isReady);
    return this;
  }

  private boolean isReady() throws InterruptedException {
    try {
      return HttpClient.newHttpClient()
              .send(HttpRequest.newBuilder(health).build(), BodyHandlers.discarding())
              .statusCode()
          == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Kills it with SIGKILL. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** As Kubernetes ends it. */
  public void stop() throws InterruptedException {
    process.destroy();
    Patience.untilEnd(process);
  }

  @Override
  public void close() {
    if (process != null) {
      process.destroyForcibly();
    }
  }
}
