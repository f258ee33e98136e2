package io.rollotel.traces.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.analysis.Clocks;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.spans.Lanes;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * A run in Chrome's trace-event format: a process for each host, tracks for each worker, and an
 * arrow from a span to each child in another process.
 *
 * <p>Times are microseconds since the run's start, on the one clock of the report; since 1970, they
 * would have more digits than a double.
 */
final class PerfettoExport {

  private final RunAnalysis run;
  private final Spans spans;
  private final SpanTree tree;

  /** The number of each host, from 1, in the order of the workers. */
  private final Map<String, Integer> hosts = new LinkedHashMap<>();

  /** The number of each process's first track. */
  private final int[] firstTracks;

  private final Lanes lanes;
  private final int[] byStart;

  /**
   * For some spans.
   *
   * @param wanted numbers of the run's spans that have times
   */
  PerfettoExport(RunAnalysis run, int[] wanted) {
    this.run = run;
    this.spans = run.spans();
    this.tree = run.tree();
    this.byStart = Lanes.byStart(spans, tree, wanted);
    this.lanes = new Lanes(spans, tree, byStart);
    this.firstTracks = new int[spans.processes().size()];
    int next = 1;
    for (Workers.Worker worker : run.workers().all()) {
      firstTracks[worker.processNumber()] = next;
      next += Math.max(1, lanes.count(worker.processNumber()));
      hosts.putIfAbsent(worker.process().host(), hosts.size() + 1);
    }
  }

  void write(OutputStream out) {
    SpanTags tags = spans.tags();
    if (tags == null) {
      throw new IllegalStateException("read without attributes");
    }
    try (JsonGenerator json =
        JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), AttributeJson.utf8(out))) {
      json.writeStartObject();
      json.writeStringProperty("displayTimeUnit", "ns");
      json.writeObjectPropertyStart("otherData");
      json.writeStringProperty("run", run.runId());
      json.writeStringProperty("start_unix_ns", Long.toString(run.startEpochNanos()));
      for (Clocks.Shift shift : run.clocks().corrected()) {
        String key = "subtracted_ns " + shift.host();
        json.writeStringProperty(key, Long.toString(shift.nanos()));
      }
      json.writeEndObject();
      json.writeArrayPropertyStart("traceEvents");
      tracks(json);
      for (int span : byStart) {
        slice(json, tags, span);
      }
      for (int span : byStart) {
        arrow(json, span);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
  }

  private void tracks(JsonGenerator json) {
    hosts.forEach(
        (host, pid) -> metadata(json, "process_name", pid, 0, host.isEmpty() ? "-" : host));
    for (Workers.Worker worker : run.workers().all()) {
      int lanesOf = lanes.count(worker.processNumber());
      for (int lane = 0; lane < lanesOf; lane++) {
        String label = worker.process().label() + (lane == 0 ? "" : " +" + lane);
        int track = firstTracks[worker.processNumber()] + lane;
        int pid = pid(worker.process());
        metadata(json, "thread_name", pid, track, label);
        json.writeStartObject();
        event(json, "M", "thread_sort_index", pid, track);
        json.writeObjectPropertyStart("args");
        json.writeNumberProperty("sort_index", track);
        json.writeEndObject();
        json.writeEndObject();
      }
    }
  }

  private static void metadata(JsonGenerator json, String name, int pid, int track, String value) {
    json.writeStartObject();
    event(json, "M", name, pid, track);
    json.writeObjectPropertyStart("args");
    json.writeStringProperty("name", value);
    json.writeEndObject();
    json.writeEndObject();
  }

  private static void event(JsonGenerator json, String phase, String name, int pid, int track) {
    json.writeStringProperty("ph", phase);
    json.writeStringProperty("name", name);
    json.writeNumberProperty("pid", pid);
    json.writeNumberProperty("tid", track);
  }

  private void event(JsonGenerator json, String phase, String name, int span) {
    event(json, phase, name, pid(spans.processOf(span)), track(span));
  }

  private int pid(TracedProcess process) {
    return Objects.requireNonNull(hosts.get(process.host()));
  }

  private int track(int span) {
    return firstTracks[spans.process(span)] + lanes.lane(span);
  }

  private void slice(JsonGenerator json, SpanTags tags, int span) {
    json.writeStartObject();
    event(json, "X", spans.recordedNameOf(span), span);
    json.writeStringProperty("cat", spans.isError(span) ? "span,error" : "span");
    json.writeNumberProperty("ts", micros(spans.start(span) - run.startEpochNanos()));
    json.writeNumberProperty("dur", micros(spans.nanos(span)));
    json.writeName("args");
    json.writeRawValue(args(span, new String(tags.get(span), UTF_8)));
    json.writeEndObject();
  }

  /** The ids, which a report knows after it has joined traces, then the attributes. */
  private String args(int span, String attributes) {
    StringBuilder args = new StringBuilder(128 + attributes.length());
    args.append("{\"trace_id\":\"").append(spans.traceIdOf(span));
    args.append("\",\"span_id\":\"").append(spans.spanId(span)).append('"');
    if (spans.parentId(span) != 0) {
      args.append(",\"parent_span_id\":\"").append(spans.parentSpanId(span)).append('"');
    }
    if (spans.weight(span) != 1) {
      args.append(",\"adjusted_count\":").append(AttributeJson.count(spans.weight(span)));
    }
    return args.append(attributes.equals("{}") ? "" : ",")
        .append(attributes, 1, attributes.length())
        .toString();
  }

  /** From the recorded parent, at the child's start if that lies within it, to the child. */
  private void arrow(JsonGenerator json, int span) {
    int parent = tree.parent(spans.around().outermost(span));
    if (parent < 0 || spans.process(parent) == spans.process(span) || lanes.lane(parent) < 0) {
      return;
    }
    long sent = spans.start(span);
    if (spans.queueNanos(span) > 0) {
      sent -= spans.queueNanos(span);
    }
    sent = Math.max(spans.start(parent), Math.min(sent, spans.end(parent)));
    if (sent > spans.start(span)) {
      return; // clocks that cannot be corrected: it would lead back in time
    }
    json.writeStartObject();
    event(json, "s", "dispatch", parent);
    arrowEnd(json, span, sent);
    json.writeEndObject();
    json.writeStartObject();
    event(json, "f", "dispatch", span);
    json.writeStringProperty("bp", "e"); // it ends at the enclosing slice, not at the next one
    arrowEnd(json, span, spans.start(span));
    json.writeEndObject();
  }

  private void arrowEnd(JsonGenerator json, int span, long epochNanos) {
    json.writeStringProperty("cat", "dispatch");
    json.writeNumberProperty("id", span + 1);
    json.writeNumberProperty("ts", micros(epochNanos - run.startEpochNanos()));
  }

  private static BigDecimal micros(long nanos) {
    return BigDecimal.valueOf(nanos, 3);
  }
}
