package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The attributes of spans as the page has them: what repeats is not written in the general way. */
class PageTagsTest {

  private static final List<Object> VALUES =
      List.of(
          "",
          "plain",
          "quote \" and \\",
          "control \u0000\u001f\n\u007f",
          "é 字 \ud83d\ude00 half \ud83d",
          "</script>&\u2028",
          "long ".repeat(5000),
          0L,
          -1L,
          10L,
          99L,
          -9_007_199_254_740_991L,
          9_007_199_254_740_992L,
          Long.MIN_VALUE,
          Long.MAX_VALUE,
          1.5,
          Double.NaN,
          true,
          new byte[] {1, 2},
          List.of("a", 1L, List.of(2L)),
          Map.of("key", "value"));

  private static Span span(Map<String, Object> attributes, int status, String failure) {
    Resource none = new Resource(Map.of());
    return new Span(
        "1".repeat(32), "2".repeat(16), "", "name", 1, 1, 2, attributes, status, none, "", failure);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void attributes_areWrittenAsTheGeneratorDoes(int seed) {
    Random random = new Random(seed);
    PageTags tags = new PageTags(1 << 30);
    List<Object> values = new ArrayList<>(VALUES);
    for (int i = 0; i < 2000; i++) {
      Map<String, Object> attributes = new LinkedHashMap<>();
      for (int left = random.nextInt(i % 100 == 0 ? 300 : 6); left > 0; left--) {
        int name = random.nextInt(i % 100 == 0 ? 1000 : 4);
        attributes.put(
            name == 3 ? "na\"me " + name : "name" + name,
            values.get(random.nextInt(values.size())));
      }
      String expected = attributes.isEmpty() ? "{}" : "{\"a\":" + PageTags.text(attributes) + "}";
      assertThat(new String(tags.json(span(attributes, 0, "")), UTF_8))
          .isEqualTo(new String(expected.getBytes(UTF_8), UTF_8));
    }
  }

  @Test
  void error_followsTheAttributes() {
    PageTags tags = new PageTags(1 << 20);
    Span failed = span(Map.of("key", 1L), Span.STATUS_ERROR, "no \"room\"");
    assertThat(new String(tags.json(failed), UTF_8))
        .isEqualTo("{\"a\":{\"key\":1},\"error\":\"no \\\"room\\\"\"}");
    assertThat(new String(tags.json(span(Map.of(), Span.STATUS_ERROR, "")), UTF_8))
        .isEqualTo("{\"error\":\"\"}");
  }
}
