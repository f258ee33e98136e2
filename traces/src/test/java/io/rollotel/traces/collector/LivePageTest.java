package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.PlantedRecording;
import io.rollotel.traces.kit.Requests;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(600)
class LivePageTest {

  private static final String TOKEN = "5ecret";
  private static final long START = 1_795_269_422_000_000_000L;

  @TempDir Path dir;

  /** Who may look: by the Host header, what a browser says of the asking page, and the token. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          5ecret | /            | 127.0.0.1:4318    |                                       | 200
          5ecret | /            | localhost         |                                       | 200
          5ecret | /            | LOCALHOST:80      |                                       | 200
          5ecret | /            | [::1]:4318        |                                       | 200
          5ecret | /report.json | 127.0.0.1:4318    |                                       | 202
          5ecret | /            | evil.example:4318 |                                       | 403
          5ecret | /report.json | evil.example:4318 |                                       | 403
          5ecret | /            | localhost.evil.example |                                  | 403
          5ecret | /            | 127.0.0.1.evil.example |                                  | 403
          5ecret | /            | node1:4318        | Authorization: Bearer 5ecret          | 200
          5ecret | /            | node1:4318        | Authorization: Bearer wrong           | 403
          5ecret | /?token=5ecret | node1:4318      |                                       | 200
          5ecret | /?token=%zz  | node1:4318        |                                       | 400
          5ecret | /?token=     | node1:4318        |                                       | 403
          5ecret | /report.json?have=x&token=5ecret | node1 |                               | 202
          ''     | /            | node1:4318        |                                       | 403
          ''     | /?token=     | node1:4318        | Authorization: Bearer                 | 403
          ''     | /            | 127.0.0.1:4318    |                                       | 200
          5ecret | /report.json | 127.0.0.1:4318    | Sec-Fetch-Site: cross-site            | 403
          5ecret | /report.json | 127.0.0.1:4318    | Sec-Fetch-Site: same-site             | 403
          5ecret | /report.json | 127.0.0.1:4318    | Sec-Fetch-Site: same-origin           | 202
          5ecret | /            | 127.0.0.1:4318    | Sec-Fetch-Site: none                  | 200
          5ecret | /nothing     | 127.0.0.1:4318    |                                       | 404
          """)
  void request_isAnsweredToWhoMayLook(
      String token, String path, String host, String header, int status) throws Exception {
    try (EmbeddedCollector collector = start(token, true)) {
      assertThat(get(collector, path, host, header)).startsWith("HTTP/1.1 " + status + " ");
    }
  }

  /** A token that the user has set is asked for on loopback as well. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /                         | | 403
          /report.json              | | 403
          /?token=wrong             | | 403
          /?token=5ecret            | | 200
          /report.json?token=5ecret | | 202
          /report.json              | Authorization: Bearer 5ecret | 202
          """)
  void givenToken_isAskedForOnLoopbackToo(String path, String header, int status) throws Exception {
    try (EmbeddedCollector collector = start(TOKEN, TOKEN, true)) {
      assertThat(get(collector, path, "127.0.0.1:4318", header))
          .startsWith("HTTP/1.1 " + status + " ")
          .doesNotContain(TOKEN);
    }
  }

  @Test
  void page_hasThePolicyOfItsScript() throws Exception {
    try (EmbeddedCollector collector = start(TOKEN, true)) {
      assertThat(get(collector, "/", "127.0.0.1", null))
          .contains("script-src 'sha256-", "connect-src 'self'", "frame-ancestors 'none'")
          .contains("no-store", "{\"live\":\"report.json\",\"dir\":\"" + dir + "\"}")
          .doesNotContain(TOKEN);
    }
  }

  @Test
  void pageForAnotherHost_doesNotTellWhereTheFilesAre() throws Exception {
    try (EmbeddedCollector collector = start(TOKEN, true)) {
      assertThat(get(collector, "/?token=" + TOKEN, "node1:4318", null))
          .contains("{\"live\":\"report.json\"}")
          .doesNotContain(dir.toString());
    }
  }

  @Tag("campaign")
  @Test
  void report_followsTheFile() throws Exception {
    try (EmbeddedCollector collector = start(TOKEN, true)) {
      assertThat(awaitReport(collector, "")).contains("{\"empty\":true}");
      write(1, "first.span");
      String report = awaitNew(collector, "", "first.span");
      String tag = report.replaceAll("(?is).*\nETag: \"([^\"]+)\"\r.*", "$1");
      assertThat(get(collector, "/report.json?have=" + tag, "127.0.0.1", null))
          .startsWith("HTTP/1.1 204 ");
      write(2, "second.span");
      assertThat(awaitNew(collector, tag, "second.span")).contains("first.span");
    }
  }

  @Tag("campaign")
  @Test
  void openSpans_areThereBeforeAnyHasEnded() throws Exception {
    PlantedRecording.write(dir, "worker.hang", 7);
    try (EmbeddedCollector collector = start(TOKEN, true)) {
      assertThat(awaitReport(collector, "")).contains("\"empty\":true", "[\"worker.hang for ");
      write(1, "first.span");
      String report = awaitNew(collector, "", "first.span");
      assertThat(report).contains("\"open\":{\"count\":1,", "[\"worker.hang\",-1,0,");
      String tag = report.replaceAll("(?is).*\nETag: \"([^\"]+)\"\r.*", "$1");
      assertThat(get(collector, "/report.json?have=" + tag, "127.0.0.1", null))
          .startsWith("HTTP/1.1 204 ");
      PlantedRecording.write(dir, "worker.other", 8);
      assertThat(awaitNew(collector, tag, "worker.other")).contains("first.span");
    }
  }

  private String awaitNew(EmbeddedCollector collector, String have, String wanted)
      throws Exception {
    while (true) {
      String answer = awaitReport(collector, have);
      if (answer.contains(wanted)) {
        return answer;
      }
      Thread.sleep(50);
    }
  }

  /** Asks until there is an answer with a body; the test's time-out ends it. */
  private String awaitReport(EmbeddedCollector collector, String have) throws Exception {
    while (true) {
      String answer = get(collector, "/report.json?have=" + have, "127.0.0.1", null);
      if (answer.startsWith("HTTP/1.1 200 ")) {
        return answer;
      }
      assertThat(answer).matches("(?s)HTTP/1.1 20[24] .*");
      Thread.sleep(50);
    }
  }

  @Test
  void pageSwitchedOff_isNotFound() throws Exception {
    try (EmbeddedCollector collector = start(TOKEN, false)) {
      assertThat(get(collector, "/", "127.0.0.1", null)).startsWith("HTTP/1.1 404 ");
      assertThat(get(collector, "/report.json", "127.0.0.1", null)).startsWith("HTTP/1.1 404 ");
    }
  }

  /** With a token that was not set by the user. */
  private EmbeddedCollector start(String token, boolean hasPage) throws IOException {
    return start(token, null, hasPage);
  }

  private EmbeddedCollector start(String token, @Nullable String given, boolean hasPage)
      throws IOException {
    CollectorSettings settings =
        new CollectorSettings(
            CollectorSettings.Kind.EMBEDDED,
            InetAddress.getLoopbackAddress(),
            0,
            CollectorSettings.NONE,
            given,
            CollectorSettings.ofDriver().limits(),
            FileRules.DEFAULT,
            new CollectorSettings.Page(hasPage, null));
    return EmbeddedCollector.start(dir.toFile(), token, settings, line -> {});
  }

  private void write(int id, String name) throws Exception {
    byte[] request = Requests.of(List.of(Requests.span(id, id, 0, name, START + id, 1000)));
    PlantedFile.write(dir.resolve("traces/own-" + id + ".jsonl"), request);
  }

  /** By hand, because the JDK's client does not allow the header Host. */
  private static String get(EmbeddedCollector collector, String path, String host, String header)
      throws IOException {
    URI endpoint = collector.endpoint();
    try (Socket socket = new Socket(endpoint.getHost(), endpoint.getPort())) {
      String request =
          "GET "
              + path
              + " HTTP/1.1\r\nHost: "
              + host
              + "\r\nConnection: close\r\n"
              + (header == null ? "" : header + "\r\n")
              + "\r\n";
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }
}
