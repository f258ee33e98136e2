package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.exporter.otlp.internal.OtlpConfigUtil;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.internal.DefaultConfigProperties;
import io.rollotel.traces.otlp.Signal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OtlpEndpointTest {

  private static final byte[] REQUEST = "spans".getBytes(StandardCharsets.UTF_8);

  private final List<Integer> statuses = new CopyOnWriteArrayList<>();
  private final List<Map<String, List<String>>> headers = new CopyOnWriteArrayList<>();
  private final List<byte[]> bodies = new CopyOnWriteArrayList<>();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/v1/traces",
        exchange -> {
          headers.add(new HashMap<>(exchange.getRequestHeaders()));
          bodies.add(exchange.getRequestBody().readAllBytes());
          int status = statuses.isEmpty() ? 200 : statuses.remove(0);
          if (status == 302) {
            exchange.getResponseHeaders().add("Location", "/v1/traces");
          }
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  /** Names without the prefix {@code otel.exporter.otlp.}, and the value that the SDK derives. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "endpoint=http://host",
        "endpoint=http://host:4318/",
        "endpoint=http://host:4318/base headers=a=b,c=d%20e",
        "endpoint=http://host:4318/base/ timeout=5000 traces.timeout=300",
        "endpoint=http://other traces.endpoint=http://host:1/path compression=gzip",
        "endpoint=http://[::1]:4318 timeout=7s headers=a=b traces.headers=c=d",
        "traces.endpoint=http://host:1/a%20b compression=gzip traces.compression=none",
      })
  void settings_areUnderstoodAsTheSdkDoes(String line) throws IOException {
    ConfigProperties config = config(line);
    Map<String, String> sdks = new HashMap<>();
    Map<String, String> sdksHeaders = new HashMap<>();
    OtlpConfigUtil.configureOtlpExporterBuilder(
        OtlpConfigUtil.DATA_TYPE_TRACES,
        config,
        loader -> {},
        given -> sdks.put("endpoint", given),
        sdksHeaders::put,
        given -> sdks.put("compression", given),
        given -> sdks.put("timeout", Long.toString(given.toNanos())),
        certificates -> {},
        (key, chain) -> {},
        policy -> {},
        memory -> {});
    try (OtlpEndpoint ours = OtlpEndpoint.ofUser(config, Signal.TRACES, new SpokenProtocols())) {
      assertThat(ours).isNotNull();
      assertThat(ours).hasToString(sdks.get("endpoint"));
      assertThat(ours.headers()).containsAllEntriesOf(sdksHeaders);
      assertThat(ours.headers().containsKey("Content-Encoding"))
          .isEqualTo("gzip".equals(sdks.get("compression")));
      assertThat(ours.timeoutNanos())
          .isEqualTo(Long.parseLong(sdks.getOrDefault("timeout", "10000000000")));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "endpoint=host:4317, OTEL_EXPORTER_OTLP_ENDPOINT=host:4317 has no scheme: write http://host:4317",
    "traces.endpoint=u:p@host, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=host has no scheme: write",
    "endpoint=grpc://host, OTEL_EXPORTER_OTLP_ENDPOINT=grpc://host is neither",
    "endpoint=http://host?a=b, holds a",
    "endpoint=http://host#a, holds a",
    "compression=zstd, 'takes gzip or none, not zstd'",
    "endpoint=http://host:port, 'no host, or no port up to 65535, in host:port'",
  })
  void settingThatCannotBeFollowed_isNamedWithWhatToWrite(String line, String said) {
    assertThatThrownBy(
            () -> OtlpEndpoint.ofUser(config(line), Signal.TRACES, new SpokenProtocols()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(said)
        .hasMessageNotContaining("u:p");
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "gzip"})
  void request_arrivesAsItIs(String compression) throws Exception {
    try (OtlpEndpoint endpoint =
        endpoint("compression=" + compression + " headers=Authorization=Bearer%20x")) {
      endpoint.send(REQUEST, Long.MAX_VALUE);
    }
    Map<String, List<String>> sent = headers.get(0);
    assertThat(sent).containsEntry("Authorization", List.of("Bearer x"));
    assertThat(sent).containsEntry("Content-type", List.of("application/x-protobuf"));
    assertThat(sent.get("User-agent").get(0)).startsWith("OTel-OTLP-Exporter-Java/");
    byte[] body = bodies.get(0);
    if (compression.equals("gzip")) {
      assertThat(sent).containsEntry("Content-encoding", List.of("gzip"));
      body = new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes();
    }
    assertThat(body).isEqualTo(REQUEST);
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(ints = {429, 502, 503, 504})
  void statusThatMayPass_isTriedThreeTimes(int status) throws Exception {
    statuses.addAll(List.of(status, status));
    try (OtlpEndpoint endpoint = endpoint("")) {
      endpoint.send(REQUEST, Long.MAX_VALUE);
      assertThat(bodies).hasSize(3);

      statuses.addAll(List.of(status, status, status));
      assertThatThrownBy(() -> endpoint.send(REQUEST, Long.MAX_VALUE))
          .isInstanceOf(IOException.class)
          .hasMessage("HTTP status " + status);
      assertThat(bodies).hasSize(6);
    }
  }

  @ParameterizedTest
  @CsvSource({"302", "400", "401", "404", "413", "500"})
  void otherStatus_isAFailureAtOnce(int status) throws Exception {
    statuses.add(status);
    try (OtlpEndpoint endpoint = endpoint("")) {
      assertThatThrownBy(() -> endpoint.send(REQUEST, Long.MAX_VALUE))
          .hasMessage("HTTP status " + status);
      assertThat(bodies).hasSize(1);
    }
  }

  @Test
  void patience_isTheLongestThatAnAttemptMayStart() throws Exception {
    statuses.addAll(List.of(503, 503, 503));
    try (OtlpEndpoint endpoint = endpoint("")) {
      // Less than the first pause.
      assertThatThrownBy(() -> endpoint.send(REQUEST, TimeUnit.MILLISECONDS.toNanos(100)))
          .isInstanceOf(IOException.class);
      assertThat(bodies).hasSizeLessThanOrEqualTo(1);
    }
  }

  @Test
  void nobodyThere_isAFailureThatSaysSo() throws Exception {
    try (Socket holdsThePort = new Socket()) {
      holdsThePort.bind(new InetSocketAddress("127.0.0.1", 0));
      String elsewhere = "http://127.0.0.1:" + holdsThePort.getLocalPort();
      try (OtlpEndpoint endpoint = endpoint("endpoint=" + elsewhere)) {
        assertThatThrownBy(() -> endpoint.send(REQUEST, Long.MAX_VALUE))
            .isInstanceOf(ConnectException.class);
      }
    }
  }

  private OtlpEndpoint endpoint(String more) throws IOException {
    OtlpEndpoint endpoint =
        OtlpEndpoint.ofUser(
            config("endpoint=http://127.0.0.1:" + server.getAddress().getPort() + " " + more),
            Signal.TRACES,
            new SpokenProtocols());
    return endpoint;
  }

  private static ConfigProperties config(String line) {
    Map<String, String> properties = new HashMap<>();
    properties.put("otel.exporter.otlp.protocol", "http/protobuf");
    for (String setting : line.trim().split(" ")) {
      int equals = setting.indexOf('=');
      if (equals > 0) {
        properties.put(
            "otel.exporter.otlp." + setting.substring(0, equals), setting.substring(equals + 1));
      }
    }
    return DefaultConfigProperties.create(
        properties, ComponentLoader.forClassLoader(OtlpEndpointTest.class.getClassLoader()));
  }
}
