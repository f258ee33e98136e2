package io.rollotel.traces.profile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BreakdownTest {

  @ParameterizedTest
  @CsvSource({"0, false", "1, false", "9, false", "10, true", "400, true"})
  void fewSamples_tellNoMethods(int samples, boolean isEnough) {
    Stacks stacks = new Stacks();
    Breakdown breakdown = new Breakdown(stacks);
    int stack = stacks.stack(new int[] {stacks.frame("com.acme.Actor.generate", 1)});
    for (int i = 0; i < samples; i++) {
      breakdown.sample(stack, 1);
    }
    assertThat(breakdown.samples()).isEqualTo(samples);
    assertThat(breakdown.tellsMethods()).isEqualTo(isEnough);
  }
}
