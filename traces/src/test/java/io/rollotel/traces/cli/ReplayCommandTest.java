package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.rollotel.traces.collector.EmbeddedCollector;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.otlp.WireBuffer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code replay} sends. */
class ReplayCommandTest extends FilesFixture {

  @Test
  void replay_sendsEachSpanOnce() throws Exception {
    Path there = dir.resolve("there");
    try (EmbeddedCollector collector = collector(there)) {
      assertThat(
              run(
                  "replay",
                  traces.toString(),
                  "--endpoint",
                  collector.endpoint().toString(),
                  "--header=Authorization=Bearer 5ecret",
                  "--rate=1000"))
          .as(last.err())
          .isZero();
      assertThat(collector.written()).isEqualTo(7);
      assertThat(new TracesReader().read(there, span -> {}).spans()).isEqualTo(7);
      String endpoint = collector.endpoint().toString();
      assertThat(run("replay", traces.toString(), "--endpoint", endpoint)).isEqualTo(1);
      assertThat(last.err())
          .contains("answered 401", "sent before that: 0 spans")
          .doesNotContain("\tat ");
    }
    assertThat(run("replay", traces.toString(), "--endpoint", "localhost:4318")).isEqualTo(2);
  }

  @Test
  void replayToAPortWhereNobodyListens_saysSo() throws Exception {
    int port;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
    }
    String endpoint = "http://localhost:" + port;
    assertThat(run("replay", traces.toString(), "--endpoint", endpoint)).isEqualTo(1);
    assertThat(last.err())
        .contains(" does not answer (connection refused) after 0 spans: is the collector running?");
  }

  /** 4317 is the port of gRPC. */
  @ParameterizedTest
  @ValueSource(ints = {4317, 4318})
  void replayToAHostWithoutAnAddress_saysSo(int port) {
    String endpoint = "http://nohost.invalid:" + port;
    assertThat(run("replay", traces.toString(), "--endpoint", endpoint)).isEqualTo(1);
    assertThat(last.err())
        .endsWith(
            endpoint
                + " does not answer (its host is unknown) after 0 spans: check the name of the"
                + " host\n");
  }

  @Test
  void headerWithAValueThatCannotBeSent_isNamedWithoutIt() {
    String header = "--header=token=5ecret\nx";
    assertThat(run("replay", traces.toString(), "--endpoint=http://localhost:1", header))
        .isEqualTo(2);
    assertThat(last.err())
        .contains("The header token cannot be sent: look at its value.")
        .doesNotContain("5ecret");
  }

  @Test
  void spansThatTheEndpointRejects_areNotCountedAsSent() throws Exception {
    WireBuffer answer = new WireBuffer();
    int partial = answer.beginMessage(1);
    answer.varint(1, 2);
    answer.text(2, "too old");
    answer.endMessage(partial);
    byte[] body = Arrays.copyOf(answer.bytes(), answer.length());
    HttpServer endpoint = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
    endpoint.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    endpoint.start();
    try {
      String url = "http://localhost:" + endpoint.getAddress().getPort();
      Path file = dir.resolve("three.jsonl");
      PlantedFile.write(
          file,
          Requests.of(
              List.of(
                  Requests.span(3, 1, 0, "a", 5, 3),
                  Requests.span(3, 2, 1, "b", 5, 3),
                  Requests.span(3, 3, 1, "c", 5, 3))));
      assertThat(run("replay", file.toString(), "--endpoint", url)).isOne();
      assertThat(last.out()).startsWith("1 span sent to " + url);
      assertThat(last.err()).isEqualTo(url + " rejected 2 spans (first: too old).\n");
    } finally {
      endpoint.stop(0);
    }
  }
}
