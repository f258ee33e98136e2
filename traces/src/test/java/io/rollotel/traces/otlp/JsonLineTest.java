package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts are copied in words: tests each length, and each position of a special character. */
class JsonLineTest {

  private static final int MOST_BYTES = 25;

  private static final Map<String, String> ESCAPED =
      Map.of("\"", "\\\"", "\\", "\\\\", "\n", "\\n", "\u0001", "\\u0001", "\u2028", "\\u2028");

  /** Whatever follows the text in the request must not matter, even if nothing does. */
  @ParameterizedTest
  @ValueSource(
      strings = {"", "x", "\"", "\\\"\n\u0001", "\u00e9\u00e9\u00e9\u00e9", "a longer text"})
  void textOfEachLength_isCopiedAsItIs(String behind) throws IOException {
    for (int length = 0; length <= MOST_BYTES; length++) {
      String text = "abcdefghijklmnopqrstuvwxyz".substring(0, length);
      assertThat(written(text, behind)).as("%d bytes", length).isEqualTo('"' + text + "\",7");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"",
        "\\",
        "\n",
        "\u0001",
        "\u2028",
        "\u007f",
        "\u00e9",
        "\u20ac",
        "\ud83d\ude80"
      })
  void characterThatIsNotPlain_isWrittenRightAtEachPlace(String special) throws IOException {
    String expected = ESCAPED.getOrDefault(special, special);
    for (int before = 0; before <= MOST_BYTES; before++) {
      for (int after = 0; after <= 9; after++) {
        String left = "a".repeat(before);
        String right = "b".repeat(after);
        assertThat(written(left + special + right, ""))
            .as("%d before, %d after", before, after)
            .isEqualTo('"' + left + expected + right + "\",7");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 8, 9, 15, 16, 17})
  void byteThatIsNoUtf8_isFoundAtItsPlace(int place) {
    byte[] bytes = new byte[place + 5];
    Arrays.fill(bytes, (byte) 'a');
    bytes[place] = (byte) 0xff;
    assertThat(new JsonLine().string(bytes, 0, bytes.length)).isEqualTo(place);
  }

  /** The text as a string, with a number behind it that shows where the line goes on. */
  private static String written(String text, String behind) throws IOException {
    byte[] bytes = (text + behind).getBytes(UTF_8);
    JsonLine line = new JsonLine();
    assertThat(line.string(bytes, 0, text.getBytes(UTF_8).length)).isEqualTo(-1);
    line.number(7);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    line.writeTo(out);
    return out.toString(UTF_8);
  }
}
