package io.rollotel.agent.ray;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the workers of a job are told, on stand-ins of Ray's configuration. */
class RayJobTest {

  private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
  private static final String HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";
  private static final Map<String, String> COLLECTOR =
      Map.of(
          ENDPOINT,
          "http://10.0.0.1:4318",
          "OTEL_EXPORTER_OTLP_PROTOCOL",
          "http/protobuf",
          HEADERS,
          "authorization=Bearer%20secret");

  /** Like Ray's: its environment variables must not be changed in place. */
  public static final class RuntimeEnv {
    private Map<String, Object> all = Map.of();

    public <T> T get(String name, Class<T> type) {
      return type.cast(all.get(name));
    }

    public void set(String name, Object value) {
      all = Map.of(name, value);
    }
  }

  public static final class Config {
    public final Object runtimeEnvImpl = new RuntimeEnv();
  }

  /** As Ray describes one. */
  public record Node(String getNodeManagerAddress) {}

  private final Config config = new Config();
  private final RayJob job = new RayJob(config);

  @Test
  void collector_isToldToWorkersThatHaveNone() throws Exception {
    given(Map.of("MINE", "1"));
    job.addCollector(COLLECTOR);
    Map<String, String> expected = new HashMap<>(COLLECTOR);
    expected.put("MINE", "1");
    assertThat(environment()).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {ENDPOINT, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"})
  void endpointOfTheUsers_holdsAndGetsNoTokenOfOurs(String variable) throws Exception {
    given(Map.of(variable, "http://elsewhere:4317", HEADERS, "tenant=7"));
    job.addCollector(COLLECTOR);
    assertThat(environment())
        .isEqualTo(Map.of(variable, "http://elsewhere:4317", HEADERS, "tenant=7"));
  }

  @Test
  void protocolWithoutAnEndpoint_isNoneOfThisCollectors() throws Exception {
    given(
        Map.of(
            "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc",
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc",
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "tenant=7"));
    job.addCollector(COLLECTOR);
    assertThat(environment()).isEqualTo(COLLECTOR);
  }

  @Test
  void noCollector_changesNothing() throws Exception {
    given(Map.of("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"));
    job.addCollector(Map.of());
    assertThat(environment()).isEqualTo(Map.of("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"));
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 10.0.0.1",
    "127.0.0.1, 127.0.0.1",
    "fd00::1, fd00:0:0:0:0:0:0:1",
    "node-1.example, ",
    "'', ",
  })
  void address_isThatOfTheNodeUnlessItHadToBeLookedUp(String said, String expected)
      throws Exception {
    var address = RayJob.address(new Node(said));
    assertThat(address == null ? null : address.getHostAddress()).isEqualTo(expected);
  }

  private void given(Map<String, String> variables) {
    ((RuntimeEnv) config.runtimeEnvImpl).set("env_vars", variables);
  }

  private Map<?, ?> environment() {
    return ((RuntimeEnv) config.runtimeEnvImpl).get("env_vars", Map.class);
  }
}
