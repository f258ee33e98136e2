package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.Recordings;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.OpenSpansText;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * The page of an active run, for the server.
 *
 * <p>To save resources, files are read only on request, the newest 32 MB at most, by one daemon
 * thread, which rests ten times as long as it works. Safe for use by several threads; none of them
 * waits.
 */
public final class LiveReport {

  /** The outcome of a request. */
  public enum State {
    /** Here is a report. */
    READY,
    /** The client's report is the latest one. */
    UNCHANGED,
    /** It is being prepared: ask again. */
    BEING_MADE,
    /** No span has ended yet. */
    EMPTY,
    /** It could not be prepared. */
    FAILED
  }

  /** The answer to {@link #ask}. */
  public static final class Answer {
    private final State state;
    private final String tag;
    private final byte[] body;

    private Answer(State state, String tag, byte[] body) {
      this.state = state;
      this.tag = tag;
      this.body = body;
    }

    /** The outcome of the request. */
    public State state() {
      return state;
    }

    /** Names the state of the files; empty if there is no report. */
    public String tag() {
      return tag;
    }

    /**
     * In UTF-8: the report as JSON, or JSON that says that there is none or why it failed.
     * Otherwise empty. Must not be changed.
     */
    public byte[] body() {
      return body;
    }
  }

  private static final long MAX_BYTES = 32 << 20;
  private static final long LEAST_REST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int REST_FACTOR = 10;
  private static final byte[] NOTHING = {};
  private static final byte[] EMPTY = "{\"empty\":true}".getBytes(UTF_8);

  private final Path outputDir;
  private final ReportOptions options;

  // Guarded by this.
  private @Nullable Answer made;
  private boolean isBeingMade;
  private long restsUntilNanos = System.nanoTime();

  /** A report on an output directory. */
  public LiveReport(Path outputDir, ReportOptions options) {
    this.outputDir = outputDir;
    this.options = options;
  }

  /**
   * The page, which then asks for {@code path} beside it with the parameter {@code have}, a tag.
   *
   * @param isForItsHost whether it may show the directory of the run's files on this host
   * @throws IOException if the jar is damaged
   */
  public byte[] page(String path, boolean isForItsHost) throws IOException {
    PageTemplate template = PageTemplate.load();
    StringWriter page = new StringWriter();
    page.append(template.beforeData(PageTemplate.ITS_SERVER));
    try (JsonGenerator json =
        JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), new PageText(page))) {
      json.writeStartObject();
      json.writeStringProperty("live", path);
      if (isForItsHost) {
        json.writeStringProperty("dir", outputDir.toAbsolutePath().normalize().toString());
      }
      json.writeEndObject();
    }
    return page.append(template.afterData()).toString().getBytes(UTF_8);
  }

  /**
   * The content security policy that goes with the page.
   *
   * @throws IOException if the jar is damaged
   */
  public String policy() throws IOException {
    return PageTemplate.load().policy(PageTemplate.ITS_SERVER) + "; frame-ancestors 'none'";
  }

  /**
   * The report, unless the client has it already; starts reading if that is worthwhile.
   *
   * @param have the tag of the client's report, empty for none
   */
  public synchronized Answer ask(String have) {
    Answer known = made;
    if (!isBeingMade && System.nanoTime() - restsUntilNanos >= 0) {
      begin();
    }
    if (known == null) {
      return new Answer(State.BEING_MADE, "", NOTHING);
    }
    return known.state == State.READY && known.tag.equals(have)
        ? new Answer(State.UNCHANGED, have, NOTHING)
        : known;
  }

  private void begin() {
    Thread thread = new Thread(null, this::make, "roll-otel-page", 0, false);
    thread.setDaemon(true);
    // Not the application's class loader, which could then never be collected.
    thread.setContextClassLoader(LiveReport.class.getClassLoader());
    isBeingMade = true;
    try {
      thread.start();
    } catch (OutOfMemoryError noThread) {
      finished(failed(noThread), System.nanoTime());
    }
  }

  private void make() {
    long beganNanos = System.nanoTime();
    Answer answer;
    try {
      answer = read();
    } catch (NoSuchFileException nothingYet) {
      answer = new Answer(State.EMPTY, "", EMPTY);
    } catch (IOException | RuntimeException | Error e) {
      answer = failed(e); // a missing page must not disturb the run
    }
    finished(answer, beganNanos);
  }

  private static Answer failed(Throwable e) {
    return new Answer(State.FAILED, "", e.toString().getBytes(UTF_8));
  }

  private synchronized void finished(Answer answer, long beganNanos) {
    long now = System.nanoTime();
    made = answer;
    isBeingMade = false;
    restsUntilNanos = now + Math.max(LEAST_REST_NANOS, REST_FACTOR * (now - beganNanos));
  }

  /** A number that changes if other spans are open, or one of their processes has died. */
  private static int open(List<Recording> recordings) {
    int sum = 0;
    for (Recording recording : recordings) {
      for (OpenSpan span : recording.open()) {
        sum = 31 * sum + span.spanId().hashCode() + Boolean.hashCode(recording.isAlive());
      }
    }
    return sum;
  }

  /** The message before a span has ended. */
  private static byte[] begun(OpenSpans open) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeBooleanProperty("empty", true);
      json.writeArrayPropertyStart("open");
      new OpenSpansText(open).inWords().forEach(json::writeString);
      json.writeEndArray();
      json.writeEndObject();
    }
    return text.toString().getBytes(UTF_8);
  }

  private Answer read() throws IOException {
    long size = TracesReader.bytes(outputDir);
    List<Recording> recordings = Recordings.read(outputDir).all();
    String tag = Long.toString(size, 36) + "-" + Integer.toHexString(open(recordings));
    synchronized (this) {
      if (made != null && made.state == State.READY && made.tag.equals(tag)) {
        return made;
      }
    }
    Spans spans = new Spans(new SpanTags(new PageTags(PageLimits.LIVE.tagBytes())));
    TracesReader reader = new TracesReader(spans.attributesRead(), (bytes, ofBytes) -> {});
    long leftOut = reader.readNewest(outputDir, MAX_BYTES, spans::add);
    spans.joinCalls(reader.joins());
    OpenSpans open =
        new OpenSpans(
                recordings.stream().map(recording -> recording.without(reader::hasRead)).toList())
            .joined(reader.joins());
    RunReport report = RunReport.ofNewest(List.of(outputDir), options, spans, open);
    if (report.isEmpty()) {
      return new Answer(State.EMPTY, "", open.isEmpty() ? EMPTY : begun(open));
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream(1 << 20);
    try (Writer out = new OutputStreamWriter(body, UTF_8)) {
      PageText text = new PageText(out);
      HtmlPage.writeData(report, null, options, PageLimits.LIVE, leftOut, text);
      text.flush();
    }
    return new Answer(State.READY, tag, body.toByteArray());
  }
}
