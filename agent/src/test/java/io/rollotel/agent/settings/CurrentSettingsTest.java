package io.rollotel.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.log.Stderr;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CurrentSettingsTest {

  private final Map<String, String> environment = Map.of("ROLL_OTEL_EXEC", "never");
  private final CurrentSettings current = new CurrentSettings(Settings.read("", environment));

  @AfterEach
  void reset() {
    System.getProperties().keySet().removeIf(name -> name.toString().startsWith("roll.otel."));
  }

  @Test
  void propertyThatMainSets_countsUntilTracingIsUsed() {
    System.setProperty("roll.otel.output.dir", "of-main");
    assertThat(current.get().outputDir()).isEqualTo("output/otlp");
    assertThat(current.asFixedNow().outputDir()).isEqualTo("of-main");

    assertThat(current.fix().outputDir()).isEqualTo("of-main");
    System.setProperty("roll.otel.output.dir", "too-late");
    assertThat(current.fix().outputDir()).isEqualTo("of-main");
    assertThat(current.get().outputDir()).isEqualTo("of-main");
    assertThat(current.asFixedNow().outputDir()).isEqualTo("of-main");
  }

  @Test
  void userCode_isStrongerThanAPropertyUntilTracingIsUsed() {
    assertThat(current.add(Map.of("roll.otel.output.dir", "of-code"))).isTrue();
    System.setProperty("roll.otel.output.dir", "of-main");
    assertThat(current.get().outputDir()).isEqualTo("of-code");
    assertThat(current.fix().outputDir()).isEqualTo("of-code");
    assertThat(current.add(Map.of("roll.otel.output.dir", "too-late"))).isFalse();
    assertThat(current.get().outputDir()).isEqualTo("of-code");
  }

  @Test
  void complaints_areSaidOnceEach() {
    current.add(Map.of("roll.otel.exit.timeout", "soon"));
    System.setProperty("roll.otel.role", "boss");
    System.setProperty("roll.otel.roel", "driver");
    try (Stderr stderr = new Stderr()) {
      current.fix();
      current.fix();
      assertThat(stderr.lines())
          .as("that of EXEC was printed at the start")
          .hasSize(3)
          .anyMatch(line -> line.contains("ROLL_OTEL_EXIT_TIMEOUT=soon is not understood"))
          .anyMatch(line -> line.contains("ROLL_OTEL_ROLE=boss is not understood"))
          .anyMatch(line -> line.contains("unknown setting roll.otel.roel; "));
    }
  }
}
