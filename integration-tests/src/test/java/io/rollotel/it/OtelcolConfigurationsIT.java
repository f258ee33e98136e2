package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.Manifest;
import io.rollotel.it.kit.Otelcol;
import io.rollotel.it.kit.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

/** Every configuration of deploy/otelcol, and what the manifests say of them. */
@Tag("engines")
class OtelcolConfigurationsIT {

  /** What a broker takes by default. */
  private static final int KAFKAS_MOST_BYTES = 1_048_588;

  static List<Path> configurations() throws IOException {
    try (Stream<Path> files = Files.list(Otelcol.CONFIGURATIONS)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void configuration_isValid(Path file) throws Exception {
    Finished.of(
            Launched.clean(
                new ProcessBuilder(Otelcol.program().toString(), "validate", "--config=" + file)))
        .isWell();
  }

  @ParameterizedTest
  @CsvSource({"node.yaml, DaemonSet, node-", "gateway.yaml, StatefulSet, gateway-"})
  void manifest_setsAndOpensWhatTheConfigurationsTake(
      String manifest, String kind, String configuration) throws Exception {
    Manifest container =
        Manifest.of(Otelcol.CONFIGURATIONS.resolve("kubernetes").resolve(manifest), kind)
            .in("spec.template.spec.containers.0");
    String image = container.at("image");
    assertThat(image).endsWith(":" + version());
    for (Path file : configurations()) {
      if (file.getFileName().toString().startsWith(configuration)) {
        String text = Files.readString(file);
        List<Map<String, Object>> ports = container.at("ports");
        assertThat(ports)
            .allSatisfy(
                port -> assertThat(text).containsPattern(":-?" + port.get("containerPort") + "}"));
        int probed = container.at("readinessProbe.httpGet.port");
        assertThat(text).contains(":" + probed + "}");
        assertThat(text).contains("${env:MEMORY_LIMIT_MIB:-");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "node-gateways.yaml, node-gateways.yaml",
    "node-gateways.yaml, receiver.yaml",
    "node-kafka.yaml, receiver.yaml",
    "gateway-files.yaml, receiver.yaml",
    "gateway-jaeger.yaml, receiver.yaml",
    "gateway-tail-sampling.yaml, receiver.yaml"
  })
  void configurationWithTls_isValid(String file, String tls) throws Exception {
    Finished.of(
            Launched.clean(
                new ProcessBuilder(
                    Otelcol.program().toString(),
                    "validate",
                    "--config=" + Otelcol.CONFIGURATIONS.resolve(file),
                    "--config=" + Otelcol.CONFIGURATIONS.resolve("tls").resolve(tls))))
        .isWell();
  }

  /** Receivers limit bytes, so a batch that is too large is lost, even with few spans. */
  @ParameterizedTest
  @CsvSource({
    "node-gateways.yaml, load_balancing, 8000000",
    "node-kafka.yaml, kafka, 900000",
    "gateway-jaeger.yaml, otlp_grpc, 3000000",
    "gateway-tempo.yaml, otlp_grpc, 3000000",
    "gateway-clickhouse.yaml, clickhouse, 15000000",
    "gateway-s3.yaml, awss3, 32000000"
  })
  void exporter_batchesByBytesAndTriesForEver(String file, String exporter, int most)
      throws Exception {
    Map<String, Object> configuration =
        new Yaml().load(Files.readString(Otelcol.CONFIGURATIONS.resolve(file)));
    Manifest settings = new Manifest(configuration).in("exporters." + exporter);
    Map<String, Object> batch = settings.at("sending_queue.batch");
    assertThat(batch).containsEntry("sizer", "bytes").containsEntry("max_size", most);
    String gaveUp = settings.at("retry_on_failure.max_elapsed_time");
    assertThat(gaveUp).isEqualTo("0s");
    if (exporter.equals("kafka")) {
      int message = settings.at("producer.max_message_bytes");
      assertThat(most).isLessThan(message);
      assertThat(message).isLessThan(KAFKAS_MOST_BYTES);
    }
  }

  /** A limit that is not above the spike's is refused at the start. */
  @ParameterizedTest
  @CsvSource({
    "node.yaml, DaemonSet, ''",
    "gateway.yaml, StatefulSet, ''",
    "gateway.yaml, StatefulSet, gateway-tail-sampling-patch.yaml"
  })
  void memoryOfAManifest_leavesRoomForSpikes(String manifest, String kind, String patch)
      throws Exception {
    Path folder = Otelcol.CONFIGURATIONS.resolve("kubernetes");
    Manifest pod = Manifest.of(folder.resolve(manifest), kind).in("spec.template.spec");
    Map<String, String> values = new HashMap<>(values(pod.in("containers.0")));
    String memory = pod.at("containers.0.resources.limits.memory");
    int seconds = pod.at("terminationGracePeriodSeconds");
    if (!patch.isEmpty()) {
      Map<String, Object> file = new Yaml().load(Files.readString(folder.resolve(patch)));
      Manifest changed = new Manifest(file).in("spec.template.spec");
      values.putAll(values(changed.in("containers.0")));
      memory = changed.at("containers.0.resources.limits.memory");
      int longer = changed.at("terminationGracePeriodSeconds");
      assertThat(longer).isGreaterThan(seconds);
    }
    int limit = Integer.parseInt(values.get("MEMORY_LIMIT_MIB"));
    assertThat(limit).isGreaterThan(2 * Integer.parseInt(values.get("MEMORY_SPIKE_MIB")));
    assertThat(mib(values.get("GOMEMLIMIT"))).isBetween(limit, mib(memory));
  }

  /** With a fixed value, not one of the pod's. */
  private static Map<String, String> values(Manifest container) {
    List<Map<String, Object>> variables = container.at("env");
    return variables.stream()
        .filter(variable -> variable.get("value") != null)
        .collect(
            Collectors.toMap(
                variable -> (String) variable.get("name"),
                variable -> (String) variable.get("value")));
  }

  private static int mib(String memory) {
    int number = Integer.parseInt(memory.replaceAll("[A-Za-z]", ""));
    return memory.contains("G") ? 1024 * number : number;
  }

  @Test
  void nodesCollector_findsTheGatewaysByTheirService() throws Exception {
    Manifest service =
        Manifest.of(Otelcol.CONFIGURATIONS.resolve("kubernetes/gateway.yaml"), "Service");
    Map<String, Object> node =
        new Yaml().load(Files.readString(Otelcol.CONFIGURATIONS.resolve("node-gateways.yaml")));
    String hostname = new Manifest(node).at("exporters.load_balancing.resolver.dns.hostname");
    assertThat(hostname).isEqualTo(service.at("metadata.name"));
  }

  /** The patch goes by places in a list. */
  @Test
  void patchOfRaysCluster_replacesTheCollectorsVariables() throws Exception {
    Path kuberay = ProgramRun.ROOT.resolve("deploy/kuberay");
    Manifest cluster = Manifest.of(kuberay.resolve("raycluster.yaml"), "RayCluster");
    for (String group : List.of("headGroupSpec", "workerGroupSpecs.0")) {
      List<Map<String, Object>> variables =
          cluster.at("spec." + group + ".template.spec.containers.0.env");
      assertThat(variables.subList(1, 4))
          .extracting(variable -> variable.get("name"))
          .containsExactly(
              "ROLL_OTEL_TOKEN", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS");
    }
    List<Map<String, Object>> patch =
        new Yaml().load(Files.readString(kuberay.resolve("node-collector.yaml")));
    assertThat(patch)
        .extracting(step -> step.get("op") + " " + lastOf((String) step.get("path")))
        .containsExactly(
            "replace 1", "replace 2", "remove 3", "replace 1", "replace 2", "remove 3");
  }

  private static String lastOf(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private static String version() throws IOException {
    Map<String, Object> parts =
        new Yaml().load(Files.readString(ProgramRun.ROOT.resolve("engines/tiers.yaml")));
    return new Manifest(parts).at("dist.version");
  }
}
