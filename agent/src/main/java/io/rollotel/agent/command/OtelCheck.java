package io.rollotel.agent.command;

import io.rollotel.agent.loader.InnerLoader;
import io.rollotel.agent.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Whether OpenTelemetry's SDK takes the {@code OTEL_*} settings: asks the agent's copy of it. */
final class OtelCheck {

  private final Settings settings;

  OtelCheck(Settings settings) {
    this.settings = settings;
  }

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    if (settings.otelNames().isEmpty()) {
      return findings; // the SDK takes a while to load
    }
    try {
      ClassLoader own = OtelCheck.class.getClassLoader();
      ClassLoader ofSdk = own instanceof InnerLoader agent ? agent.forApi(null) : own;
      Supplier<?> check =
          Class.forName("io.rollotel.agent.sdk.SettingsCheck", true, ofSdk)
              .asSubclass(Supplier.class)
              .getConstructor(Settings.class)
              .newInstance(settings);
      if (check.get() instanceof List<?> complaints) {
        complaints.forEach(line -> findings.add(Finding.fail("otel", String.valueOf(line))));
      }
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      findings.add(Finding.warn("otel", "the OTEL_* settings cannot be checked: " + e));
    }
    return findings;
  }
}
