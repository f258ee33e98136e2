package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpanRangeTest {

  private static String span(int number) {
    return "{\"traceId\":\"%032x\",\"spanId\":\"%016x\",\"name\":\"s%d\",\"kind\":1}"
        .formatted(number, number, number);
  }

  private static String resource(String name, String... scopes) {
    return "{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\""
        + name
        + "\"}}]},\"scopeSpans\":["
        + String.join(",", scopes)
        + "],\"schemaUrl\":\"u\"}";
  }

  private static String scope(String name, String... spans) {
    return "{\"scope\":{\"name\":\"" + name + "\"},\"spans\":[" + String.join(",", spans) + "]}";
  }

  private static byte[] request(String... resources) throws Exception {
    String json = "{\"resourceSpans\":[" + String.join(",", resources) + "]}";
    RequestEncoder encoder = new RequestEncoder();
    encoder.encode(new ByteArrayInputStream(json.getBytes(UTF_8)), Signal.TRACES);
    return Arrays.copyOf(encoder.bytes(), encoder.length());
  }

  private static byte[] all() throws Exception {
    return request(
        resource("a", scope("x", span(1), span(2)), scope("y", span(3))),
        resource("b", scope("z", span(4))));
  }

  @Test
  void partOfARequest_hasItsResourceAndScope() throws Exception {
    assertThat(SpanRange.of(all(), 0, 4)).isEqualTo(all());
    assertThat(SpanRange.of(all(), 0, 1)).isEqualTo(request(resource("a", scope("x", span(1)))));
    assertThat(SpanRange.of(all(), 1, 3))
        .isEqualTo(request(resource("a", scope("x", span(2)), scope("y", span(3)))));
    assertThat(SpanRange.of(all(), 3, 4)).isEqualTo(request(resource("b", scope("z", span(4)))));
    assertThat(SpanRange.of(all(), 4, 5)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                           | 0 | ''",
        "0a 00                        | 0 | ''",
        "0a 02 08 03                  | 3 | ''",
        "0a 06 08 ac 02 12 01 6e      | 300 | n",
        "0a 04 12 02 6e 6f            | 0 | ''",
        "7b 22 7d                     | 0 | ''",
        "0a 7f 08                     | 0 | ''",
      })
  void answer_saysHowManyWereRejected(String hex, long rejected, String message) {
    byte[] answer = new byte[(hex.length() + 1) / 3];
    for (int i = 0; i < answer.length; i++) {
      answer[i] = (byte) Integer.parseInt(hex.substring(3 * i, 3 * i + 2), 16);
    }
    assertThat(PartialSuccess.of(answer)).isEqualTo(new PartialSuccess(rejected, message));
  }
}
