package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunIdentityTest {

  @ParameterizedTest
  @ValueSource(strings = {"0a1b2c3d4e5f6071", "exp/7:seed=3@node-1", "~"})
  void id_mayTravel(String id) {
    assertThat(RunIdentity.mayTravel(id)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "a b",
        "a,b",
        "a\nb",
        "a\u001b[31m",
        "\"a\"",
        "it's",
        "a\\b",
        "ä",
        "a\u2028"
      })
  void strangeText_isNone(String id) {
    assertThat(RunIdentity.mayTravel(id)).isFalse();
  }

  @Test
  void longText_isNone() {
    assertThat(RunIdentity.mayTravel("x".repeat(128))).isTrue();
    assertThat(RunIdentity.mayTravel("x".repeat(129))).isFalse();
  }

  @Test
  void firstDecision_stays() {
    RunIdentity run = new RunIdentity(new File("output"), false, line -> {});
    assertThat(run.known()).isNull();
    run.received("monday");
    run.received("tuesday");
    assertThat(run.decide("a")).isEqualTo("a");
    assertThat(run.decide("b")).isEqualTo("a");
    assertThat(run.known()).isEqualTo("a");
  }

  @Test
  void firstRunThatCallsComeFrom_isTakenUnlessThereIsADriver() {
    assertThat(receivedFromTwo().decideNow(null)).isEqualTo("monday");
    assertThat(receivedFromTwo().decideNow("drivers")).isEqualTo("drivers");
  }

  private static RunIdentity receivedFromTwo() {
    RunIdentity run = new RunIdentity(new File("output"), false, line -> {});
    run.received("monday");
    run.received("tuesday");
    return run;
  }
}
