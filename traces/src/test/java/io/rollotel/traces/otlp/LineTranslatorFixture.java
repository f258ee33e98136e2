package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** Messages of protobuf, and what becomes of them. */
abstract class LineTranslatorFixture {

  static final ByteString TRACE_ID = hex("00000000499602d20000000000000031");
  static final ByteString SPAN_ID = hex("1e4036dae8a02856");

  static ByteString hex(String digits) {
    return ByteString.copyFrom(HexFormat.of().parseHex(digits));
  }

  static AnyValue.Builder nested(int depth) {
    AnyValue.Builder value = AnyValue.newBuilder().setIntValue(1);
    for (int i = 0; i < depth; i++) {
      value = AnyValue.newBuilder().setArrayValue(ArrayValue.newBuilder().addValues(value));
    }
    return value;
  }

  static String valueText(AnyValue.Builder value) throws Exception {
    Span.Builder span = Span.newBuilder().setTraceId(TRACE_ID).setSpanId(SPAN_ID);
    String line = text(request(span.addAttributes(keyValue("", value))).build());
    String before = "\"attributes\":[{\"value\":";
    int start = line.indexOf(before) + before.length();
    return line.substring(start, line.lastIndexOf("}],\"status\""));
  }

  static String text(ExportTraceServiceRequest request) throws Exception {
    return new String(new LineTranslation().of(request.toByteArray()), UTF_8);
  }

  static Span.Builder span() {
    return Span.newBuilder()
        .setTraceId(TRACE_ID)
        .setSpanId(SPAN_ID)
        .setParentSpanId(hex("a7d92872909fc929"))
        .setFlags(257)
        .setName("worker.update_weights")
        .setKind(Span.SpanKind.SPAN_KIND_INTERNAL)
        .setStartTimeUnixNano(1795245881708247994L)
        .setEndTimeUnixNano(1795245881709756625L)
        .addAttributes(keyValue("worker.rank", AnyValue.newBuilder().setIntValue(63)))
        .setStatus(
            Status.newBuilder().setMessage("...").setCode(Status.StatusCode.STATUS_CODE_ERROR));
  }

  static KeyValue keyValue(String key, AnyValue.Builder value) {
    return KeyValue.newBuilder().setKey(key).setValue(value).build();
  }

  static ExportTraceServiceRequest.Builder request(Span.Builder... spans) {
    ExportTraceServiceRequest.Builder request = ExportTraceServiceRequest.newBuilder();
    for (Span.Builder span : spans) {
      request.addResourceSpansBuilder().addScopeSpansBuilder().addSpans(span);
    }
    return request;
  }

  static byte[] request(byte[] span) {
    return delimited(1, delimited(2, delimited(2, span)));
  }

  static byte[] delimited(int field, byte[] content) {
    byte[] bytes = new byte[CodedOutputStream.computeByteArraySize(field, content)];
    try {
      CodedOutputStream.newInstance(bytes).writeByteArray(field, content);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes;
  }

  /** The encoded fields of a message, each by itself. */
  static List<byte[]> fields(Span span) throws IOException {
    byte[] bytes = span.toByteArray();
    CodedInputStream in = CodedInputStream.newInstance(bytes);
    List<byte[]> fields = new ArrayList<>();
    int start = 0;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      in.skipField(tag);
      fields.add(Arrays.copyOfRange(bytes, start, in.getTotalBytesRead()));
      start = in.getTotalBytesRead();
    }
    return fields;
  }

  static byte[] concat(List<byte[]> parts) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    parts.forEach(whole::writeBytes);
    return whole.toByteArray();
  }

  static int spans(ExportTraceServiceRequest request) {
    return request.getResourceSpansList().stream()
        .flatMap(resourceSpans -> resourceSpans.getScopeSpansList().stream())
        .mapToInt(scopeSpans -> scopeSpans.getSpansCount())
        .sum();
  }

  /**
   * A translator and its last result, which does not begin at the start of the array, to catch
   * wrong offsets.
   */
  static final class LineTranslation {

    private final JsonLine json = new JsonLine();
    private final LineTranslator translator = new LineTranslator(json);
    int spans;

    byte[] of(byte[] request) throws MalformedRequestException, IOException {
      byte[] padded = new byte[request.length + 20];
      Arrays.fill(padded, (byte) 0x0a);
      System.arraycopy(request, 0, padded, 10, request.length);
      try {
        spans = translator.translate(Signal.TRACES, padded, 10, request.length);
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        json.writeTo(line);
        return line.toByteArray();
      } finally {
        json.clear();
      }
    }
  }
}
