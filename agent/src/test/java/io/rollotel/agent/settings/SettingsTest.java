package io.rollotel.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.log.Stderr;
import io.rollotel.traces.collector.CollectorTable;
import io.rollotel.traces.settings.EndpointText;
import io.rollotel.traces.settings.Setting;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each setting takes. */
class SettingsTest extends SettingsFixture {

  @ParameterizedTest
  @CsvSource({
    "http://host:4317, http://host:4317",
    "http://bob:s3cret@host:4317/v1, http://host:4317/v1",
    "http://bob:s3/c@ret@host:4317, http://host:4317",
    "bob:s3cret@host:4317, host:4317",
    "host:4317, host:4317",
  })
  void endpoint_isShownWithoutUserAndPassword(String endpoint, String shown) {
    assertThat(EndpointText.withoutUser(endpoint)).isEqualTo(shown);
  }

  @Test
  void nothingSet_defaults() {
    Settings settings = Settings.read(null, Map.of());
    assertThat(settings.enabled()).isFalse();
    assertThat(settings.exitTimeoutMillis()).isEqualTo(2_000);
    assertThat(settings.instance()).isNull();
    assertThat(settings.noContext()).isEqualTo(NoContext.LOCAL);
    assertThat(settings.outputDir()).isEqualTo("output/otlp");
    assertThat(settings.role()).isEqualTo(Role.AUTO);
    assertThat(settings.runId()).isNull();
    assertThat(settings.environment("RANK")).isNull();
    assertThat(settings.complaints()).isEmpty();
  }

  // ---- accepted words

  @ParameterizedTest
  @CsvSource({
    "1, true", "true, true", "TRUE, true", "yes, true", "Yes, true", "on, true", "' on ', true",
    "0, false", "false, false", "no, false", "off, false", "OFF, false", "'', false", "' ', false"
  })
  void enabled_takesTheseWords(String word, boolean enabled) {
    Settings settings = fromEnvironment("ENABLED", word);
    assertThat(settings.enabled()).isEqualTo(enabled);
    assertThat(settings.complaints()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "local, LOCAL",
    "LOCAL, LOCAL",
    "suppress, SUPPRESS",
    "Root, ROOT",
    "' root ', ROOT",
    "'', LOCAL"
  })
  void noContext_takesTheseWords(String word, NoContext wanted) {
    Settings settings = fromEnvironment("NO_CONTEXT", word);
    assertThat(settings.noContext()).isEqualTo(wanted);
    assertThat(settings.complaints()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"auto, AUTO", "driver, DRIVER", "WORKER, WORKER", "' worker', WORKER", "'', AUTO"})
  void role_takesTheseWords(String word, Role wanted) {
    Settings settings = fromEnvironment("ROLE", word);
    assertThat(settings.role()).isEqualTo(wanted);
    assertThat(settings.complaints()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "2, 2000",
    "0.5, 500",
    "500ms, 500",
    "3s, 3000",
    "0, 0",
    "0s, 0",
    "' 2 ', 2000",
    "2 s, 2000",
    "250 ms, 250",
    "1.5s, 1500",
    "3600, 3600000"
  })
  void exitTimeout_takesTheseForms(String text, long millis) {
    Settings settings = fromEnvironment("EXIT_TIMEOUT", text);
    assertThat(settings.exitTimeoutMillis()).isEqualTo(millis);
    assertThat(settings.complaints()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    // for all signals, for traces, what is spoken, complaints
    "'', '', , 0",
    "grpc, '', grpc, 0",
    "GRPC, '', grpc, 0",
    "http/protobuf, '', http/protobuf, 0",
    "grpc, http/protobuf, http/protobuf, 0",
    "http/json, grpc, grpc, 0",
    "http/json, '', http/protobuf, 1",
    "grpc, http, http/protobuf, 1"
  })
  void otlpProtocol_isOfTheTracesFirst(String all, String traces, String spoken, int complaints) {
    Settings settings =
        Settings.read(
            null,
            Map.of(
                "OTEL_EXPORTER_OTLP_PROTOCOL", all, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", traces));
    assertThat(settings.otlpProtocols().values().stream().findFirst().orElse(null))
        .isEqualTo(spoken);
    assertThat(settings.complaints())
        .hasSize(complaints)
        .allMatch(line -> line.contains("_PROTOCOL=http") && line.contains("it takes grpc or"));
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "not set",
      value = {
        // what is set; whether calls are measured; which names are unknown
        "not set, false, ''",
        "otlp, true, ''",
        "none, false, ''",
        "prometheus, false, [prometheus]",
        "'console, otlp,logging', true, '[console, logging]'",
      })
  void metricsExporter_measuresCallsWhereItIsOtlp(String given, boolean measures, String unknown) {
    Map<String, String> environment =
        given == null ? Map.of() : Map.of("OTEL_METRICS_EXPORTER", given);
    Settings settings = Settings.read(null, environment);
    assertThat(settings.measuresCalls()).isEqualTo(measures);
    assertThat(settings.complaints())
        .hasSize(unknown.isEmpty() ? 0 : 1)
        .allMatch(line -> line.endsWith("the agent supports only otlp and none, not " + unknown));
  }

  @ParameterizedTest
  @CsvSource({
    // what is set; whether warn, info and debug lines appear
    "off, 0",
    "warn, 1",
    "WARN, 1",
    "info, 2",
    "debug, 3",
    "' debug ', 3"
  })
  void log_takesTheseWords(String word, int lines) {
    assertThat(fromEnvironment("LOG", word).complaints()).isEmpty();
    try (Stderr stderr = new Stderr()) {
      AgentLog.warn("warn");
      AgentLog.info("info");
      AgentLog.debug("debug");
      assertThat(stderr.lines())
          .isEqualTo(
              List.of("[roll-otel] warn", "[roll-otel] info", "[roll-otel] debug")
                  .subList(0, lines));
    }
  }

  @Test
  void emptyOutputDir_isTheDefault() {
    assertThat(fromEnvironment("OUTPUT_DIR", "").outputDir()).isEqualTo("output/otlp");
  }

  // ---- malformed values

  @ParameterizedTest(name = "{0}={1}")
  @CsvSource({
    "ENABLED, maybe, false, 'yes'",
    "ENABLED, 2, false, 'yes'",
    "NO_CONTEXT, parent, LOCAL, 'local, suppress, root'",
    "ROLE, boss, AUTO, 'auto, driver, worker'",
    "EXIT_TIMEOUT, x, 2000, seconds",
    "EXIT_TIMEOUT, -1, 2000, seconds",
    "EXIT_TIMEOUT, 1h, 2000, seconds",
    "EXIT_TIMEOUT, ms, 2000, seconds",
    "EXIT_TIMEOUT, NaN, 2000, seconds",
    "EXIT_TIMEOUT, Infinity, 2000, seconds",
    "EXIT_TIMEOUT, 3601, 2000, seconds",
    "EXIT_TIMEOUT, 1e300, 2000, seconds",
    "ATTRIBUTE_LENGTH, 0, 1024, characters",
    "ATTRIBUTE_LENGTH, much, 1024, characters",
    "EXCEPTION_LENGTH, 0, 32768, characters",
    "EXCEPTION_LENGTH, 1048577, 32768, characters",
    "LOG, loud, 1, 'debug, info, warn or off'"
  })
  void malformedValue_isComplainedOfOnceAndTheDefaultUsed(
      String name, String value, String used, String takes) {
    for (String source : List.of("environment", "property", "argument")) {
      reset();
      Settings settings =
          switch (source) {
            case "environment" -> fromEnvironment(name, value);
            case "property" -> {
              System.setProperty("roll.otel." + name.toLowerCase().replace('_', '.'), value);
              yield Settings.read("", Map.of());
            }
            default -> Settings.read(name.toLowerCase().replace('_', '.') + "=" + value, Map.of());
          };
      settings.enabled();
      assertThat(read(settings, name)).as(source).isEqualTo(used);
      assertThat(settings.complaints())
          .as(source)
          .singleElement()
          .asString()
          .contains("ROLL_OTEL_" + name, "=" + value, takes);
    }
  }

  private static String read(Settings settings, String name) {
    return switch (name) {
      case "ENABLED" -> String.valueOf(settings.enabled());
      case "NO_CONTEXT" -> settings.noContext().toString();
      case "ROLE" -> settings.role().toString();
      case "EXIT_TIMEOUT" -> String.valueOf(settings.exitTimeoutMillis());
      case "ATTRIBUTE_LENGTH" -> String.valueOf(settings.attributeLength());
      case "EXCEPTION_LENGTH" -> String.valueOf(settings.exceptionLength());
      default -> {
        try (Stderr stderr = new Stderr()) {
          AgentLog.warn("");
          AgentLog.info("");
          yield String.valueOf(stderr.lines().size());
        }
      }
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"5sms", "2d", "2f", "0x1p1"})
  void oddExitTimeout_isComplainedOf(String value) {
    Settings settings = fromEnvironment("EXIT_TIMEOUT", value);
    assertThat(settings.complaints()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ENABLED", "EXIT_TIMEOUT", "INSTANCE", "LOG", "NO_CONTEXT", "OUTPUT_DIR", "ROLE"})
  void emptyValue_isNotSet(String name) {
    Settings settings = fromEnvironment(name, "");
    settings.enabled();
    assertThat(settings.complaints()).isEmpty();
  }

  @Test
  void settingsOfTheCollector_areKnownAndHandedOn() {
    for (Setting<?> setting : CollectorTable.entries()) {
      String name = setting.name();
      Settings settings = Settings.read("", Map.of("ROLL_OTEL_" + name, "7"));
      assertThat(settings.complaints()).isEmpty();
      assertThat(settings.collector(name)).isEqualTo("7");
    }
  }
}
