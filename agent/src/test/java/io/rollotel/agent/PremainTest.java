package io.rollotel.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.log.Stderr;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What premain says and does before it needs the agent's jar; the rest is in StartupTest. */
class PremainTest {

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "output.dir=x"})
  void notMentioned_nothingIsConnectedAndNothingIsSaid(String arguments) {
    assertThat(premain(arguments)).isEmpty();
    assertThat(TraceHook.active()).isFalse();
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
