package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HexFormat;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HexIdsTest {

  @Test
  void anId_isTheNumberThatItIs() {
    Random random = new Random(5);
    for (int i = 0; i < 1_000; i++) {
      long number = random.nextLong();
      String id = HexFormat.of().toHexDigits(number);
      assertThat(HexIds.toLong(id)).isEqualTo(number);
      assertThat(HexIds.toLong("0" + id, 1)).isEqualTo(number);
      assertThat(HexIds.toLong(id.toUpperCase(Locale.ROOT))).isEqualTo(number);
    }
    assertThat(HexIds.toLong("ff")).isEqualTo(255);
  }

  @Test
  void whatIsNoHex_isNoId() {
    for (char wrong : new char[] {'g', '/', ':', '`', ' ', 'é', '\u0130', '\uff11'}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> HexIds.toLong("000000000000000" + wrong));
    }
  }

  @Test
  void onlyLowerCaseDigits_areDigits() {
    for (int character = 0; character < 256; character++) {
      byte[] text = ("0" + (char) character + "f").getBytes(ISO_8859_1);
      assertThat(HexIds.areDigits(text, 0, 3))
          .isEqualTo("0123456789abcdef".indexOf(character) >= 0);
    }
  }
}
