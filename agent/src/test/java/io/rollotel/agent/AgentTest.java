package io.rollotel.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentTest {

  @ParameterizedTest
  @CsvSource({
    "1.8, true",
    "9, true",
    "11, true",
    "16, true",
    "17, false",
    "21, false",
    "25, false"
  })
  void version_isTooOldBefore17(String version, boolean tooOld) {
    assertThat(Agent.isTooOld(version)).isEqualTo(tooOld);
  }
}
