package io.rollotel.traces.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.Test;

class RefusalTextTest {

  @Test
  void status_givesItsMessageAlone() {
    // Its length, 52, is the character 4.
    String message = "missing or empty authorization header: Authorization";
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.write(0x08); // code
    body.write(16);
    body.write(0x12);
    body.write(message.length());
    body.writeBytes(message.getBytes(UTF_8));

    assertThat(message).hasSize(52);
    assertThat(RefusalText.of(body.toByteArray())).isEqualTo(message);
  }

  @Test
  void textOfAProxy_staysAsItIs() {
    assertThat(RefusalText.of("no such page\r\n".getBytes(UTF_8))).isEqualTo("no such page");
    assertThat(RefusalText.of(new byte[0])).isEmpty();
  }
}
