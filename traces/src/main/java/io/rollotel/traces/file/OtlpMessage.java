package io.rollotel.traces.file;

import static io.rollotel.traces.file.OtlpField.Kind.BASE64;
import static io.rollotel.traces.file.OtlpField.Kind.BOOL;
import static io.rollotel.traces.file.OtlpField.Kind.DOUBLE;
import static io.rollotel.traces.file.OtlpField.Kind.ENUM;
import static io.rollotel.traces.file.OtlpField.Kind.FIXED32;
import static io.rollotel.traces.file.OtlpField.Kind.INT64;
import static io.rollotel.traces.file.OtlpField.Kind.PARENT_SPAN_ID;
import static io.rollotel.traces.file.OtlpField.Kind.REPEATED_MESSAGE;
import static io.rollotel.traces.file.OtlpField.Kind.SPAN_ID;
import static io.rollotel.traces.file.OtlpField.Kind.STRING;
import static io.rollotel.traces.file.OtlpField.Kind.TIME;
import static io.rollotel.traces.file.OtlpField.Kind.TRACE_ID;
import static io.rollotel.traces.file.OtlpField.Kind.UINT32;

import org.jspecify.annotations.Nullable;

/**
 * The messages of an OTLP trace request, the table that the file's format is made of.
 *
 * <p>Numbers are those of opentelemetry-proto (trace.proto, common.proto, resource.proto), the
 * order of the fields is that of otelcol's file exporter.
 */
final class OtlpMessage {

  /** One more than the highest field number of the table. */
  static final int SLOTS = 17;

  static final OtlpMessage REQUEST = new OtlpMessage();
  static final OtlpMessage RESOURCE_SPANS = new OtlpMessage();
  static final OtlpMessage RESOURCE = new OtlpMessage();
  static final OtlpMessage SCOPE_SPANS = new OtlpMessage();
  static final OtlpMessage SCOPE = new OtlpMessage();
  static final OtlpMessage SPAN = new OtlpMessage();
  static final OtlpMessage EVENT = new OtlpMessage();
  static final OtlpMessage LINK = new OtlpMessage();
  static final OtlpMessage STATUS = new OtlpMessage();
  static final OtlpMessage KEY_VALUE = new OtlpMessage();
  static final OtlpMessage ANY_VALUE = new OtlpMessage();
  static final OtlpMessage ARRAY_VALUE = new OtlpMessage();
  static final OtlpMessage KEY_VALUE_LIST = new OtlpMessage();

  static {
    REQUEST.has(repeated(1, "resourceSpans", RESOURCE_SPANS));
    RESOURCE_SPANS.has(
        message(1, "resource", RESOURCE),
        repeated(2, "scopeSpans", SCOPE_SPANS),
        new OtlpField(3, "schemaUrl", STRING));
    RESOURCE.has(
        repeated(1, "attributes", KEY_VALUE), new OtlpField(2, "droppedAttributesCount", UINT32));
    SCOPE_SPANS.has(
        message(1, "scope", SCOPE),
        repeated(2, "spans", SPAN),
        new OtlpField(3, "schemaUrl", STRING));
    SCOPE.has(
        new OtlpField(1, "name", STRING),
        new OtlpField(2, "version", STRING),
        repeated(3, "attributes", KEY_VALUE),
        new OtlpField(4, "droppedAttributesCount", UINT32));
    SPAN.has(
        new OtlpField(1, "traceId", TRACE_ID),
        new OtlpField(2, "spanId", SPAN_ID),
        new OtlpField(3, "traceState", STRING),
        new OtlpField(4, "parentSpanId", PARENT_SPAN_ID),
        new OtlpField(16, "flags", FIXED32),
        new OtlpField(5, "name", STRING),
        new OtlpField(6, "kind", ENUM),
        new OtlpField(7, "startTimeUnixNano", TIME),
        new OtlpField(8, "endTimeUnixNano", TIME),
        repeated(9, "attributes", KEY_VALUE),
        new OtlpField(10, "droppedAttributesCount", UINT32),
        repeated(11, "events", EVENT),
        new OtlpField(12, "droppedEventsCount", UINT32),
        repeated(13, "links", LINK),
        new OtlpField(14, "droppedLinksCount", UINT32),
        message(15, "status", STATUS));
    EVENT.has(
        new OtlpField(1, "timeUnixNano", TIME),
        new OtlpField(2, "name", STRING),
        repeated(3, "attributes", KEY_VALUE),
        new OtlpField(4, "droppedAttributesCount", UINT32));
    LINK.has(
        new OtlpField(1, "traceId", TRACE_ID),
        new OtlpField(2, "spanId", SPAN_ID),
        new OtlpField(3, "traceState", STRING),
        repeated(4, "attributes", KEY_VALUE),
        new OtlpField(5, "droppedAttributesCount", UINT32),
        new OtlpField(6, "flags", FIXED32));
    STATUS.has(new OtlpField(2, "message", STRING), new OtlpField(3, "code", ENUM));
    KEY_VALUE.has(new OtlpField(1, "key", STRING), message(2, "value", ANY_VALUE));
    ANY_VALUE.has(
        new OtlpField(1, "stringValue", STRING),
        new OtlpField(2, "boolValue", BOOL),
        new OtlpField(3, "intValue", INT64),
        new OtlpField(4, "doubleValue", DOUBLE),
        message(5, "arrayValue", ARRAY_VALUE),
        message(6, "kvlistValue", KEY_VALUE_LIST),
        new OtlpField(7, "bytesValue", BASE64));
    ARRAY_VALUE.has(repeated(1, "values", ANY_VALUE));
    KEY_VALUE_LIST.has(repeated(1, "values", KEY_VALUE));
  }

  // Filled above and never changed afterwards. No constructor arguments: the messages refer to
  // each other in a circle.
  private OtlpField[] inJsonOrder = {};
  private final @Nullable OtlpField[] byNumber = new @Nullable OtlpField[SLOTS];

  private OtlpMessage() {}

  private void has(OtlpField... fields) {
    inJsonOrder = fields;
    for (OtlpField field : fields) {
      byNumber[field.number()] = field;
    }
  }

  private static OtlpField message(int number, String name, OtlpMessage type) {
    return new OtlpField(number, name, OtlpField.Kind.MESSAGE, type);
  }

  private static OtlpField repeated(int number, String name, OtlpMessage type) {
    return new OtlpField(number, name, REPEATED_MESSAGE, type);
  }

  OtlpField[] inJsonOrder() {
    return inJsonOrder;
  }

  /** The field of this number; null where it is not known. */
  @Nullable OtlpField field(int number) {
    return number < SLOTS ? byNumber[number] : null;
  }

  /** Whether of all fields only the last on the wire counts, and counts even if zero or empty. */
  boolean isOneof() {
    return this == ANY_VALUE;
  }
}
