package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class OtlpEnvironmentTest {

  private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
  private static final String HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";

  static Stream<Arguments> endpoints() {
    return Stream.of(
        Arguments.of(Map.of(), null),
        Arguments.of(Map.of(ENDPOINT, " "), null),
        Arguments.of(Map.of(ENDPOINT, "http://a:4318"), "http://a:4318"),
        Arguments.of(Map.of(ENDPOINT, "http://a:4318, http://b:4318"), "http://a:4318"),
        Arguments.of(
            Map.of(
                ENDPOINT,
                "http://a:4318",
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                "https://b/v1/traces"),
            "https://b/v1/traces"));
  }

  @ParameterizedTest
  @MethodSource("endpoints")
  void endpoint_isThatOfTracesOrTheFirstOfAll(Map<String, String> variables, String endpoint) {
    assertThat(new OtlpEnvironment(variables).endpoint())
        .isEqualTo(endpoint == null ? null : URI.create(endpoint));
  }

  @ParameterizedTest
  @CsvSource({
    "https://vendor:443, true",
    "https://vendor:443/v1/traces, true",
    "http://vendor:443, false",
    "https://vendor:4318, false",
    "https://vendor, true",
    "https://VENDOR, true",
    "https://vendor.example.org:443, false",
    "http://localhost:4318, false",
  })
  void headers_areOnlyForTheEndpointBesideThem(String target, boolean areSent) {
    OtlpEnvironment environment =
        new OtlpEnvironment(
            Map.of(
                ENDPOINT,
                "https://vendor:443",
                HEADERS,
                "Authorization=Bearer%205ecret, x-org = a"));
    assertThat(environment.headers(URI.create(target)))
        .isEqualTo(areSent ? Map.of("Authorization", "Bearer 5ecret", "x-org", "a") : Map.of());
  }

  @Test
  void hostsWithUnderscores_areToldApart() {
    OtlpEnvironment environment =
        new OtlpEnvironment(Map.of(ENDPOINT, "http://otel_collector:4317", HEADERS, "a=b"));
    assertThat(environment.headers(URI.create("http://other_host:9999"))).isEmpty();
    assertThat(environment.headers(URI.create("http://otel_collector:4317"))).hasSize(1);
  }

  @Test
  void endpointThatIsNoUrl_isNamedWithoutItsPassword() {
    OtlpEnvironment environment =
        new OtlpEnvironment(Map.of(ENDPOINT, "http://u:5ecret@ho st:4318"));
    assertThatThrownBy(environment::endpoint)
        .hasMessage("OTEL_EXPORTER_OTLP_ENDPOINT=http://ho st:4318 is not a URL");
  }

  @Test
  void emptyVariableOfTraces_isUnset() {
    assertThat(
            new OtlpEnvironment(
                    Map.of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "", ENDPOINT, "http://h:1"))
                .endpoint())
        .isEqualTo(URI.create("http://h:1"));
  }

  @Test
  void headersWithoutAnEndpoint_areSentToNobody() {
    assertThat(new OtlpEnvironment(Map.of(HEADERS, "a=b")).headers(URI.create("http://h:1")))
        .isEmpty();
  }

  @Test
  void malformedHeaders_areNotQuoted() {
    OtlpEnvironment environment =
        new OtlpEnvironment(Map.of(ENDPOINT, "http://h:1", HEADERS, "a=b,5ecret"));
    assertThatThrownBy(() -> environment.headers(URI.create("http://h:1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(HEADERS)
        .hasMessageNotContaining("5ecret");
  }

  @Test
  void certificates_areTheJvmsUnlessGiven() throws Exception {
    assertThat(new OtlpEnvironment(Map.of()).tls()).isNull();
    OtlpEnvironment wrong =
        new OtlpEnvironment(Map.of("OTEL_EXPORTER_OTLP_CERTIFICATE", "/no/such/ca.crt"));
    assertThatThrownBy(wrong::tls).hasMessageContaining("/no/such/ca.crt");
  }
}
