package io.rollotel.agent.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.log.Stderr;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the start says and does where tracing is not enabled. */
class StartupTest {

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "output.dir=x", "enabled=false", "enabled=0,ouput.dir=x"})
  void notEnabled_nothingIsConnected(String arguments) {
    start(arguments);
    assertThat(TraceHook.active()).isFalse();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "output.dir=x", "enabled=false"})
  void notEnabled_nothingIsSaid(String arguments) {
    assertThat(start(arguments)).isEmpty();
  }

  @Test
  void malformedEnabled_isComplainedOf() {
    assertThat(start("enabled=maybe"))
        .singleElement()
        .asString()
        .startsWith("[roll-otel] ROLL_OTEL_ENABLED=maybe is not understood")
        .endsWith("; tracing is off");
  }

  @Test
  void sdkDisabled_isSaidAndOff() {
    assertThat(start("enabled=true,otel.sdk.disabled=TRUE"))
        .containsExactly("[roll-otel] tracing is off: OTEL_SDK_DISABLED is true");
    assertThat(TraceHook.active()).isFalse();
  }

  @Test
  void directoryThatTheJvmCannotName_isSaidAndOff() {
    assertThat(start("enabled=true,output.dir=no\0name"))
        .singleElement()
        .asString()
        .startsWith("[roll-otel] tracing is off: the output directory ")
        .contains("has characters that this JVM cannot use in the name of a file");
    assertThat(TraceHook.active()).isFalse();
  }

  @Test
  void malformedEnabledByItsVariablesName_isComplainedOf() {
    assertThat(start("ROLL_OTEL_ENABLED=maybe")).hasSize(1);
  }

  private static List<String> start(String arguments) {
    try (Stderr stderr = new Stderr()) {
      assertThat(new Startup().start(arguments, null)).isFalse();
      return stderr.lines();
    }
  }
}
