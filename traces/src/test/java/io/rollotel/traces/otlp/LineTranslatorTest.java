package io.rollotel.traces.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.Cases;
import io.rollotel.traces.kit.OtlpJson;
import io.rollotel.traces.kit.RandomRequests;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Protobuf becomes the JSON that the official classes read, in the form of otelcol. */
class LineTranslatorTest extends LineTranslatorFixture {

  @Tag("campaign")
  @Test
  void randomRequest_becomesWhatTheOfficialClassesRead() throws Exception {
    RandomRequests requests = new RandomRequests(42);
    LineTranslation translation = new LineTranslation();
    for (int i = 0; i < 4000; i++) {
      ExportTraceServiceRequest request = requests.request();
      byte[] line = translation.of(request.toByteArray());
      assertThat(OtlpJson.parse(line))
          .as("request %d", i)
          .hasToString(OtlpJson.expected(request).toString());
      assertThat(translation.spans).isEqualTo(spans(request));
    }
  }

  @Tag("campaign")
  @Test
  void shuffledAndRepeatedFields_becomeWhatTheOfficialClassesRead() throws Exception {
    Random random = new Random(7);
    RandomRequests requests = new RandomRequests(8);
    LineTranslation translation = new LineTranslation();
    for (int i = 0; i < 4000; i++) {
      List<byte[]> fields = new ArrayList<>();
      for (int j = 0; j < 2; j++) {
        // Without a status: official classes merge two of a singular message, we take the last.
        fields.addAll(fields(requests.span().toBuilder().clearStatus().build()));
      }
      Collections.shuffle(fields, random);
      byte[] span = concat(fields);
      byte[] request = request(span);
      assertThat(OtlpJson.parse(translation.of(request)))
          .as("span %d", i)
          .hasToString(OtlpJson.expected(ExportTraceServiceRequest.parseFrom(request)).toString());
    }
  }

  @Test
  @Timeout(600)
  void mutatedRequest_isTranslatedOrRefused() throws Exception {
    int count = Cases.of(30_000);
    Random random = new Random(99);
    RandomRequests requests = new RandomRequests(100);
    LineTranslation translation = new LineTranslation();
    int refused = 0;
    for (int i = 0; i < count; i++) {
      byte[] bytes = requests.request().toByteArray();
      for (int j = bytes.length == 0 ? 0 : 1 + random.nextInt(3); j > 0; j--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      byte[] line;
      try {
        line = translation.of(bytes);
      } catch (MalformedRequestException e) {
        assertThat(e).hasMessageMatching("(?s).+ at byte \\d+");
        refused++;
        continue;
      }
      assertThat(OtlpJson.parse(line)).isNotNull();
      try {
        ExportTraceServiceRequest official = ExportTraceServiceRequest.parseFrom(bytes);
        assertThat(translation.spans).as("mutation %d", i).isEqualTo(spans(official));
      } catch (InvalidProtocolBufferException stricter) {
        // An overridden string that is no UTF-8, for one.
      }
    }
    assertThat(refused).isBetween(count / 10, count);
  }

  @Test
  void attributesAndNumbersOfEachSize_becomeWhatTheOfficialClassesRead() throws Exception {
    LineTranslation translation = new LineTranslation();
    for (int size = 0; size < 140; size++) {
      // Ends of a word, of a length of one byte, and something to escape at each place.
      String text = "k".repeat(size);
      String escaped = size == 0 ? "" : text.substring(1) + "\"\u2028é".charAt(size % 3);
      Span.Builder span = span();
      long number = (size % 2 == 0 ? -1 : 1) * (long) Math.pow(10, size % 19) - size % 5 / 4;
      span.setStartTimeUnixNano(number);
      for (String key : List.of(text, escaped)) {
        span.addAttributesBuilder().setKey(key).getValueBuilder().setStringValue(escaped);
        span.addAttributesBuilder().setKey(key).getValueBuilder().setIntValue(number);
        span.addAttributesBuilder().setKey(key).getValueBuilder().setIntValue(size - 70);
        span.addAttributesBuilder().setKey(key).getValueBuilder().setBoolValue(true);
        span.addAttributesBuilder().setKey(key);
      }
      ExportTraceServiceRequest request = request(span).build();
      assertThat(OtlpJson.parse(translation.of(request.toByteArray())))
          .as("size %d", size)
          .hasToString(OtlpJson.expected(request).toString());
    }
  }

  @Test
  void truncatedAnywhere_isRefusedUnlessBetweenTwoResources() throws Exception {
    ExportTraceServiceRequest request = request(span(), span()).build();
    byte[] bytes = request.toByteArray();
    int first = CodedOutputStream.computeMessageSize(1, request.getResourceSpans(0));
    for (int length = 0; length <= bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      if (length % first == 0) {
        assertThat(new LineTranslation().of(cut)).isNotEmpty();
      } else {
        assertThatThrownBy(() -> new LineTranslation().of(cut))
            .as("cut at %d", length)
            .isExactlyInstanceOf(MalformedRequestException.class);
      }
    }
  }

  @Test
  void workerSpan_isTheLineOfOtelcol() throws Exception {
    ExportTraceServiceRequest.Builder request = request(span());
    request
        .getResourceSpansBuilder(0)
        .getResourceBuilder()
        .addAttributes(keyValue("service.name", AnyValue.newBuilder().setStringValue("svc")))
        .addAttributes(keyValue("process.pid", AnyValue.newBuilder().setIntValue(40000)));
    request
        .getResourceSpansBuilder(0)
        .getScopeSpansBuilder(0)
        .getScopeBuilder()
        .setName("worker")
        .setVersion("1.0.0");
    assertThat(text(request.build()))
        .isEqualTo(
            """
            {"resourceSpans":[{"resource":{"attributes":[\
            {"key":"service.name","value":{"stringValue":"svc"}},\
            {"key":"process.pid","value":{"intValue":"40000"}}]},\
            "scopeSpans":[{"scope":{"name":"worker","version":"1.0.0"},"spans":[\
            {"traceId":"00000000499602d20000000000000031","spanId":"1e4036dae8a02856",\
            "parentSpanId":"a7d92872909fc929","flags":257,"name":"worker.update_weights",\
            "kind":1,"startTimeUnixNano":"1795245881708247994",\
            "endTimeUnixNano":"1795245881709756625",\
            "attributes":[{"key":"worker.rank","value":{"intValue":"63"}}],\
            "status":{"message":"...","code":2}}]}]}]}""");
  }

  @Test
  void bareSpan_hasEmptyResourceScopeAndStatus() throws Exception {
    assertThat(text(request(Span.newBuilder().setTraceId(TRACE_ID).setSpanId(SPAN_ID)).build()))
        .isEqualTo(
            """
            {"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[\
            {"traceId":"00000000499602d20000000000000031","spanId":"1e4036dae8a02856",\
            "status":{}}]}]}]}""");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0        | 0
          -0.0     | -0
          3        | 3
          -2.5     | -2.5
          0.000001 | 0.000001
          1e-7     | 1e-07
          1.25e-10 | 1.25e-10
          1e20     | 100000000000000000000
          1e21     | 1e+21
          1.5e300  | 1.5e+300
          NaN      | "NaN"
          Infinity | "Infinity"
          -Infinity| "-Infinity"
          """)
  void doubleValue_isPrintedAsGoDoes(double value, String printed) throws Exception {
    assertThat(valueText(AnyValue.newBuilder().setDoubleValue(value)))
        .isEqualTo("{\"doubleValue\":" + printed + "}");
  }

  @Test
  void emptyValues_keepTheirKind() throws Exception {
    assertThat(valueText(AnyValue.newBuilder())).isEqualTo("{}");
    assertThat(valueText(AnyValue.newBuilder().setStringValue("")))
        .isEqualTo("{\"stringValue\":\"\"}");
    assertThat(valueText(AnyValue.newBuilder().setBoolValue(false)))
        .isEqualTo("{\"boolValue\":false}");
    assertThat(valueText(AnyValue.newBuilder().setIntValue(0))).isEqualTo("{\"intValue\":\"0\"}");
    assertThat(valueText(AnyValue.newBuilder().setBytesValue(ByteString.EMPTY)))
        .isEqualTo("{\"bytesValue\":\"\"}");
    assertThat(valueText(AnyValue.newBuilder().setArrayValue(ArrayValue.newBuilder())))
        .isEqualTo("{\"arrayValue\":{}}");
  }

  @Test
  void text_isEscapedWhereItWouldBreakALine() throws Exception {
    assertThat(
            valueText(
                AnyValue.newBuilder().setStringValue("\"\\/\n\r\t\b\u001f\u007f\u2028\u2029µ")))
        .isEqualTo("{\"stringValue\":\"\\\"\\\\/\\n\\r\\t\\u0008\\u001f\u007f\\u2028\\u2029µ\"}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "80",
        "bf",
        "c0af",
        "c1bf",
        "c3",
        "c3c3",
        "e08080",
        "e09fbf",
        "e282",
        "eda080",
        "edbfbf",
        "f08080af",
        "f08fbfbf",
        "f4908080",
        "f5808080",
        "ff",
        "61e2"
      })
  void invalidUtf8_isRefused(String hex) {
    byte[] span =
        concat(
            List.of(
                Span.newBuilder().setTraceId(TRACE_ID).setSpanId(SPAN_ID).build().toByteArray(),
                delimited(5, hex(hex).toByteArray())));
    assertThatThrownBy(() -> new LineTranslation().of(request(span)))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageStartingWith("invalid UTF-8 in name at byte ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          08 01                   | wire type 0 for resourceSpans at byte 1
          0a 05                   | length 5 where 0 bytes are left at byte 1
          0a ff ff ff ff 0f       | length 4294967295 where 0 bytes are left at byte 1
          0a ff ff ff ff ff ff ff ff ff 01 | length 18446744073709551615 where 0 bytes are left at byte 1
          0a 80                   | number cut off at byte 1
          80 80 80 80 80 80 80 80 80 80 01 | number of more than 10 bytes at byte 0
          02 00                   | field number 0 at byte 0
          80 80 80 80 10 00       | field number 536870912 at byte 0
          2c                      | wire type 4 at byte 1
          2e                      | wire type 6 at byte 1
          2b                      | group cut off at byte 1
          2b 34                   | end of group 6 in group 5 at byte 2
          2d 00 00 00             | 4 bytes wanted where 3 bytes are left at byte 1
          0a 04 12 02 12 00       | no traceId in the message at byte 6
          0a 07 12 05 12 03 0a 01 55 | traceId of 1 bytes instead of 16 at byte 8
          """)
  void malformedBytes_areNamedWithTheirPlace(String hex, String message) {
    byte[] bytes = HexFormat.ofDelimiter(" ").parseHex(hex);
    assertThatThrownBy(() -> new LineTranslation().of(bytes))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @CsvSource({"15, 8, 0", "17, 8, 0", "0, 8, 0", "16, 7, 0", "16, 9, 0", "16, 0, 0", "16, 8, 7"})
  void idOfWrongLength_isRefused(int traceIdBytes, int spanIdBytes, int parentIdBytes) {
    Span.Builder span =
        Span.newBuilder()
            .setTraceId(ByteString.copyFrom(new byte[traceIdBytes]))
            .setSpanId(ByteString.copyFrom(new byte[spanIdBytes]))
            .setParentSpanId(ByteString.copyFrom(new byte[parentIdBytes]));
    assertThatThrownBy(() -> text(request(span).build()))
        .isInstanceOf(MalformedRequestException.class);
  }

  @Test
  void deepNesting_isTakenTo64MessagesAndThenRefused() throws Exception {
    // Request, resource spans, scope spans, span, key value and its value are the first six.
    assertThat(valueText(nested(29))).startsWith("{\"arrayValue\":");
    assertThatThrownBy(() -> valueText(nested(30)))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageStartingWith("messages nested more than 64 deep at byte ");
    byte[] groups = new byte[200_000];
    Arrays.fill(groups, (byte) 0x2b);
    assertThatThrownBy(() -> new LineTranslation().of(groups))
        .isInstanceOf(MalformedRequestException.class);
  }
}
