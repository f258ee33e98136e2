package io.rollotel.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrictnessTest {

  @ParameterizedTest(name = "[{0}] is {1}")
  @CsvSource({
    ", true",
    "'', true",
    "true, true",
    "TRUE, true",
    "on, true",
    "yes, true",
    "1, true",
    "false, false",
    "False, false",
    "off, false",
    "no, false",
    "0, false"
  })
  void value_isUnderstood(String value, boolean isStrict) {
    Map<String, String> options = new HashMap<>();
    options.put("roll.otel.strict", value);
    assertThat(Strictness.of(options)).isEqualTo(new Strictness(isStrict, ""));
  }

  @Test
  void notGiven_isNotStrict() {
    assertThat(Strictness.of(Map.of())).isEqualTo(new Strictness(false, ""));
  }

  @Test
  void anotherWord_isNotStrictAndSaid() {
    Strictness read = Strictness.of(Map.of("roll.otel.strict", "maybe"));
    assertThat(read.isStrict()).isFalse();
    assertThat(read.complaint())
        .isEqualTo(
            "-Aroll.otel.strict=maybe is not understood: it takes true or false. Warnings stay"
                + " warnings.");
  }
}
