package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.LiveProgram;
import io.rollotel.it.kit.Manifest;
import io.rollotel.it.kit.Patience;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.RayCluster;
import io.rollotel.it.kit.RayProgram;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * The manifests in {@code deploy}, started on this machine: their commands, options and
 * environments, with the folders of the containers and the names of the services replaced. What
 * only Kubernetes does is not tested.
 */
@Tag("ray") // on the newest Ray alone, which is the manifests'
class DeployIT {

  private static final Path DEPLOY = ProgramRun.ROOT.resolve("deploy");
  private static final Map<String, String> SECRETS = Map.of("roll-otel/token", "0123abcd");
  private static final long START_MILLIS = System.currentTimeMillis();

  private static @TempDir Path directory;
  private static RayProgram calls;
  private static LiveProgram collector;
  private static String http;
  private static RayCluster cluster;
  private static int dashboard;

  /** The folder of one container's that the manifests name, on this machine. */
  private static String here(String text) {
    return text.replace("/opt/roll-otel", directory.resolve("opt/roll-otel").toString())
        .replace("/opt/job", directory.resolve("opt/job").toString())
        .replace("/opt/ray-jars", directory.resolve("opt/ray-jars").toString())
        .replace("/tmp/ray/roll-otel", directory.resolve("ray-output").toString())
        .replace("--dir=/traces", "--dir=" + directory.resolve("output/otlp"))
        .replace("http://roll-otel-collector:4318", "http://127.0.0.1:" + http);
  }

  @BeforeAll
  static void start() throws Exception {
    calls = RayProgram.compiled(directory);
    initContainer();
    job();
    startCollector();
    startCluster();
  }

  /** Runs the command of the image, whose files are in the repository. */
  private static void initContainer() throws Exception {
    Path image = Files.createDirectories(directory.resolve("roll-otel"));
    List<String> command = new ArrayList<>();
    for (String line : Files.readAllLines(DEPLOY.resolve("image/Dockerfile"))) {
      if (line.startsWith("COPY roll-otel-agent.jar ")) {
        Files.copy(ProgramRun.AGENT, directory.resolve(line.split(" ")[2].substring(1)));
      } else if (line.startsWith("COPY roll_otel_ray ")) {
        Path to = directory.resolve(line.split(" ")[2].substring(1));
        Files.createDirectories(to.getParent());
        copy(ProgramRun.ROOT.resolve("python/src/roll_otel_ray"), to);
      } else if (line.startsWith("CMD ")) {
        command = new Yaml().load(line.substring(4));
      }
    }
    Files.createDirectories(directory.resolve("opt/roll-otel"));
    command.replaceAll(word -> here(word.replaceFirst("^/roll-otel/", image + "/")));
    Finished.of(new ProcessBuilder(command)).isWell();
  }

  /** What the image of Ray has beside Ray. */
  private static void job() throws IOException {
    Path job = Files.createDirectories(directory.resolve("opt/job"));
    Files.copy(Path.of(calls.searchPath().get(0)), job.resolve("job.jar"));
    for (String name : List.of("java.options", "run.sh")) {
      Path file = job.resolve(name);
      Files.copy(DEPLOY.resolve("kuberay").resolve(name), file);
      Files.writeString(file, here(Files.readString(file)));
    }
    Path jar = RayCluster.jars().get(0).toRealPath();
    Files.createSymbolicLink(directory.resolve("opt/ray-jars"), jar.getParent());
  }

  private static void startCollector() throws Exception {
    Manifest container =
        Manifest.of(DEPLOY.resolve("collector/collector.yaml"), "Deployment")
            .in("spec.template.spec.containers.0");
    Map<String, String> environment = container.environment(SECRETS);
    List<String> command = container.command(environment);
    // Any free ports: the manifest's are those of every collector.
    command.replaceAll(word -> here(word.replaceFirst("^(--grpc|--http)=.*", "$1=0")));
    command.set(0, Finished.jdk(command.get(0)));
    ProcessBuilder builder = Launched.clean(new ProcessBuilder(command));
    builder.environment().putAll(environment);
    collector = LiveProgram.of(builder);
    http = collector.await("OTLP/HTTP on http://127.0.0.1:").split("\\D")[0];
  }

  private static void startCluster() throws Exception {
    dashboard = freePort();
    Manifest head = cluster().in("spec.headGroupSpec");
    List<String> options =
        new ArrayList<>(List.of("--include-dashboard=true", "--dashboard-port=" + dashboard));
    Map<String, Object> parameters = head.at("rayStartParams");
    parameters.forEach((name, value) -> options.add("--" + name + "=" + value));
    Map<String, String> environment = head.in("template.spec.containers.0").environment(SECRETS);
    environment.replaceAll((name, value) -> here(value));
    cluster = RayCluster.start(environment, options);
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }

  private static Manifest cluster() throws IOException {
    return Manifest.of(DEPLOY.resolve("kuberay/raycluster.yaml"), "RayCluster");
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
    if (collector != null) {
      collector.close();
    }
    RayCluster.deleteLibraries(START_MILLIS);
  }

  @Test
  void manifestsRay_isTheOneThatIsTested() throws Exception {
    String version = cluster().at("spec.rayVersion");
    assertThat(Files.readString(ProgramRun.ROOT.resolve("engines/ray-newest-requirements.txt")))
        .contains("\nray==" + version + "\n");
    assertThat(Files.readString(DEPLOY.resolve("kuberay/Dockerfile")))
        .contains("FROM rayproject/ray:" + version + "\n");
  }

  @Test
  void submittedJavaJob_isOneRunAtTheCollector() throws Exception {
    String entrypoint =
        here(Manifest.of(DEPLOY.resolve("kuberay/rayjob.yaml"), "RayJob").at("spec.entrypoint"));

    submit(
        entrypoint.replace("com.acme.Driver", "com.example.Calls")
            + " "
            + directory
            + " byValue,noArguments,workerMethod,nested");

    List<Span> spans =
        RayProgram.joined(directory).stream()
            .filter(span -> !span.name().startsWith("py_calls") && !isOfPythonJob(span))
            .toList();
    Set<String> ids = spans.stream().map(s -> s.traceId() + s.spanId()).collect(Collectors.toSet());
    assertThat(spans).extracting(Span::name).contains("worker.worker", "Calls.deeper ray.remote");
    assertThat(spans)
        .filteredOn(span -> span.kind() == 5)
        .hasSizeGreaterThan(4)
        .allMatch(span -> ids.contains(span.traceId() + span.parentSpanId()));
    assertThat(spans.stream().map(span -> span.resource().text("roll.run_id")).distinct())
        .hasSize(1);
    assertThat(spans)
        .allMatch(span -> span.resource().text("deployment.environment.name").equals("production"));
    reports();
  }

  @Test
  void submittedPythonJob_isOneTraceAtTheCollector() throws Exception {
    Path script = directory.resolve("opt/job/submitted.py");
    Files.writeString(
        script,
        """
        import ray, roll_otel_ray

        @ray.remote
        def submitted(x):
            return 2 * x

        roll_otel_ray.setup()
        print("submitted:", ray.get(submitted.remote(21)))
        """);

    submit(cluster.python() + " " + script);

    Patience.until(
        () -> "call and execution are there: " + ofPythonJob(), () -> ofPythonJob().size() == 2);
    Span call = ofPythonJob().get(0);
    Span execution = ofPythonJob().get(1);
    assertThat(call.name()).endsWith("submitted ray.remote");
    assertThat(execution.name()).isEqualTo(call.name() + "_worker");
    assertThat(execution.traceId()).isEqualTo(call.traceId());
    assertThat(execution.parentSpanId()).isEqualTo(call.spanId());
  }

  private static List<Span> ofPythonJob() throws IOException {
    return RayProgram.joined(directory).stream()
        .filter(DeployIT::isOfPythonJob)
        .sorted(Comparator.comparing(Span::kind))
        .toList();
  }

  private static boolean isOfPythonJob(Span span) {
    return span.name().contains("submitted ray.remote");
  }

  @Test
  void requestOfServe_isATrace() throws Exception {
    Path application = Files.createDirectory(directory.resolve("serve"));
    copy(DEPLOY.resolve("serve"), application);
    Path config = application.resolve("serve.yaml");
    int port = freePort();
    Files.writeString(
        config,
        Files.readString(config)
            .replace("host: 0.0.0.0", "host: 127.0.0.1")
            .replace("port: 8000", "port: " + port));
    deploy(application);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/?prompt=hello")).build();
    Patience.until(() -> "the application answers", () -> answers(request));

    List<String> expected =
        List.of("Scorer remote_worker", "Scorer remote", "Policy remote_worker", "Policy remote");
    Patience.until(
        () -> "the whole request is there: " + wayOfScorer(), () -> wayOfScorer().equals(expected));
    assertThat(RayProgram.joined(directory))
        .extracting(Span::name)
        .noneMatch(name -> name.startsWith("ServeController") || name.startsWith("ProxyActor"));
  }

  /** From the execution in the second deployment to the root. */
  private static List<String> wayOfScorer() throws IOException {
    List<Span> spans = RayProgram.joined(directory);
    Map<String, Span> byId =
        spans.stream().collect(Collectors.toMap(Span::spanId, span -> span, (one, same) -> one));
    List<String> way = new ArrayList<>();
    Span span =
        spans.stream()
            .filter(each -> each.name().matches(".*:Scorer\\.handle_request.* ray.remote_worker"))
            .findFirst()
            .orElse(null);
    for (; span != null; span = byId.get(span.parentSpanId())) {
      way.add(span.name().replaceFirst("ServeReplica:policy:(\\w+)\\.\\w+ ray.", "$1 "));
    }
    return way;
  }

  /** As "serve deploy" is given it; the application lies where the command is started. */
  private static void deploy(Path application) throws Exception {
    Map<String, Object> config =
        new Yaml().load(Files.readString(application.resolve("serve.yaml")));
    Map<String, Object> only = new Manifest(config).at("applications.0");
    only.put(
        "runtime_env",
        Map.of(
            "env_vars", Map.of("PYTHONPATH", here("/opt/roll-otel/python") + ":" + application)));
    Files.writeString(application.resolve("serve.yaml"), new Yaml().dump(config));
    List<Finished> last = new ArrayList<>();
    Patience.until(
        () -> "the application is taken: " + last,
        () -> {
          last.clear();
          last.add(
              Finished.of(
                  RayCluster.clean(
                      new ProcessBuilder(
                          cluster.python().resolveSibling("serve").toString(),
                          "deploy",
                          application.resolve("serve.yaml").toString(),
                          "--address=http://127.0.0.1:" + dashboard))));
          return last.get(0).exitCode() == 0;
        });
  }

  private static boolean answers(HttpRequest request) throws InterruptedException {
    try {
      HttpResponse<String> answer =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      return answer.body().equals("5");
    } catch (IOException notYet) {
      return false;
    }
  }

  private static void submit(String entrypoint) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                cluster.python().resolveSibling("ray").toString(),
                "job",
                "submit",
                "--address=http://127.0.0.1:" + dashboard,
                "--"));
    command.addAll(List.of(entrypoint.split(" ")));
    List<Finished> last = new ArrayList<>();
    // The cluster has started before all of its parts can take a job.
    Patience.until(
        () -> "the job is taken: " + last,
        () -> {
          last.clear();
          last.add(Finished.of(RayCluster.clean(new ProcessBuilder(command))));
          return !last.get(0).err().contains("please try again later");
        });
    last.get(0).isWell();
  }

  private static void reports() throws Exception {
    Finished report =
        Finished.of(
                Launched.clean(
                    new ProcessBuilder(
                        Finished.jdk("java"),
                        "-jar",
                        directory.resolve("opt/roll-otel/roll-otel-agent.jar").toString(),
                        "report",
                        directory.resolve("output/otlp").toString())))
            .isWell();
    assertThat(report.out()).contains("worker.worker");
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }
}
