package io.rollotel.agent.settings;

import io.rollotel.agent.log.AgentLog;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Starts and ends without settings. */
abstract class SettingsFixture {

  @BeforeEach
  @AfterEach
  void reset() {
    System.getProperties().keySet().removeIf(name -> name.toString().startsWith("roll.otel."));
    System.getProperties().keySet().removeIf(name -> name.toString().startsWith("otel."));
    AgentLog.setLevel("warn");
  }

  static Settings fromEnvironment(String name, String value) {
    return Settings.read(null, Map.of("ROLL_OTEL_" + name, value));
  }
}
