package io.rollotel.traces.otlp;

import static io.rollotel.traces.otlp.OtlpField.Kind.BASE64;
import static io.rollotel.traces.otlp.OtlpField.Kind.BOOL;
import static io.rollotel.traces.otlp.OtlpField.Kind.DOUBLE;
import static io.rollotel.traces.otlp.OtlpField.Kind.ENUM;
import static io.rollotel.traces.otlp.OtlpField.Kind.FIXED32;
import static io.rollotel.traces.otlp.OtlpField.Kind.FIXED64;
import static io.rollotel.traces.otlp.OtlpField.Kind.INT64;
import static io.rollotel.traces.otlp.OtlpField.Kind.MESSAGE;
import static io.rollotel.traces.otlp.OtlpField.Kind.OPTIONAL_DOUBLE;
import static io.rollotel.traces.otlp.OtlpField.Kind.OPTIONAL_SPAN_ID;
import static io.rollotel.traces.otlp.OtlpField.Kind.OPTIONAL_TRACE_ID;
import static io.rollotel.traces.otlp.OtlpField.Kind.REPEATED_DOUBLE;
import static io.rollotel.traces.otlp.OtlpField.Kind.REPEATED_FIXED64;
import static io.rollotel.traces.otlp.OtlpField.Kind.REPEATED_MESSAGE;
import static io.rollotel.traces.otlp.OtlpField.Kind.REPEATED_STRING;
import static io.rollotel.traces.otlp.OtlpField.Kind.REPEATED_UINT64;
import static io.rollotel.traces.otlp.OtlpField.Kind.SFIXED64;
import static io.rollotel.traces.otlp.OtlpField.Kind.SINT32;
import static io.rollotel.traces.otlp.OtlpField.Kind.SPAN_ID;
import static io.rollotel.traces.otlp.OtlpField.Kind.STRING;
import static io.rollotel.traces.otlp.OtlpField.Kind.TRACE_ID;
import static io.rollotel.traces.otlp.OtlpField.Kind.UINT32;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages of OTLP's three export requests: the table that defines the file format.
 *
 * <p>Numbers are those of opentelemetry-proto (trace.proto, metrics.proto, logs.proto,
 * common.proto, resource.proto), the order of the fields is that of otelcol's file exporter.
 */
final class OtlpMessage {

  /** One more than the highest field number of the table. */
  static final int SLOTS = 17;

  static final OtlpMessage TRACES = new OtlpMessage();
  static final OtlpMessage METRICS = new OtlpMessage();
  static final OtlpMessage LOGS = new OtlpMessage();

  static final OtlpMessage SPAN = new OtlpMessage();

  /** An attribute; key and value. */
  static final OtlpMessage KEY_VALUE = new OtlpMessage();

  static {
    OtlpMessage anyValue = new OtlpMessage();
    OtlpMessage keyValue = KEY_VALUE;
    keyValue.has(field(1, "key", STRING), message(2, "value", anyValue));
    anyValue.has(
        field(1, "stringValue", STRING).inOneof(),
        field(2, "boolValue", BOOL).inOneof(),
        field(3, "intValue", INT64).inOneof(),
        field(4, "doubleValue", DOUBLE).inOneof(),
        message(5, "arrayValue", of(repeated(1, "values", anyValue))).inOneof(),
        message(6, "kvlistValue", of(repeated(1, "values", keyValue))).inOneof(),
        field(7, "bytesValue", BASE64).inOneof());
    OtlpField schemaUrl = field(3, "schemaUrl", STRING);
    OtlpMessage resource =
        of(
            repeated(1, "attributes", keyValue),
            field(2, "droppedAttributesCount", UINT32),
            repeated(
                3,
                "entityRefs",
                of(
                    field(1, "schemaUrl", STRING),
                    field(2, "type", STRING),
                    field(3, "idKeys", REPEATED_STRING),
                    field(4, "descriptionKeys", REPEATED_STRING))));
    OtlpMessage scope =
        of(
            field(1, "name", STRING),
            field(2, "version", STRING),
            repeated(3, "attributes", keyValue),
            field(4, "droppedAttributesCount", UINT32));

    traces(keyValue);
    TRACES.has(
        repeated(
            1,
            "resourceSpans",
            of(
                message(1, "resource", resource),
                repeated(
                    2,
                    "scopeSpans",
                    of(message(1, "scope", scope), repeated(2, "spans", SPAN), schemaUrl)),
                schemaUrl)));
    METRICS.has(
        repeated(
            1,
            "resourceMetrics",
            of(
                message(1, "resource", resource),
                repeated(
                    2,
                    "scopeMetrics",
                    of(
                        message(1, "scope", scope),
                        repeated(2, "metrics", metric(keyValue)),
                        schemaUrl)),
                schemaUrl)));
    LOGS.has(
        repeated(
            1,
            "resourceLogs",
            of(
                message(1, "resource", resource),
                repeated(
                    2,
                    "scopeLogs",
                    of(
                        message(1, "scope", scope),
                        repeated(2, "logRecords", logRecord(anyValue, keyValue)),
                        schemaUrl)),
                schemaUrl)));
  }

  private static void traces(OtlpMessage keyValue) {
    OtlpMessage event =
        of(
            field(1, "timeUnixNano", FIXED64),
            field(2, "name", STRING),
            repeated(3, "attributes", keyValue),
            field(4, "droppedAttributesCount", UINT32));
    OtlpMessage link =
        of(
            field(1, "traceId", TRACE_ID),
            field(2, "spanId", SPAN_ID),
            field(3, "traceState", STRING),
            repeated(4, "attributes", keyValue),
            field(5, "droppedAttributesCount", UINT32),
            field(6, "flags", FIXED32));
    SPAN.has(
        field(1, "traceId", TRACE_ID),
        field(2, "spanId", SPAN_ID),
        field(3, "traceState", STRING),
        field(4, "parentSpanId", OPTIONAL_SPAN_ID),
        field(16, "flags", FIXED32),
        field(5, "name", STRING),
        field(6, "kind", ENUM),
        field(7, "startTimeUnixNano", FIXED64),
        field(8, "endTimeUnixNano", FIXED64),
        repeated(9, "attributes", keyValue),
        field(10, "droppedAttributesCount", UINT32),
        repeated(11, "events", event),
        field(12, "droppedEventsCount", UINT32),
        repeated(13, "links", link),
        field(14, "droppedLinksCount", UINT32),
        message(15, "status", of(field(2, "message", STRING), field(3, "code", ENUM))));
    SPAN.isRecord = true;
  }

  private static OtlpMessage metric(OtlpMessage keyValue) {
    OtlpField temporality = field(2, "aggregationTemporality", ENUM);
    OtlpMessage exemplar =
        of(
            repeated(7, "filteredAttributes", keyValue),
            field(2, "timeUnixNano", FIXED64),
            field(3, "asDouble", DOUBLE).inOneof(),
            field(6, "asInt", SFIXED64).inOneof(),
            field(4, "spanId", OPTIONAL_SPAN_ID),
            field(5, "traceId", OPTIONAL_TRACE_ID));
    OtlpMessage number =
        record(
            repeated(7, "attributes", keyValue),
            field(2, "startTimeUnixNano", FIXED64),
            field(3, "timeUnixNano", FIXED64),
            field(4, "asDouble", DOUBLE).inOneof(),
            field(6, "asInt", SFIXED64).inOneof(),
            repeated(5, "exemplars", exemplar),
            field(8, "flags", UINT32));
    OtlpMessage histogram =
        record(
            repeated(9, "attributes", keyValue),
            field(2, "startTimeUnixNano", FIXED64),
            field(3, "timeUnixNano", FIXED64),
            field(4, "count", FIXED64),
            field(5, "sum", OPTIONAL_DOUBLE),
            field(6, "bucketCounts", REPEATED_FIXED64),
            field(7, "explicitBounds", REPEATED_DOUBLE),
            repeated(8, "exemplars", exemplar),
            field(10, "flags", UINT32),
            field(11, "min", OPTIONAL_DOUBLE),
            field(12, "max", OPTIONAL_DOUBLE));
    OtlpMessage buckets = of(field(1, "offset", SINT32), field(2, "bucketCounts", REPEATED_UINT64));
    OtlpMessage exponential =
        record(
            repeated(1, "attributes", keyValue),
            field(2, "startTimeUnixNano", FIXED64),
            field(3, "timeUnixNano", FIXED64),
            field(4, "count", FIXED64),
            field(5, "sum", OPTIONAL_DOUBLE),
            field(6, "scale", SINT32),
            field(7, "zeroCount", FIXED64),
            message(8, "positive", buckets),
            message(9, "negative", buckets),
            field(10, "flags", UINT32),
            repeated(11, "exemplars", exemplar),
            field(12, "min", OPTIONAL_DOUBLE),
            field(13, "max", OPTIONAL_DOUBLE),
            field(14, "zeroThreshold", DOUBLE));
    OtlpMessage summary =
        record(
            repeated(7, "attributes", keyValue),
            field(2, "startTimeUnixNano", FIXED64),
            field(3, "timeUnixNano", FIXED64),
            field(4, "count", FIXED64),
            field(5, "sum", DOUBLE),
            repeated(
                6, "quantileValues", of(field(1, "quantile", DOUBLE), field(2, "value", DOUBLE))),
            field(8, "flags", UINT32));
    return of(
        field(1, "name", STRING),
        field(2, "description", STRING),
        field(3, "unit", STRING),
        message(5, "gauge", of(repeated(1, "dataPoints", number))).inOneof(),
        message(
                7,
                "sum",
                of(repeated(1, "dataPoints", number), temporality, field(3, "isMonotonic", BOOL)))
            .inOneof(),
        message(9, "histogram", of(repeated(1, "dataPoints", histogram), temporality)).inOneof(),
        message(10, "exponentialHistogram", of(repeated(1, "dataPoints", exponential), temporality))
            .inOneof(),
        message(11, "summary", of(repeated(1, "dataPoints", summary))).inOneof(),
        repeated(12, "metadata", keyValue));
  }

  private static OtlpMessage logRecord(OtlpMessage anyValue, OtlpMessage keyValue) {
    return record(
        field(1, "timeUnixNano", FIXED64),
        field(11, "observedTimeUnixNano", FIXED64),
        field(2, "severityNumber", ENUM),
        field(3, "severityText", STRING),
        message(5, "body", anyValue),
        repeated(6, "attributes", keyValue),
        field(7, "droppedAttributesCount", UINT32),
        field(8, "flags", FIXED32),
        field(9, "traceId", OPTIONAL_TRACE_ID),
        field(10, "spanId", OPTIONAL_SPAN_ID),
        field(12, "eventName", STRING));
  }

  // Filled above and never changed afterwards. Not constructor arguments, because the messages
  // refer to each other in a cycle.
  private OtlpField[] inJsonOrder = {};
  private final @Nullable OtlpField[] byNumber = new @Nullable OtlpField[SLOTS];
  private final Map<String, OtlpField> byName = new HashMap<>();
  private int slots;
  private int requiredFields;
  private boolean isRecord;
  private boolean isOneof = true;

  private OtlpMessage() {}

  private static OtlpMessage of(OtlpField... fields) {
    OtlpMessage message = new OtlpMessage();
    message.has(fields);
    return message;
  }

  private static OtlpMessage record(OtlpField... fields) {
    OtlpMessage message = of(fields);
    message.isRecord = true;
    return message;
  }

  private void has(OtlpField... fields) {
    inJsonOrder = fields;
    for (OtlpField field : fields) {
      byNumber[field.number()] = field;
      byName.put(field.name(), field);
      byName.put(field.protoName(), field);
      slots = Math.max(slots, field.number() + 1);
      if (field.kind() == TRACE_ID || field.kind() == SPAN_ID) {
        requiredFields |= 1 << field.number();
      }
      isOneof &= field.isOneof();
    }
  }

  private static OtlpField field(int number, String name, OtlpField.Kind kind) {
    return new OtlpField(number, name, kind);
  }

  private static OtlpField message(int number, String name, OtlpMessage type) {
    return new OtlpField(number, name, MESSAGE, type, false);
  }

  private static OtlpField repeated(int number, String name, OtlpMessage type) {
    return new OtlpField(number, name, REPEATED_MESSAGE, type, false);
  }

  OtlpField[] inJsonOrder() {
    return inJsonOrder;
  }

  /** The field with this number; null if unknown. */
  @Nullable OtlpField field(int number) {
    return number < SLOTS ? byNumber[number] : null;
  }

  /** The field with this name in JSON, or in the proto file; null if unknown. */
  @Nullable OtlpField field(String name) {
    return byName.get(name);
  }

  /** One more than the highest number of its fields, {@link #SLOTS} at most. */
  int slots() {
    return slots;
  }

  /** Whether all its fields are of one oneof. */
  boolean isOneof() {
    return isOneof;
  }

  /** A bit for the number of each field that it must have. */
  int requiredFields() {
    return requiredFields;
  }

  /**
   * Whether it is the unit in which requests are counted: a span, a log record, a data point of a
   * metric.
   */
  boolean isRecord() {
    return isRecord;
  }
}
