package io.rollotel.agent.sdk;

import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.internal.DefaultConfigProperties;
import io.rollotel.agent.export.OtlpEndpoint;
import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.otlp.Signal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What the SDK and the exporter of a process with these settings would complain of. */
public final class SettingsCheck implements Supplier<List<String>> {

  private final Settings settings;

  /** For {@code doctor}, by reflection. */
  public SettingsCheck(Settings settings) {
    this.settings = settings;
  }

  @Override
  public List<String> get() {
    List<String> complaints = new ArrayList<>(RefusedSettings.of(settings).complaints());
    if (settings.endpointGiven(Signal.TRACES.plural())) {
      DefaultConfigProperties given = SdkBuilder.given(settings);
      ConfigProperties config =
          given.withOverrides(SdkBuilder.overrides(settings, given, Map.of()));
      try {
        OtlpEndpoint.check(config, Signal.TRACES);
      } catch (IOException | RuntimeException e) {
        complaints.add("the exporter otlp cannot be built: " + RefusedSettings.cause(e));
      }
    }
    return complaints;
  }
}
