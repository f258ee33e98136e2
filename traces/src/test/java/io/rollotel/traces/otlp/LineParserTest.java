package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Cases;
import io.rollotel.traces.kit.RandomRequests;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The fast way through a line and Jackson's: where the fast one gives spans, they are Jackson's.
 */
class LineParserTest {

  private static final String IDS =
      "\"traceId\":\"0af7651916cd43dd8448eb211c80319c\",\"spanId\":\"b7ad6b7169203331\"";

  private static final String START =
      "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":"
          + "{\"stringValue\":\"actor\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"worker\"},"
          + "\"spans\":[{"
          + IDS;

  private static final String END = "}]}]}]}";

  /** What Java prints of an array of bytes. */
  private static final Pattern ARRAY = Pattern.compile("\\[B@[0-9a-f]+");

  /** In place of more fields of a span, behind a comma. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"name\":\"worker.train\"",
        "\"name\":null",
        "\"name\": \"a blank\", \"kind\": 3",
        "\"name\":\"größe 数据 \ud83d\ude80\"",
        "\"name\":\"a\\\"b\\\\c\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\ude80\\ud800\\u0000\"",
        "\"status\":{\"code\":2,\"message\":\"\\\"größe\\\"\\n\"}",
        "\"attributes\":[{\"key\":\"größe\",\"value\":{}},{\"key\":\"kep\\u0074\",\"value\":"
            + "{\"stringValue\":\"\\\\数据\"}}]",
        "\"name\":\"\",\"kind\":1,\"flags\":257,\"parentSpanId\":\"00f067aa0ba902b7\"",
        "\"startTimeUnixNano\":\"1795269422001401555\",\"endTimeUnixNano\":1795269422001401556",
        "\"startTimeUnixNano\":\"18446744073709551615\"",
        "\"kind\":\"SPAN_KIND_SERVER\",\"status\":{\"code\":2,\"message\":\"no\"}",
        "\"status\":{},\"links\":[],\"events\":[]",
        "\"links\":[{\"a\":[1,-0.5e-7,true,false,null,{\"b\":\"\\\\ \\\" \\/ \\u00e9\\n\"}]},[]]",
        "\"events\":[{\"name\":\"exception\",\"attributes\":[{\"key\":\"exception.type\",\"value\":"
            + "{\"stringValue\":\"IOException\"}},{\"key\":\"exception.stacktrace\",\"value\":"
            + "{\"stringValue\":\"a\\n\\tat größe 数据 \ud83d\ude80\"}}]}]",
        "\"attributes\":[{\"key\":\"kept\",\"value\":{\"intValue\":\"-12\"}},{\"key\":\"dropped\","
            + "\"value\":{\"kvlistValue\":{\"values\":[{\"key\":\"k\",\"value\":{}}]}}}]",
        "\"attributes\":[{\"key\":\"dropped\",\"value\":{\"intValue\":\"1\"}},{\"key\":\"kept\","
            + "\"value\":{\"intValue\":\"27\"}}],\"status\":{}",
        "\"attributes\":[{\"key\":\"dropped\",\"value\":{},\"key\":\"kept\"}]",
        "\"attributes\":[{\"key\":\"kept\",\"value\":{\"intValue\":\"1\"}},{\"key\":\"kept\","
            + "\"value\":{\"intValue\":\"9223372036854775807\"}}]",
        "\"attributes\":[{\"value\":{\"intValue\":2},\"key\":\"dropped\"},{\"value\":"
            + "{\"intValue\":2},\"key\":\"kept\"}]",
        "\"parentSpanId\":\"0000000000000000\"",
        "\"parentSpanId\":\"00F067AA0BA902B7\"",
        "\"attributes\":[{\"key\":\"kept\",\"value\":{\"doubleValue\":-1.5E+3}}]",
        "\"attributes\":[{\"key\":\"kept\",\"value\":{\"boolValue\":true}}]",
        "\"attributes\":[{\"key\":\"kept\",\"value\":{\"arrayValue\":{\"values\":"
            + "[{\"stringValue\":\"a\"},{\"bytesValue\":\"AQI=\"}]}}}]",
      })
  void lineOfACollector_isReadTheFastWay(String fields) throws Exception {
    String line = START + "," + fields + END;
    LineParser parser = new LineParser(Set.of("kept"));
    assertThat(isCompact(parser, line.getBytes(UTF_8))).isTrue();
    assertSame(line.getBytes(UTF_8));
  }

  /** Jackson reads it, or reports an error. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"na\\u006de\":\"worker\"",
        "\"name\":\"\\x\"",
        "\"name\":\"\\u00g0\"",
        "\"name\":\"\\u00e\"",
        "\"name\":\"ä\t\"",
        "\"name\":\"ä\\",
        "\"name\" :\"worker\"",
        "\"name\":  \"worker\"",
        "\"status\":null,\"attributes\":null",
        "\"name\":{}",
        "\"status\":[]",
        "\"attributes\":{}",
        "\"kind\":01",
        "\"kind\":-",
        "\"kind\":1x",
        "\"x\":01",
        "\"x\":1.",
        "\"x\":1e",
        "\"x\":.5",
        "\"x\":+1",
        "\"x\":tru",
        "\"x\":truer",
        "\"x\":nul",
        "\"x\":",
        "\"x\"",
        "\"x\":1,",
        "\"x\":[1,]",
        "\"x\":[,1]",
        "\"x\":[1 ,2]",
        "\"x\":{\"a\":1,}",
        "\"x\":{\"a\"}",
        "\"x\":{a:1}",
        "\"x\":{\"a\":1]",
        "\"x\":\"\\x\"",
        "\"x\":\"\\u00g0\"",
        "\"x\":\"\t\"",
        "\"x\":\"\u0000\"",
        "\"x\":\"",
        "\"x\":'a'",
        "\"x\":NaN",
        "\"traceId\":\"0af7651916cd43dd8448eb211c80319g\"",
        "\"spanId\":\"b7ad\"",
        "\"startTimeUnixNano\":\"soon\"",
        "\"startTimeUnixNano\":\"-1\"",
        "\"attributes\":[{\"key\":\"kept\",\"value\":{\"intValue\":\"1.5\"}}]",
        "\"attributes\":[{\"key\":\"kept\",\"value\":{\"bytesValue\":\"*\"}}]",
        "\"x\":1}]}]}]} {",
      })
  void lineThatIsNotCompactOrNotRight_isReadAsJacksonReadsIt(String fields) throws Exception {
    byte[] line = (START + "," + fields + END).getBytes(UTF_8);
    assertThat(isCompact(new LineParser(Set.of("kept")), line)).isFalse();
    assertSame(line);
  }

  @Test
  void bytesThatAreNoUtf8_areReadAsJacksonReadsThem() throws Exception {
    for (String bytes :
        List.of("80", "c3", "c328", "e4bd", "f09f9a", "f8808080", "ff", "edA080", "c0af")) {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      line.write((START + ",\"x\":\"").getBytes(UTF_8));
      line.write(HexFormat.of().parseHex(bytes));
      line.write(("\"" + END).getBytes(UTF_8));
      assertSame(line.toByteArray());
      assertSame(
          new String(line.toByteArray(), ISO_8859_1)
              .replace("\"x\":", "\"name\":")
              .getBytes(ISO_8859_1));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 90, 200, 450, 600, 5_000})
  void deepLine_isReadAsJacksonReadsIt(int depth) throws Exception {
    String skipped = "[".repeat(depth) + "]".repeat(depth);
    assertSame((START + ",\"x\":" + skipped + END).getBytes(UTF_8));
    String kept =
        "{\"arrayValue\":{\"values\":[".repeat(depth) + "{\"intValue\":1}" + "]}}".repeat(depth);
    assertSame(
        (START + ",\"attributes\":[{\"key\":\"kept\",\"value\":" + kept + "}]" + END)
            .getBytes(UTF_8));
  }

  @ParameterizedTest
  @ValueSource(ints = {100_000, (8 << 20) - 1_000, 8 << 20, 9 << 20})
  void longLine_isReadWhole(int length) throws Exception {
    String text = "x".repeat(length);
    byte[] line =
        (START
                + ",\"attributes\":[{\"key\":\"kept\",\"value\":{\"stringValue\":\""
                + text
                + "\"}}]"
                + END)
            .getBytes(ISO_8859_1);
    LineParser parser = new LineParser(null);
    assertThat(parser.parse(new ByteArrayInputStream(line)))
        .singleElement()
        .extracting(span -> span.attributes().get("kept"))
        .isEqualTo(text);
    // A short line after it contains nothing of the long one.
    assertThat(parser.parse(stream((START + END).getBytes(UTF_8)))).hasSize(1);
    assertThat(parser.parse(stream(new byte[0]))).isEmpty();
  }

  @Test
  void everyPrefixOfALine_isReadAsJacksonReadsIt() throws Exception {
    byte[] line = (START + ",\"name\":\"a\",\"x\":[1,{\"y\":\"\\u00e9\"}]" + END).getBytes(UTF_8);
    for (int length = 0; length <= line.length; length++) {
      assertSame(Arrays.copyOf(line, length));
    }
  }

  @Tag("campaign")
  @Test
  void randomAndMutatedLines_areReadAsJacksonReadsThem() throws Exception {
    Random random = new Random(3);
    RandomRequests requests = new RandomRequests(5);
    LineParser fast = new LineParser(Set.of("kept", "key", ""));
    LineParser jackson = new LineParser(Set.of("kept", "key", ""));
    JsonLine json = new JsonLine();
    LineTranslator toJson = new LineTranslator(json);
    byte[] plain = (START + ",\"name\":\"a\",\"kind\":3" + END).getBytes(UTF_8);
    int compact = 0;
    int count = Cases.of(60_000);
    for (int i = 0; i < count; i++) {
      byte[] line = plain;
      if (i % 2 == 0) {
        byte[] request = requests.request().toByteArray();
        json.clear();
        toJson.translate(Signal.TRACES, request, 0, request.length);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        json.writeTo(bytes);
        line = bytes.toByteArray();
      }
      byte[] mutated = line.clone();
      for (int times = random.nextInt(3); times > 0 && mutated.length > 0; times--) {
        int at = random.nextInt(mutated.length);
        switch (random.nextInt(4)) {
          case 0 -> mutated[at] = (byte) random.nextInt();
          case 1 -> mutated[at] = (byte) "\"\\{}[],: 0123eE.-tfn".charAt(random.nextInt(20));
          case 2 -> mutated = Arrays.copyOf(mutated, at);
          default -> {
            int from = random.nextInt(mutated.length);
            int bytes = Math.min(mutated.length - Math.max(at, from), random.nextInt(40));
            System.arraycopy(mutated, from, mutated, at, bytes);
          }
        }
      }
      compact += isCompact(fast, mutated) ? 1 : 0;
      assertThat(outcome(fast, false, mutated))
          .as(new String(mutated, UTF_8))
          .isEqualTo(outcome(jackson, true, mutated));
    }
    assertThat(compact).isBetween(count / 12, count / 12 * 11);
  }

  /** The attributes of a span of that kind, of which one is wanted. */
  @ParameterizedTest
  @CsvSource({
    "4, 'roll.join=by kept=1 by=2 other=3', 'roll.join kept by'",
    "5, 'by=2 other=3 roll.join=by', 'by roll.join'",
    "4, 'by=2 other=3', ''",
    "4, 'roll.join=none other=3', 'roll.join'",
    "5, 'roll.join=roll.join other=3', 'roll.join'",
    "1, 'roll.join=by by=2 kept=1', 'roll.join kept'",
    "0, 'roll.join=by by=2 kept=1', 'roll.join kept'",
  })
  void attributeThatJoinsACall_isReadWhereJoinsAre(int kind, String attributes, String read)
      throws Exception {
    String list =
        Arrays.stream(attributes.split(" "))
            .map(one -> one.split("="))
            .map(
                one ->
                    "{\"key\":\"%s\",\"value\":{\"stringValue\":\"%s\"}}".formatted(one[0], one[1]))
            .collect(Collectors.joining(",", "\"attributes\":[", "]"));
    String ofKind = "\"kind\":" + kind;
    for (String fields : List.of(ofKind + "," + list, list + "," + ofKind, list)) {
      int known = fields.equals(list) ? 0 : kind;
      byte[] line = (START + "," + fields + END).getBytes(UTF_8);
      LineParser parser = new LineParser(Set.of(CallJoins.JOIN, "kept"));
      assertThat(parser.parse(stream(line)).get(0).attributes().keySet())
          .as(fields)
          .containsExactlyElementsOf(
              Arrays.stream(read.split(" "))
                  .filter(one -> !one.isEmpty() && (known != 0 || !one.equals("by")))
                  .toList());
      assertThat(new LineParser(Set.of("kept")).parse(stream(line)).get(0).attributes().keySet())
          .isSubsetOf("kept");
    }
  }

  /** As files that were written or converted on Windows have them. */
  @Test
  void lineThatEndsWithACarriageReturn_isReadWithoutJackson() throws Exception {
    byte[] line = (START + END + "\r").getBytes(UTF_8);
    assertThat(isCompact(new LineParser(null), line)).isTrue();
    assertSame(line);
    assertThat(isCompact(new LineParser(null), (START + END + "\r\r").getBytes(UTF_8))).isFalse();
  }

  @Test
  void eventsAndLinks_areReadWhereAllAttributesAre() throws Exception {
    byte[] line =
        (START
                + ",\"events\":[{\"timeUnixNano\":\"7\",\"name\":\"retry\",\"attributes\":"
                + "[{\"key\":\"n\",\"value\":{\"intValue\":\"2\"}}],\"droppedAttributesCount\":1},{}],"
                + "\"links\":[{\"traceId\":\"0AF7651916cd43dd8448eb211c80319c\",\"spanId\":"
                + "\"00f067aa0ba902b7\",\"attributes\":[{\"key\":\"k\",\"value\":{}}],\"flags\":1}]"
                + END)
            .getBytes(UTF_8);
    Span all = new LineParser(null).parse(stream(line)).get(0);
    assertThat(all.events())
        .containsExactly(
            new SpanEvent("retry", 7, Map.of("n", 2L)), new SpanEvent("", 0, Map.of()));
    assertThat(all.links())
        .containsExactly(
            new SpanLink("0af7651916cd43dd8448eb211c80319c", "00f067aa0ba902b7", Map.of("k", "")));
    Span few = new LineParser(Set.of("kept")).parse(stream(line)).get(0);
    assertThat(few.events()).isEmpty();
    assertThat(few.links()).isEmpty();
  }

  // ----

  private static boolean isCompact(LineParser parser, byte[] line) throws IOException {
    return parser.readsCompact(stream(line));
  }

  private static void assertSame(byte[] line) throws IOException {
    for (Set<String> wanted : Arrays.asList(Set.of("kept"), null)) {
      assertThat(outcome(new LineParser(wanted), false, line))
          .as(new String(line, UTF_8))
          .isEqualTo(outcome(new LineParser(wanted), true, line));
    }
  }

  /** All spans as text, or the error in the line. */
  private static String outcome(LineParser parser, boolean byJackson, byte[] line)
      throws IOException {
    try {
      List<Span> spans = byJackson ? parser.parseAny(stream(line)) : parser.parse(stream(line));
      if (!byJackson && parser.isAfterTornPart()) {
        return outcome(parser, true, line); // wrong as a whole
      }
      if (!byJackson) {
        assertHeldIsTheSame(parser, line, textOf(spans));
      }
      return textOf(spans);
    } catch (UnreadableLineException e) {
      return e.getMessage() + e.isCutOff();
    }
  }

  /** Also if it lies between others in memory. */
  private static void assertHeldIsTheSame(LineParser parser, byte[] line, String expected) {
    byte[] between = new byte[line.length + 40];
    Arrays.fill(between, (byte) '}');
    System.arraycopy(line, 0, between, 20, line.length);
    between[20 + line.length] = '\n';
    List<Span> held = parser.parseHeld(between, 20);
    if (held != null) {
      assertThat(textOf(held)).isEqualTo(expected);
      assertThat(parser.heldEnd()).isEqualTo(20 + line.length);
    }
  }

  private static String textOf(List<Span> spans) {
    return spans.stream()
        .map(span -> ARRAY.matcher(span.toString()).replaceAll("") + text(span.attributes()))
        .collect(Collectors.joining("\n"));
  }

  /** With the type, which the value's own text does not show. Arrays of bytes have no text. */
  private static String text(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> entry.getKey() + "=" + text(entry.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof List<?> list) {
      return list.stream().map(LineParserTest::text).toList().toString();
    }
    if (value instanceof byte[] bytes) {
      return Arrays.toString(bytes);
    }
    return value == null ? "null" : value.getClass().getSimpleName() + " " + value;
  }

  private static ByteArrayInputStream stream(byte[] line) {
    return new ByteArrayInputStream(line);
  }
}
