package io.rollotel.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.rollotel.agent.settings.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class CollectorCheckTest {

  @Test
  @Timeout(60)
  void answerWhoseBodyNeverEnds_isJudgedByItsHead(@TempDir Path output) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 10);
          exchange.getResponseBody().write('1'); // JDK 25 sends the head with the first bytes
          exchange.getResponseBody().flush();
        });
    server.start();
    try {
      String endpoint = "http://127.0.0.1:" + server.getAddress().getPort();
      Settings settings =
          Settings.read(
              "otel.exporter.otlp.endpoint=" + endpoint + ",output.dir=" + output, Map.of());
      assertThat(new CollectorCheck(settings).findings())
          .contains(Finding.ok("export", endpoint + "/v1/traces accepted an empty request"));
    } finally {
      server.stop(0);
    }
  }
}
