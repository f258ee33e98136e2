package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OtlpHeadersTest {

  @ParameterizedTest
  @CsvSource({
    "Bearer%20x, Bearer x",
    "Bearer x, Bearer x",
    "'Basic dXNlcjpw+W/x==', 'Basic dXNlcjpw+W/x=='",
    "a%2Bb%2Cc, 'a+b,c'",
    "100%, 100%",
    "%zz, %zz",
    "'', ''",
  })
  void value_isDecodedAndPlusStays(String given, String value) {
    assertThat(OtlpHeaders.of(" key = " + given + " ")).isEqualTo(Map.of("key", value));
  }

  @Test
  void emptyEntries_areNone() {
    assertThat(OtlpHeaders.of(",a=b, ,c=d,")).isEqualTo(Map.of("a", "b", "c", "d"));
  }

  @Test
  void entryWithoutAnEqualsSign_isNamedWithoutItsValue() {
    assertThatThrownBy(() -> OtlpHeaders.of("Authorization: Bearer 5ecret"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("OTEL_EXPORTER_OTLP_HEADERS")
        .hasMessageNotContaining("5ecret");
  }
}
