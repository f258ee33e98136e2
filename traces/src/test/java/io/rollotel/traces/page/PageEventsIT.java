package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.report.ReportOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events, stack traces and links of a span that is selected, in a real browser. */
class PageEventsIT extends BrowserTest {

  private static final long MS = 1_000_000;
  private static final String STACK =
      "java.io.IOException: <b>no</b>\n\tat com.acme.rollout.Reader.readTheNextBatchOfTheReplayBuffer(Reader.java:17)\n\tat com.acme.Main.main(Main.java:3)";

  private static KeyValue attribute(String key, String value) {
    return KeyValue.newBuilder()
        .setKey(key)
        .setValue(AnyValue.newBuilder().setStringValue(value))
        .build();
  }

  /** A producer, and a consumer that fails; each a trace. */
  private void open() throws Exception {
    Span.Builder failed =
        Requests.span(2, 2, 0, "consume", Planted.START + 20 * MS, 10 * MS).toBuilder();
    failed.setStatus(Status.newBuilder().setCodeValue(2).setMessage("no"));
    failed
        .addEventsBuilder()
        .setName("retry <i>")
        .setTimeUnixNano(failed.getStartTimeUnixNano() + 3 * MS)
        .addAttributes(attribute("attempt", "2"));
    failed
        .addEventsBuilder()
        .setName("exception")
        .setTimeUnixNano(failed.getStartTimeUnixNano() + 9 * MS)
        .addAttributes(attribute("exception.type", "java.io.IOException"))
        .addAttributes(attribute("exception.message", "<b>no</b>"))
        .addAttributes(attribute("exception.stacktrace", STACK));
    Span producer = Requests.span(1, 1, 0, "produce", Planted.START, 10 * MS);
    failed.addLinksBuilder().setTraceId(producer.getTraceId()).setSpanId(producer.getSpanId());
    failed
        .addLinksBuilder()
        .setTraceId(producer.getTraceId())
        .setSpanId(ByteString.copyFrom(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}));
    byte[] request = Requests.of(List.of(producer, failed.build()));
    Path run = dir.resolve("run");
    PlantedFile.write(Files.createDirectories(run.resolve("traces")).resolve("a.jsonl"), request);
    browser.open(HtmlPage.read(List.of(run), ReportOptions.latestRun()), dir.resolve("page.html"));
    browser.run("app.timeline.nextError()");
    browser.await("!document.getElementById('details').hidden");
  }

  @Test
  void events_haveTimeAttributesAndAFoldedStackTrace() throws Exception {
    open();
    String panel = browser.text("#details");
    assertThat(panel)
        .contains("Events\n+3.00 ms retry <i>\nattempt\n2")
        .contains("+9.00 ms exception\njava.io.IOException: <b>no</b>")
        .contains("Stack trace, 3 lines")
        .doesNotContain("Main.java");
    browser.click("#details summary");
    assertThat(browser.run("return document.querySelector('#details pre').textContent"))
        .isEqualTo(STACK);
    browser.click("#details details button");
    browser.await("document.querySelector('#details details button[data-done=true]')");
    browser.assertNoComplaints();
  }

  @Test
  void lanes_needNoScrolling() throws Exception {
    open();
    assertThat(browser.number("app.timeline.box.scrollHeight - app.timeline.box.clientHeight"))
        .isZero();
  }

  @Test
  void link_jumpsToItsSpan() throws Exception {
    open();
    assertThat(browser.text("#details"))
        .contains("Links\nproduce")
        .contains("a span that is not on this page\n0102030405060708");
    browser.click("#details .events button.link");
    browser.await("document.querySelector('#details h2').textContent.trim() === 'produce'");
    assertThat(browser.text("#details")).doesNotContain("Events", "Links");
    browser.assertNoComplaints();
  }

  @Test
  void event_isFoundAndExported() throws Exception {
    open();
    browser.find("input[type=search]").sendKeys("retry <i>");
    browser.await("document.querySelector('.lanes').dataset.found === '1'");
    assertThat(
            (String)
                browser.run(
                    "window.exported = ''; otlpJson(app.model, [app.timeline.view.selected]).then((text) => { window.exported = text; }); return ''"))
        .isEmpty();
    browser.await("window.exported !== ''");
    assertThat((String) browser.run("return window.exported"))
        .contains("\"name\":\"retry <i>\"", "exception.stacktrace", "\"links\":[{\"traceId\"");
    browser.assertNoComplaints();
  }

  @ParameterizedTest
  @CsvSource({"390, light", "390, dark", "1440, light", "1440, dark", "2560, light"})
  void stackTrace_fits(int width, String theme) throws Exception {
    browser.prefer(theme);
    browser.resize(width, 900);
    open();
    browser.run("document.querySelector('#details details').open = true");
    assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(width);
    browser.assertNoComplaints();
  }
}
