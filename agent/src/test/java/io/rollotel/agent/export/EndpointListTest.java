package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.internal.DefaultConfigProperties;
import io.rollotel.agent.log.Stderr;
import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.settings.EndpointText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointListTest {

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final List<Server> servers = new ArrayList<>();

  private static final class Server {
    private final HttpServer http;
    private final AtomicInteger requests = new AtomicInteger();
    private volatile int status = 200;

    private Server() throws IOException {
      http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      http.createContext(
          "/v1/traces",
          exchange -> {
            requests.incrementAndGet();
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
          });
      http.start();
    }

    private String url() {
      return "http://127.0.0.1:" + http.getAddress().getPort();
    }
  }

  private Server server() throws IOException {
    Server server = new Server();
    servers.add(server);
    return server;
  }

  @AfterEach
  void stop() {
    servers.forEach(server -> server.http.stop(0));
  }

  private static ConfigProperties config(String endpoints) {
    return DefaultConfigProperties.createFromMap(
        Map.of(
            "otel.exporter.otlp.endpoint",
            endpoints,
            "otel.exporter.otlp.protocol",
            "http/protobuf"));
  }

  private static OtlpEndpoint endpoint(String endpoints, SpokenProtocols known) throws IOException {
    return OtlpEndpoint.ofUser(config(endpoints), Signal.TRACES, known);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http://a | http://a",
        "http://a,http://b | http://a http://b",
        "http://a:1/x , https://b:2 | http://a:1/x https://b:2",
        "http://a/p,q | http://a/p,q",
        "a:1,b:2 | a:1,b:2",
      })
  void addresses_areThoseBeforeWhichASchemeStands(String given, String addresses) {
    assertThat(String.join(" ", EndpointText.split(given))).isEqualTo(addresses);
  }

  @Test
  void usersOfAddresses_areNotShown() {
    assertThat(EndpointText.withoutUser("http://u:p@a:1,http://v:q@b:2"))
        .isEqualTo("http://a:1,http://b:2");
  }

  @Test
  void addressWithoutAScheme_isNamedWithWhatToWrite() {
    assertThatThrownBy(() -> endpoint("http://a:4318,b:4318", new SpokenProtocols()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("before each address of a list");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "endpoint        | http://a,https://b/x       | http://a/v1/traces https://b/x/v1/traces",
        "traces.endpoint | http://a/t,http://b/u      | http://a/t http://b/u",
        "endpoint        | http://u:p,w@a:1           | http://u:p,w@a:1/v1/traces",
        "endpoint        | http://a/p,q               | http://a/p,q/v1/traces",
      })
  void requests_goToEachAddressOfTheSetting(String setting, String given, String urls) {
    ConfigProperties config =
        DefaultConfigProperties.createFromMap(Map.of("otel.exporter.otlp." + setting, given));
    assertThat(OtlpSettings.urls(config, Signal.TRACES).stream().map(Object::toString))
        .containsExactly(urls.split(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "'', '', http://localhost:4318/v1/traces",
    "' ', http://a, http://a/v1/traces",
    "http://t, '', http://t"
  })
  void blankEndpoint_isAsIfUnset(String ofTraces, String ofAll, String url) {
    ConfigProperties config =
        DefaultConfigProperties.createFromMap(
            Map.of(
                "otel.exporter.otlp.traces.endpoint",
                ofTraces,
                "otel.exporter.otlp.endpoint",
                ofAll));
    assertThat(OtlpSettings.urls(config, Signal.TRACES)).singleElement().hasToString(url);
  }

  @Test
  void badEndpointOfTheProgramsCode_isNoVariable() {
    ConfigProperties config =
        DefaultConfigProperties.createFromMap(
            Map.of("otel.exporter.otlp.endpoint", "host:1", OtlpEndpoint.IS_IN_CODE, "true"));
    assertThatThrownBy(() -> OtlpSettings.urls(config, Signal.TRACES))
        .hasMessageStartingWith("the endpoint host:1 has no scheme: write http://host:1");
  }

  @Test
  void firstThatAnswers_isUsedAndStaysInUse() throws IOException {
    Server first = server();
    Server second = server();
    SpokenProtocols known = new SpokenProtocols();
    String list = first.url() + "," + second.url();
    try (OtlpEndpoint endpoint = endpoint(list, known);
        Stderr stderr = new Stderr()) {
      endpoint.send(new byte[] {1}, PATIENCE_NANOS);
      first.status = 503;
      endpoint.send(new byte[] {2}, PATIENCE_NANOS);
      first.status = 200;
      endpoint.send(new byte[] {3}, PATIENCE_NANOS);
      assertThat(first.requests).hasValue(2);
      assertThat(second.requests).hasValue(2);
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains(first.url() + "/v1/traces: HTTP status 503", second.url() + "/v1/traces");
    }
    try (OtlpEndpoint later = endpoint(list, known)) {
      later.send(new byte[] {4}, PATIENCE_NANOS);
    }
    assertThat(first.requests).as("also after a rest").hasValue(2);
  }

  @Test
  void listOfWhichNoneAnswers_isAskedAgainAndEachIsNamed() throws IOException {
    Server busy = server();
    busy.status = 503;
    String dead;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      dead = "http://127.0.0.1:" + socket.getLocalPort();
    }
    try (OtlpEndpoint endpoint = endpoint(dead + "," + busy.url(), new SpokenProtocols())) {
      assertThatThrownBy(() -> endpoint.send(new byte[] {1}, PATIENCE_NANOS))
          .hasMessageContaining(dead + "/v1/traces: ")
          .hasMessageContaining(busy.url() + "/v1/traces: HTTP status 503");
      assertThat(busy.requests).hasValue(3);
    }
  }

  @Test
  void firstThatNeverAnswers_leavesTimeForTheSecond() throws IOException {
    Server second = server();
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        OtlpEndpoint endpoint =
            endpoint(
                "http://127.0.0.1:" + silent.getLocalPort() + "," + second.url(),
                new SpokenProtocols());
        Stderr stderr = new Stderr()) {
      endpoint.send(new byte[] {1}, TimeUnit.SECONDS.toNanos(2));
      assertThat(second.requests).hasValue(1);
      assertThat(stderr.lines()).hasSize(1);
    }
  }

  @Test
  void listThatRefusesForGood_isNotAskedAgain() throws IOException {
    Server first = server();
    Server second = server();
    first.status = 400;
    second.status = 400;
    try (OtlpEndpoint endpoint =
        endpoint(first.url() + "," + second.url(), new SpokenProtocols())) {
      assertThatThrownBy(() -> endpoint.send(new byte[] {1}, PATIENCE_NANOS))
          .isInstanceOfSatisfying(
              NotTakenException.class,
              e -> assertThat(e.kind()).isEqualTo(NotTakenException.Kind.REFUSED));
      assertThat(first.requests).hasValue(1);
      assertThat(second.requests).hasValue(1);
    }
  }

  @Test
  void listThatThereIsNoTimeToAsk_isNoRefusalAndSaysSo() throws IOException {
    Server server = server();
    try (OtlpEndpoint endpoint =
        endpoint(server.url() + "," + server.url() + "/second", new SpokenProtocols())) {
      assertThatThrownBy(() -> endpoint.send(new byte[] {1}, 0))
          .hasMessageContaining(server.url() + "/v1/traces: there was no time left to ask it")
          .isInstanceOfSatisfying(
              NotTakenException.class,
              e -> assertThat(e.kind()).isEqualTo(NotTakenException.Kind.PASSING));
      assertThat(server.requests).hasValue(0);
    }
  }
}
