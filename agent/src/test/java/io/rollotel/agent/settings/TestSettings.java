package io.rollotel.agent.settings;

import java.util.Map;

/** Settings for tests in other packages. */
public final class TestSettings {

  private TestSettings() {}

  public static Settings of(String agentArguments) {
    return Settings.read(agentArguments, Map.of());
  }
}
