package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.EntityRef;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Exemplar;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.rollotel.traces.kit.Cases;
import io.rollotel.traces.kit.RandomRequests;
import io.rollotel.traces.kit.Requests;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestEncoderTest {

  /** As protobuf's mapping to JSON has it: in both alphabets, padded or not. */
  @ParameterizedTest
  @ValueSource(strings = {"+/8=", "-_8=", "+/8", "-_8"})
  void bytes_areReadInEitherAlphabet(String base64) throws Exception {
    String line =
        """
        {"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{},"logRecords":[\
        {"body":{"bytesValue":"%s"}}]}]}]}""";
    byte[] request = encoded(Signal.LOGS, line.formatted(base64));
    assertThat(line(Signal.LOGS, request)).isEqualTo(line.formatted("+/8="));
    LineParser parser = new LineParser(null);
    String span =
        """
        {"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x",\
        "attributes":[{"key":"k","value":{"bytesValue":"%s"}}]}]}]}]}""";
    byte[] spans = span.formatted(1, 2, base64).getBytes(UTF_8);
    assertThat(parser.parse(new ByteArrayInputStream(spans)).get(0).attributes().get("k"))
        .isEqualTo(new byte[] {(byte) 0xfb, (byte) 0xff});
  }

  /**
   * Two characters of JSON become nine bytes: a small request would take the memory of a large one.
   */
  @Test
  void numbersThatTakeMoreThanAllowed_areRefused() throws Exception {
    String metric =
        """
        {"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"h","histogram":{"dataPoints":[\
        {"explicitBounds":[%s1]}]}}]}]}]}""";
    byte[] few = metric.formatted("1,".repeat(400_000)).getBytes(UTF_8);
    byte[] many = metric.formatted("1,".repeat(1_000_000)).getBytes(UTF_8);
    RequestEncoder encoder = new RequestEncoder();
    encoder.encode(few, 0, few.length, Signal.METRICS, 4 << 20);
    assertThat(encoder.length()).isGreaterThan(4 * few.length);
    assertThatThrownBy(() -> encoder.encode(many, 0, many.length, Signal.METRICS, 4 << 20))
        .isInstanceOf(UnreadableLineException.class)
        .hasMessage("too many numbers in explicitBounds: send smaller batches, or protobuf");
    encoder.encode(many, 0, many.length, Signal.METRICS); // of a file, which is there
    assertThat(encoder.records()).isOne();
    encoder.encode(new ByteArrayInputStream(many), Signal.METRICS);
    assertThat(encoder.records()).isOne();
  }

  @Test
  void encodedLine_isTheRequestThatItCameFrom() throws Exception {
    RandomRequests requests = new RandomRequests(3);
    for (int i = 0; i < 3_000; i++) {
      byte[] request = requests.request().toByteArray();
      String line = line(Signal.TRACES, request);
      assertThat(line(Signal.TRACES, encoded(Signal.TRACES, line))).isEqualTo(line);
    }
  }

  @Test
  void metricOfEachKind_keepsAllItsFields() throws Exception {
    KeyValue attribute =
        KeyValue.newBuilder()
            .setKey("k")
            .setValue(AnyValue.newBuilder().setBoolValue(false))
            .build();
    Exemplar exemplar =
        Exemplar.newBuilder()
            .addFilteredAttributes(attribute)
            .setTimeUnixNano(3)
            .setAsInt(-4)
            .setSpanId(ByteString.copyFrom(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}))
            .build();
    ScopeMetrics.Builder scope = ScopeMetrics.newBuilder();
    scope
        .addMetricsBuilder()
        .setName("g")
        .setDescription("d")
        .setUnit("u")
        .addMetadata(attribute)
        .getGaugeBuilder()
        .addDataPoints(
            NumberDataPoint.newBuilder()
                .addAttributes(attribute)
                .setStartTimeUnixNano(1)
                .setTimeUnixNano(2)
                .setAsDouble(0)
                .addExemplars(exemplar)
                .setFlags(1));
    scope
        .addMetricsBuilder()
        .getExponentialHistogramBuilder()
        .setAggregationTemporality(AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA)
        .addDataPoints(
            ExponentialHistogramDataPoint.newBuilder()
                .setCount(-1)
                .setScale(-3)
                .setZeroCount(2)
                .setZeroThreshold(0.25)
                .setMin(0)
                .setPositive(
                    ExponentialHistogramDataPoint.Buckets.newBuilder()
                        .setOffset(-2)
                        .addBucketCounts(0)
                        .addBucketCounts(-1)));
    scope
        .addMetricsBuilder()
        .getHistogramBuilder()
        .addDataPoints(HistogramDataPoint.newBuilder().setMax(1).addExplicitBounds(Double.NaN));
    scope
        .addMetricsBuilder()
        .getSummaryBuilder()
        .addDataPoints(
            SummaryDataPoint.newBuilder()
                .addQuantileValues(
                    SummaryDataPoint.ValueAtQuantile.newBuilder().setQuantile(0.5).setValue(2)));
    ResourceMetrics.Builder resource = ResourceMetrics.newBuilder().addScopeMetrics(scope);
    resource
        .getResourceBuilder()
        .addEntityRefs(EntityRef.newBuilder().setType("t").addIdKeys("a").addIdKeys(""));
    byte[] request =
        ExportMetricsServiceRequest.newBuilder().addResourceMetrics(resource).build().toByteArray();
    String line =
        """
        {"resourceMetrics":[{"resource":{"entityRefs":[{"type":"t","idKeys":["a",""]}]},\
        "scopeMetrics":[{"scope":{},"metrics":[\
        {"name":"g","description":"d","unit":"u","gauge":{"dataPoints":[{"attributes":[\
        {"key":"k","value":{"boolValue":false}}],"startTimeUnixNano":"1","timeUnixNano":"2",\
        "asDouble":0,"exemplars":[{"filteredAttributes":[{"key":"k","value":{"boolValue":false}}],\
        "timeUnixNano":"3","asInt":"-4","spanId":"0102030405060708"}],"flags":1}]},\
        "metadata":[{"key":"k","value":{"boolValue":false}}]},\
        {"exponentialHistogram":{"dataPoints":[{"count":"18446744073709551615","scale":-3,\
        "zeroCount":"2","positive":{"offset":-2,"bucketCounts":["0","18446744073709551615"]},\
        "negative":{},"min":0,"zeroThreshold":0.25}],"aggregationTemporality":1}},\
        {"histogram":{"dataPoints":[{"explicitBounds":["NaN"],"max":1}]}},\
        {"summary":{"dataPoints":[{"quantileValues":[{"quantile":0.5,"value":2}]}]}}]}]}]}""";
    assertThat(line(Signal.METRICS, request)).isEqualTo(line);
    assertThat(line(Signal.METRICS, encoded(null, line))).isEqualTo(line);
  }

  @Test
  void logRecord_keepsAllItsFields() throws Exception {
    ExportLogsServiceRequest.Builder logs = ExportLogsServiceRequest.newBuilder();
    logs.addResourceLogsBuilder()
        .addScopeLogsBuilder()
        .addLogRecords(
            LogRecord.newBuilder()
                .setTimeUnixNano(1)
                .setObservedTimeUnixNano(-1)
                .setSeverityNumberValue(17)
                .setSeverityText("E")
                .setBody(AnyValue.newBuilder().setDoubleValue(1e21))
                .setDroppedAttributesCount(-1)
                .setFlags(-1)
                .setTraceId(ByteString.copyFrom(new byte[16]))
                .setSpanId(ByteString.copyFrom(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}))
                .setEventName("e"));
    String line =
        """
        {"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{},"logRecords":[\
        {"timeUnixNano":"1","observedTimeUnixNano":"18446744073709551615","severityNumber":17,\
        "severityText":"E","body":{"doubleValue":1e+21},"droppedAttributesCount":4294967295,\
        "flags":4294967295,"spanId":"0102030405060708","eventName":"e"}]}]}]}""";
    assertThat(line(Signal.LOGS, logs.build().toByteArray())).isEqualTo(line);
    assertThat(line(Signal.LOGS, encoded(null, line))).isEqualTo(line);
  }

  @Test
  void spansThatWereSeen_areLeftOutAndCounted() throws Exception {
    String line =
        line(
            Signal.TRACES,
            Requests.of(
                List.of(
                    Requests.span(1, 2, 0, "a", 5, 3),
                    Requests.span(1, 3, 0, "b", 5, 3),
                    Requests.span(1, 2, 0, "a", 5, 3))));
    RequestEncoder encoder = new RequestEncoder(new SeenSpans(), CallJoins.NONE);
    encoder.encode(new ByteArrayInputStream(line.getBytes(UTF_8)), null);
    assertThat(List.of(encoder.records(), encoder.duplicates())).containsExactly(2, 1);
    encoder.encode(new ByteArrayInputStream(line.getBytes(UTF_8)), null);
    assertThat(List.of(encoder.records(), encoder.duplicates())).containsExactly(0, 3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'spanId':'0102030405060708'} | no traceId in the message",
        "{'traceId':'','spanId':'0102030405060708'} | no traceId in the message",
        "{'traceId':'01020304050607080102030405060708'} | no spanId in the message",
        "{'traceId':'01020304050607080102030405060708','spanId':null} | no spanId in the message",
        "{'traceId':'01020304050607080102030405060708','spanId':'0102030405060708','links':[{}]}"
            + "| no traceId in the message",
      })
  void missingId_isRefusedByName(String span, String message) {
    String line = "{'resourceSpans':[{'scopeSpans':[{'spans':[" + span + "]}]}]}";
    assertThatThrownBy(() -> encoded(Signal.TRACES, line.replace('\'', '"')))
        .isInstanceOf(UnreadableLineException.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0000ff00", "00ff0000", "0000003c7b7a7b7b7b7a7b7b", "00000000", "feff", ""})
  void bytesOfNoKnownEncoding_areUnreadable(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    RequestEncoder encoder = new RequestEncoder();
    assertThatThrownBy(() -> encoder.encode(bytes, 0, bytes.length, null))
        .isInstanceOf(UnreadableLineException.class);
  }

  @Test
  void depthOfNestedValues_isThatOfTheTranslator() throws Exception {
    List<Integer> accepted = new ArrayList<>();
    for (int depth = 1; depth < 80; depth++) {
      String value =
          "{'arrayValue':{'values':[".repeat(depth) + "{'boolValue':true}" + "]}}".repeat(depth);
      String line =
          "{'resourceSpans':[{'resource':{'attributes':[{'key':'k','value':" + value + "}]}}]}";
      try {
        line(Signal.TRACES, encoded(Signal.TRACES, line.replace('\'', '"')));
        accepted.add(depth);
      } catch (UnreadableLineException e) {
        assertThat(e).hasMessage("nested more than 64 deep");
      }
    }
    assertThat(accepted).hasSizeGreaterThan(20).hasSizeLessThan(40);
  }

  @Tag("campaign")
  @Test
  void mutatedLine_isRefusedOrAValidRequest() throws Exception {
    RandomRequests requests = new RandomRequests(17);
    Random random = new Random(5);
    RequestEncoder encoder = new RequestEncoder(new SeenSpans(), CallJoins.NONE);
    JsonLine json = new JsonLine();
    int accepted = 0;
    for (int i = 0; i < Cases.of(20_000); i++) {
      byte[] line = line(Signal.TRACES, requests.request().toByteArray()).getBytes(UTF_8);
      for (int times = random.nextInt(3); times >= 0; times--) {
        int at = random.nextInt(line.length);
        int from = random.nextInt(line.length);
        int count = Math.min(line.length - Math.max(at, from), random.nextInt(20));
        switch (random.nextInt(3)) {
          case 0 -> line[at] = (byte) random.nextInt();
          case 1 -> System.arraycopy(line, from, line, at, count);
          default -> Arrays.fill(line, at, at + count, (byte) ' ');
        }
      }
      try {
        encoder.encode(line, 0, line.length, null);
      } catch (UnreadableLineException e) {
        continue;
      }
      Signal signal = encoder.signal();
      if (signal != null) {
        json.clear();
        new LineTranslator(json).translate(signal, encoder.bytes(), 0, encoder.length());
        accepted++;
      }
    }
    assertThat(accepted).isGreaterThan(Cases.of(20_000) / 20);
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(ints = {10, 65_535, 65_536, 65_537, 131_072, 1_000_001})
  void textOfAnyLength_isTheSameAsWritten(int length) throws Exception {
    StringBuilder text = new StringBuilder();
    while (text.length() < length) {
      text.append("aß€\uD83D\uDE00 \n\"x".charAt(text.length() % 9)); // the pairs at any boundary
    }
    String name = text.toString();
    String line = line(Signal.TRACES, Requests.of(List.of(Requests.span(1, 2, 0, name, 5, 3))));
    byte[] request = encoded(Signal.TRACES, line);
    assertThat(line(Signal.TRACES, request)).isEqualTo(line);
    assertThat(new String(request, UTF_8)).contains(name);
    String escaped = line.replace("\uD83D\uDE00", "\\ud83d\\ude00").replace("€", "\\u20ac");
    assertThat(encoded(Signal.TRACES, escaped)).isEqualTo(request);
  }

  private static byte[] encoded(Signal signal, String line) throws Exception {
    RequestEncoder encoder = new RequestEncoder();
    encoder.encode(new ByteArrayInputStream(line.getBytes(UTF_8)), signal);
    return Arrays.copyOf(encoder.bytes(), encoder.length());
  }

  private static String line(Signal signal, byte[] request) throws Exception {
    JsonLine line = new JsonLine();
    new LineTranslator(line).translate(signal, request, 0, request.length);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    line.writeTo(bytes);
    return bytes.toString(UTF_8);
  }
}
