package io.rollotel.traces.kit;

import io.rollotel.traces.analysis.ClockCorrection;
import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.LostParents;
import io.rollotel.traces.spans.RunDates;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.VirtualTimes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Spans as a test plants them, with times of its choice. */
public final class Planted {

  /** 2026-11-21 13:57:02 UTC. */
  public static final long START = 1_795_269_422_000_000_000L;

  private final List<Span> spans = new ArrayList<>();
  private final String runId;
  private long unit = 1;
  private long worldSize;
  private double weight = 1;

  public Planted() {
    this("planted");
  }

  public Planted(String runId) {
    this.runId = runId;
  }

  /** The run's id. */
  public String runId() {
    return runId;
  }

  /** Processes with a rank say that there are so many. */
  public Planted ofWorldSize(long ranks) {
    worldSize = ranks;
    return this;
  }

  /** Times are given in so many nanoseconds from here on. */
  public Planted inUnitsOf(long nanos) {
    unit = nanos;
    return this;
  }

  /** Each trace stands for so many from here on. */
  public Planted standingFor(double traces) {
    weight = traces;
    return this;
  }

  /** A span of a process {@code service@host}; gives its id. */
  public long span(
      long trace, long parent, String name, String process, long start, long end, Object... more) {
    long id = spans.size() + 1;
    return span(trace, id, parent, name, process, start, end, more);
  }

  public long span(
      long trace,
      long id,
      long parent,
      String name,
      String process,
      long start,
      long end,
      Object... more) {
    Map<String, Object> attributes = new LinkedHashMap<>();
    for (int i = 0; i < more.length; i += 2) {
      attributes.put((String) more[i], more[i + 1]);
    }
    Object failure = attributes.remove("failure");
    Object kind = attributes.remove("kind");
    spans.add(
        new Span(
            String.format("%032x", trace),
            String.format("%016x", id),
            parent == 0 ? "" : String.format("%016x", parent),
            name,
            kind == null ? 1 : (Integer) kind,
            START + start * unit,
            START + end * unit,
            attributes,
            failure == null ? 0 : Span.STATUS_ERROR,
            resource(process),
            "",
            failure == null ? "" : failure.toString(),
            weight,
            ""));
    return id;
  }

  private Resource resource(String process) {
    int at = process.indexOf('@');
    String service = at < 0 ? process : process.substring(0, at);
    Map<String, Object> attributes = new LinkedHashMap<>();
    attributes.put("service.name", service.replaceAll("\\d", ""));
    attributes.put("service.instance.id", service);
    attributes.put("host.name", at < 0 ? "node" : process.substring(at + 1));
    attributes.put("roll.run_id", runId);
    String rank = service.replaceAll("\\D", "");
    if (!rank.isEmpty()) {
      attributes.put("roll.rank", rank);
      if (worldSize > 0) {
        attributes.put("roll.world_size", worldSize);
      }
    }
    return new Resource(attributes);
  }

  /**
   * The recorder file of a process that was last seen then; the span that started last comes first.
   */
  public Recording recording(String process, boolean isAlive, long lastSign, OpenSpan... open) {
    return new Recording(
        Path.of("planted.rec"),
        resource(process),
        4711,
        isAlive,
        false,
        START,
        START + lastSign * unit,
        List.of(open),
        List.of(),
        0,
        0,
        0,
        0);
  }

  /** The same of a process that ended in order and dropped so many spans. */
  public Recording dropped(String process, long spans) {
    return new Recording(
        Path.of("planted.rec"),
        resource(process),
        4711,
        false,
        true,
        START,
        START,
        List.of(),
        List.of(),
        0,
        0,
        0,
        spans);
  }

  public OpenSpan open(long trace, long id, long parent, String name, long start) {
    return new OpenSpan(
        String.format("%032x", trace),
        String.format("%016x", id),
        parent == 0 ? "" : String.format("%016x", parent),
        name,
        START + start * unit,
        23);
  }

  /** The spans so far. */
  public List<Span> spans() {
    return spans;
  }

  /** All of them as one run. */
  public RunAnalysis analysis() {
    Spans columns = new Spans();
    spans.forEach(columns::add);
    return analysis(columns, runId);
  }

  /** The same where parents are missing, some of which had not ended. */
  public RunAnalysis analysisOf(Recording... recordings) {
    Spans columns = new Spans();
    spans.forEach(columns::add);
    columns.joinRuns();
    OpenSpans open = new OpenSpans(List.of(recordings));
    LostParents.replace(columns, open.asSpans());
    return analysis(columns, runId, true, open);
  }

  /** The number of the process of that instance. */
  public static int process(RunAnalysis run, String instance) {
    return IntStream.range(0, run.spans().processes().size())
        .filter(i -> run.spans().processes().get(i).instanceId().equals(instance))
        .findFirst()
        .orElseThrow();
  }

  /** The same with the times of all hosts as they were recorded. */
  public RunAnalysis analysisAsRecorded() {
    Spans columns = new Spans();
    spans.forEach(columns::add);
    return analysis(columns, runId, false, OpenSpans.NONE);
  }

  /** The run, its clocks corrected. */
  public static RunAnalysis analysis(Spans columns, String runId) {
    return analysis(columns, runId, true, OpenSpans.NONE);
  }

  private static RunAnalysis analysis(
      Spans columns, String runId, boolean isClockCorrected, OpenSpans open) {
    columns.joinRuns();
    RunDates.undate(columns);
    ClockCorrection clocks = ClockCorrection.of(columns, isClockCorrected);
    VirtualTimes.stretch(columns);
    int run = columns.runs().find(runId);
    return new RunAnalysis(
        columns, new SpanTree(columns), run, RunAnalysis.PIPELINE_STEP, clocks.ofRun(run), open);
  }
}
