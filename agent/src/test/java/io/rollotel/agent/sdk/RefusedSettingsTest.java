package io.rollotel.agent.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.autoconfigure.spi.internal.DefaultConfigProperties;
import io.rollotel.agent.settings.Settings;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RefusedSettingsTest {

  @ParameterizedTest
  @CsvSource({
    "otel.traces.sampler=ratio, OTEL_TRACES_SAMPLER=ratio, Unrecognized value for otel.traces.sampler",
    "otel.traces.sampler=parentbased_traceidratio;otel.traces.sampler.arg=10,"
        + " OTEL_TRACES_SAMPLER_ARG=10, ratio must be in range",
    "otel.resource.attributes=team, OTEL_RESOURCE_ATTRIBUTES=team, Invalid map property",
    "otel.propagators=b4, OTEL_PROPAGATORS=b4, Unrecognized value for otel.propagators",
    "otel.bsp.max.queue.size=10k, OTEL_BSP_MAX_QUEUE_SIZE=10k, Must be a integer",
    "otel.span.attribute.count.limit=many, OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT=many, Must be a integer"
  })
  void refusedValue_isNamedWithItsCause(String arguments, String name, String cause) {
    RefusedSettings refused =
        refused(
            arguments
                + ";otel.exporter.otlp.endpoint=http://localhost:1;otel.bsp.schedule.delay=7"
                + ";otel.service.name=given");

    assertThat(refused.complaints())
        .singleElement()
        .asString()
        .contains(name)
        .contains(" is ignored, the default is used: ")
        .contains(cause);
    assertThat(refused.replacements().keySet())
        .noneMatch(property -> property.contains("exporter"))
        .doesNotContain("otel.bsp.schedule.delay", "otel.service.name");
  }

  /** As a property, which the SDK reads before the variable. */
  @ParameterizedTest
  @CsvSource({
    "otel.traces.sampler, always_off, always_off",
    "otel.traces.sampler, , parentbased_always_on",
    "otel.propagators, , 'tracecontext,baggage'",
    "otel.exporter.otlp.endpoint, http://a, http://a",
    "otel.exporter.otlp.endpoint, , ''",
    "otel.service.name, trainer, trainer"
  })
  void blankValue_isAsIfUnsetAndNoComplaint(String property, String variable, String used) {
    String before = System.getProperty(property);
    System.setProperty(property, " ");
    try {
      Settings settings =
          Settings.attached(
              List.of(),
              variable == null
                  ? Map.of()
                  : Map.of(property.toUpperCase(Locale.ROOT).replace('.', '_'), variable));
      DefaultConfigProperties given = SdkBuilder.given(settings);
      assertThat(RefusedSettings.of(settings)).isEqualTo(RefusedSettings.NONE);
      assertThat(
              given
                  .withOverrides(SdkBuilder.overrides(settings, given, Map.of()))
                  .getString(property)
                  .trim())
          .isEqualTo(used);
    } finally {
      if (before == null) {
        System.clearProperty(property);
      } else {
        System.setProperty(property, before);
      }
    }
  }

  @Test
  void severalRefusedValues_areEachNamed() {
    RefusedSettings refused =
        refused("otel.propagators=b4;otel.traces.sampler=coin;otel.bsp.max.queue.size=10k");

    assertThat(refused.complaints()).hasSize(3);
    assertThat(refused.replacements())
        .containsEntry("otel.propagators", "tracecontext,baggage")
        .containsEntry("otel.traces.sampler", "parentbased_always_on")
        .containsEntry("otel.bsp.max.queue.size", "");
  }

  @Test
  void goodValues_areLeft() {
    assertThat(refused("otel.propagators=tracecontext;otel.traces.sampler=always_off"))
        .isEqualTo(RefusedSettings.NONE);
  }

  private static RefusedSettings refused(String arguments) {
    return RefusedSettings.of(Settings.attached(List.of(arguments.split(";")), Map.of()));
  }
}
