package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.rollotel.traces.collector.CollectorSettings;
import io.rollotel.traces.collector.EmbeddedCollector;
import io.rollotel.traces.file.FileRules;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.PlantedRecording;
import io.rollotel.traces.kit.Requests;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page of a run that is still on, as its collector serves it, in a real browser. */
class PageLiveIT extends BrowserTest {

  private EmbeddedCollector start(int port) throws IOException {
    CollectorSettings settings =
        new CollectorSettings(
            CollectorSettings.Kind.EMBEDDED,
            InetAddress.getLoopbackAddress(),
            port,
            CollectorSettings.NONE,
            null,
            CollectorSettings.ofDriver().limits(),
            FileRules.DEFAULT,
            new CollectorSettings.Page(true, null));
    return EmbeddedCollector.start(dir.toFile(), "5ecret", settings, line -> {});
  }

  private void write(String name, int id) throws Exception {
    long start = Planted.START + id * PlantedRun.MS;
    byte[] request = Requests.of(List.of(Requests.span(id, id, 0, name, start, PlantedRun.MS)));
    PlantedFile.write(dir.resolve("traces").resolve(name + ".jsonl"), request);
  }

  @Test
  void runThatIsOn_saysHowOldItsDataAreWithoutReadingThatOut() throws Exception {
    write("first", 1);
    try (EmbeddedCollector collector = start(0)) {
      browser.open(collector.endpoint() + "/");
      assertThat(browser.text("#live")).isEqualTo("Live");
      String age =
          "Number(/updated (\\d+) s ago/.exec(document.getElementById('live-age').textContent)?.[1])";
      browser.await(age + " >= 2");
      double first = browser.number(age);
      browser.await(age + " > " + first);
      assertThat(browser.run("return document.getElementById('live-age').closest('[role]')"))
          .as("no live region around it")
          .isNull();
      write("second", 2);
      browser.await("document.getElementById('names').textContent.includes('second')");
      assertThat(browser.text("#live-age")).matches("updated (just now|\\d+ s ago)");
      browser.assertNoComplaints();
    }
  }

  @Test
  void collectorThatGoesAway_isToldWithACommandUntilItIsBack() throws Exception {
    write("first", 1);
    int port;
    try (EmbeddedCollector collector = start(0)) {
      port = collector.endpoint().getPort();
      browser.open(collector.endpoint() + "/");
      assertThat(browser.find("#lost").isDisplayed()).isFalse();
    }
    browser.await("!document.getElementById('lost').hidden");
    assertThat(browser.text("#lost"))
        .matches(
            "(?s)Connection to the collector lost at \\d\\d:\\d\\d:\\d\\d; showing data up to"
                + " \\d\\d:\\d\\d:\\d\\d\\..*")
        .contains("java -jar roll-otel-agent.jar report " + dir + " --open");
    assertThat(browser.text("#live")).isEqualTo("Connection lost");
    assertThat(browser.text("#names")).contains("first");
    write("second", 2);
    try (EmbeddedCollector again = start(port)) {
      assertThat(again.endpoint().getPort()).isEqualTo(port);
      browser.await("document.getElementById('lost').hidden");
      browser.await("document.getElementById('names').textContent.includes('second')");
      assertThat(browser.text("#live")).isEqualTo("Live");
    }
  }

  /**
   * What comes instead of a report for a while, by its status, type and text: from a proxy between
   * the browser and the collector, or from the collector itself.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          200 | text/html        | <h1>Log in</h1>    | Connection lost | Connection to the collector
          200 | application/json | {"error":"log in"} | Connection lost | Connection to the collector
          502 | text/html        | <h1>Bad</h1>       | Connection lost | Connection to the collector
          500 | text/plain       | no memory          | No report       | no memory
          403 | text/plain       | add ?token=        | Refused         | add ?token=
          """)
  void answerThatIsNoReport_isToldAndFollowingGoesOn(
      int status, String type, String text, String badge, String said) throws Exception {
    write("first", 1);
    AtomicBoolean isBroken = new AtomicBoolean();
    try (EmbeddedCollector collector = start(0)) {
      HttpServer proxy =
          proxy(
              collector,
              exchange -> {
                boolean isReport = exchange.getRequestURI().getPath().equals("/report.json");
                if (!isBroken.get() || !isReport) {
                  return false;
                }
                exchange.getResponseHeaders().set("Content-Type", type);
                exchange.sendResponseHeaders(status, 0);
                exchange.getResponseBody().write(text.getBytes(UTF_8));
                return true;
              });
      try {
        browser.open("http://127.0.0.1:" + proxy.getAddress().getPort() + "/");
        isBroken.set(true);
        browser.await("!document.getElementById('lost').hidden");
        assertThat(browser.text("#live")).isEqualTo(badge);
        assertThat(browser.text("#lost")).contains(said, "showing data up to");
        isBroken.set(false);
        write("second", 2);
        browser.await("document.getElementById('names').textContent.includes('second')");
        assertThat(browser.text("#live")).isEqualTo("Live");
        assertThat(browser.find("#lost").isDisplayed()).isFalse();
      } finally {
        proxy.stop(0);
      }
    }
  }

  /**
   * Passes on what an exchange does not answer by itself, as a proxy that compresses marks tags.
   */
  private static HttpServer proxy(EmbeddedCollector collector, Answering first) throws IOException {
    HttpServer proxy = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    HttpClient client = HttpClient.newHttpClient();
    proxy.createContext(
        "/",
        exchange -> {
          try (exchange) {
            if (first.answer(exchange)) {
              return;
            }
            HttpResponse<byte[]> answer =
                client.send(
                    HttpRequest.newBuilder(collector.endpoint().resolve(exchange.getRequestURI()))
                        .build(),
                    HttpResponse.BodyHandlers.ofByteArray());
            Headers headers = exchange.getResponseHeaders();
            answer
                .headers()
                .firstValue("Content-Type")
                .ifPresent(t -> headers.set("Content-Type", t));
            answer.headers().firstValue("ETag").ifPresent(tag -> headers.set("ETag", "W/" + tag));
            exchange.sendResponseHeaders(
                answer.statusCode(), answer.body().length == 0 ? -1 : answer.body().length);
            exchange.getResponseBody().write(answer.body());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    proxy.start();
    return proxy;
  }

  /** Answers a request, or leaves it to others. */
  private interface Answering {
    boolean answer(HttpExchange exchange) throws IOException;
  }

  /** A step of two phases, in nanoseconds. */
  private void writeStep(int step, long playNanos, long learnNanos) throws Exception {
    long start = Planted.START + step * PlantedRun.MS;
    byte[] request =
        Requests.of(
            List.of(
                Requests.span(step, 3 * step, 0, "pipeline_step", start, playNanos + learnNanos),
                Requests.span(step, 3 * step + 1, 3 * step, "play", start, playNanos),
                Requests.span(
                    step, 3 * step + 2, 3 * step, "learn", start + playNanos, learnNanos)));
    PlantedFile.write(dir.resolve("traces").resolve("step" + step + ".jsonl"), request);
  }

  @Test
  void phaseThatIsShownAlone_isThatPhaseInEachState() throws Exception {
    writeStep(2, 50_000, 20_000);
    writeStep(3, 50_000, 20_000);
    try (EmbeddedCollector collector = start(0)) {
      browser.open(collector.endpoint() + "/");
      browser.click("#steps .legend button:nth-child(2)");
      String shown = "document.querySelector('#steps canvas').dataset.order";
      assertThat(browser.run("return " + shown)).isEqualTo("learn");
      writeStep(4, 50_000, 900_000); // now learn has more time than play
      browser.await("app.report.steps.count === 3");
      assertThat(browser.run("return " + shown)).isEqualTo("learn");
      assertThat(browser.text("#steps .legend button[aria-pressed=true]")).isEqualTo("learn");
      browser.assertNoComplaints();
    }
  }

  @Test
  void viewOfAStretch_staysAtItsMomentWhenEarlierSpansArrive() throws Exception {
    writeStep(5, 500_000, 200_000);
    try (EmbeddedCollector collector = start(0)) {
      browser.open(collector.endpoint() + "/");
      browser.run("app.timeline.set(100000, 200000); app.timeline.range.select([300000, 400000])");
      writeStep(2, 500_000, 200_000);
      browser.await("app.report.steps.count === 2");
      assertThat(browser.run("return [app.timeline.view.from, ...app.timeline.view.range]"))
          .isEqualTo(List.of(3_100_000L, 3_300_000L, 3_400_000L));
      browser.assertNoComplaints();
    }
  }

  @Test
  void openSpans_comeFirstWhileTheRunIsOn() throws Exception {
    write("first", 1);
    PlantedRecording.write(dir, "worker.hang", 7);
    try (EmbeddedCollector collector = start(0)) {
      browser.open(collector.endpoint() + "/");
      browser.await("document.getElementById('open').textContent.includes('worker.hang')");
      assertThat(browser.run("return document.querySelector('main section:not([hidden])').id"))
          .isEqualTo("open");
      assertThat(browser.text(".top nav")).startsWith("Open");
      browser.assertNoComplaints();
    }
  }

  @Test
  void lostConnection_fitsAPhone() throws Exception {
    write("first", 1);
    PlantedRecording.write(dir, "worker.hang", 7);
    browser.resize(390, 800);
    try (EmbeddedCollector collector = start(0)) {
      browser.open(collector.endpoint() + "/");
      browser.await("!document.getElementById('live-age').hidden");
      assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(390);
    }
    browser.await("!document.getElementById('lost').hidden");
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(390);
    browser.run(PageAccessibilityIT.axe());
    assertThat(browser.runAsync(PageAccessibilityIT.RULES)).isEqualTo(List.of());
    browser.resize(1440, 900);
  }
}
