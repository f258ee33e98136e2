package io.rollotel.traces.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.OutputStream;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** A run as JSON for Jaeger's user interface; times are whole microseconds. */
final class JaegerExport {

  private final int[] wanted;
  private final Spans spans;
  private final RecordedTimes recorded;

  /**
   * For some spans.
   *
   * @param wanted numbers of the run's spans that have times, in the tree's order, by trace
   */
  JaegerExport(RunAnalysis run, int[] wanted) {
    this.wanted = wanted;
    this.spans = run.spans();
    this.recorded = new RecordedTimes(run);
  }

  void write(OutputStream out) {
    SpanTags tags = spans.tags();
    if (tags == null) {
      throw new IllegalStateException("read without attributes");
    }
    try (JsonGenerator json =
        JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), AttributeJson.utf8(out))) {
      json.writeStartObject();
      json.writeArrayPropertyStart("data");
      for (int from = 0; from < wanted.length; ) {
        int to = from + 1;
        while (to < wanted.length && spans.trace(wanted[to]) == spans.trace(wanted[from])) {
          to++;
        }
        trace(json, tags, from, to);
        from = to;
      }
      json.writeEndArray();
      json.writeEndObject();
    }
  }

  private void trace(JsonGenerator json, SpanTags tags, int from, int to) {
    Map<Integer, TracedProcess> processes = new TreeMap<>();
    String traceId = spans.traceIdOf(wanted[from]);
    json.writeStartObject();
    json.writeStringProperty("traceID", traceId);
    json.writeArrayPropertyStart("spans");
    for (int i = from; i < to; i++) {
      int span = wanted[i];
      processes.put(spans.process(span), spans.processOf(span));
      span(json, traceId, span);
      json.writeName("tags");
      json.writeRawValue(weighted(span, new String(tags.get(span), UTF_8)));
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeObjectPropertyStart("processes");
    processes.forEach((number, process) -> process(json, number, process));
    json.writeEndObject();
    json.writeEndObject();
  }

  /** With how many spans it stands for, if there are others. */
  private String weighted(int span, String array) {
    if (spans.weight(span) == 1) {
      return array;
    }
    return array.substring(0, array.length() - 1)
        + (array.equals("[]") ? "" : ",")
        + "{\"key\":\"adjusted_count\",\"type\":\"float64\",\"value\":"
        + AttributeJson.count(spans.weight(span))
        + "}]";
  }

  private void span(JsonGenerator json, String traceId, int span) {
    json.writeStartObject();
    json.writeStringProperty("traceID", traceId);
    json.writeStringProperty("spanID", spans.spanId(span));
    json.writeStringProperty("operationName", spans.recordedNameOf(span));
    json.writeArrayPropertyStart("references");
    if (spans.parentId(span) != 0) {
      json.writeStartObject();
      json.writeStringProperty("refType", "CHILD_OF");
      json.writeStringProperty("traceID", traceId);
      json.writeStringProperty("spanID", spans.parentSpanId(span));
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeNumberProperty("startTime", recorded.start(span) / 1000);
    json.writeNumberProperty("duration", (recorded.end(span) - recorded.start(span)) / 1000);
    json.writeStringProperty("processID", "p" + spans.process(span));
    json.writeArrayPropertyStart("logs");
    json.writeEndArray();
  }

  private static void process(JsonGenerator json, int number, TracedProcess process) {
    json.writeObjectPropertyStart("p" + number);
    json.writeStringProperty(
        "serviceName", process.serviceName().isEmpty() ? "-" : process.serviceName());
    json.writeArrayPropertyStart("tags");
    tag(json, "service.instance.id", process.recordedInstanceId());
    tag(json, "host.name", process.host());
    tag(json, "process.pid", process.pid());
    tag(json, "roll.rank", process.rank());
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void tag(JsonGenerator json, String key, String value) {
    if (!value.isEmpty()) {
      AttributeJson.jaegerTag(json, key, value);
    }
  }
}
