package io.rollotel.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.log.Stderr;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What premain says and does before it needs the agent's jar; the rest is in StartupTest. */
class PremainTest {

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        " , ",
        "enabled=0",
        "enabled=off,output.dir=x",
        "ENABLED=no",
        "roll.otel.enabled=false",
        "log=off,output.dir=x",
        "log=warn"
      })
  void plainOrSwitchedOff_nothingIsConnectedAndNothingIsSaid(String arguments) {
    assertThat(premain(arguments)).isEmpty();
    assertThat(TraceHook.active()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "output.dir=x | it is not set, but the agent's argument output.dir is",
        "log=info | it is not set, but the agent's argument log is",
        "a=1,b=2 | it is not set, but the agent's argument a and the agent's argument b are",
        "runs.enabled=1 | it is not set, but the agent's argument runs.enabled is",
        "enable=1 | there is no setting the agent's argument enable",
        "output.dir=x,enabeld=1 | there is no setting the agent's argument enabeld",
        "ROLL_OTEL_ENALBED=1 | there is no setting the agent's argument ROLL_OTEL_ENALBED",
        "disabled=1 | it is not set, but the agent's argument disabled is",
      })
  void settingsWithoutAnyThatEnables_areOneLine(String arguments, String why) {
    assertThat(premain(arguments))
        .containsExactly("[roll-otel] tracing is off: set ROLL_OTEL_ENABLED=1 (" + why + ")");
    assertThat(TraceHook.active()).isFalse();
  }

  @Test
  void propertyWithoutAnyThatEnables_isOneLine() {
    System.setProperty("roll.otel.enable", "true");
    try {
      assertThat(premain(null))
          .containsExactly(
              "[roll-otel] tracing is off: set ROLL_OTEL_ENABLED=1"
                  + " (there is no setting roll.otel.enable)");
      assertThat(premain("enabled=off")).isEmpty();
    } finally {
      System.clearProperty("roll.otel.enable");
    }
  }

  @Test
  void startThatFails_isSaidAndNotThrown() {
    // There is no agent's jar here, only a folder of classes.
    assertThat(premain("enabled=true"))
        .singleElement()
        .asString()
        .startsWith("[roll-otel] the agent could not start, the program runs without it: ");
    assertThat(TraceHook.active()).isFalse();
  }

  private static List<String> premain(String arguments) {
    try (Stderr stderr = new Stderr()) {
      Agent.premain(arguments, null);
      return stderr.lines();
    }
  }
}
