package io.rollotel.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that are misspelled, and the forms that settings have in arguments and properties. */
class SettingNamesTest extends SettingsFixture {

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "ROLL_OTEL_ENABLE, ROLL_OTEL_ENABLED",
    "ROLL_OTEL_ENABELD, ROLL_OTEL_ENABLED",
    "ROLL_OTEL_OUTPUTDIR, ROLL_OTEL_OUTPUT_DIR",
    "ROLL_OTEL_DIR, ROLL_OTEL_",
    "ROLL_OTEL_ROL, ROLL_OTEL_ROLE",
    "ROLL_OTEL_CONTEXT, ROLL_OTEL_NO_CONTEXT",
    "ROLL_OTEL_TIMEOUT, ROLL_OTEL_EXIT_TIMEOUT",
    "ROLL_OTEL_enabled, ROLL_OTEL_",
    "ROLL_OTEL_, ROLL_OTEL_",
    "roll.otel.enable, roll.otel.enabled",
    "roll.otel.outputdir, roll.otel.output.dir",
    "roll.otel.log.level, roll.otel.log"
  })
  void unknownName_isComplainedOfWithTheNearestKnown(String name, String nearest) {
    Map<String, String> environment = new HashMap<>();
    if (name.startsWith("ROLL")) {
      environment.put(name, "1");
    } else {
      System.setProperty(name, "1");
    }
    assertThat(Settings.read(null, environment).complaints())
        .singleElement()
        .asString()
        .contains("unknown", name + ";", nearest);
  }

  @ParameterizedTest
  @CsvSource({
    "enable=true, enable, one is enabled",
    "outputdir=x, outputdir, one is output.dir",
    "instanc, instanc, one is instance",
    "roll.otel.roel=worker, roel, one is role"
  })
  void unknownArgument_isComplainedOfWithTheNearestKnown(
      String arguments, String shown, String nearest) {
    assertThat(Settings.read(arguments, Map.of()).complaints())
        .singleElement()
        .asString()
        .contains("agent argument " + shown + ";", nearest);
  }

  @Test
  void argumentLikeNoSetting_getsNoSuggestion() {
    assertThat(Settings.read("help", Map.of()).complaints())
        .containsExactly("unknown agent argument help; docs/configuration.md lists all settings");
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_EXPORTER_OTLP_ENDPIONT, OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OLTP_ENDPOINT, OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_HEADER, OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACE_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_SERVCE_NAME, OTEL_SERVICE_NAME",
    "OTEL_TRACE_SAMPLER, OTEL_TRACES_SAMPLER",
    "OTEL_TRACES_SAMPLER_ARGS, OTEL_TRACES_SAMPLER_ARG",
  })
  void variableThatIsAlmostOneOfOpenTelemetry_isComplainedOf(String name, String meant) {
    assertThat(Settings.read(null, Map.of(name, "1")).complaints())
        .containsExactly("unknown setting " + name + "; the nearest known one is " + meant);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_LOGS_CLIENT_CERTIFICATE",
        "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE",
        "OTEL_EXPORTER_OTLP_SPAN_INSECURE",
        "OTEL_BLRP_SCHEDULE_DELAY",
        "OTEL_PYTHON_LOG_CORRELATION",
        "OTEL_JAVAAGENT_ENABLED",
        "OTEL_LOG_LEVEL",
        "OTEL_NODE_RESOURCE_DETECTORS",
        "OTEL_SEMCONV_STABILITY_OPT_IN",
        "OTEL_EXPORTER_ZIPKIN_ENDPOINT",
        "OTEL_EXPORTER_PROMETHEUS_HOST",
        "OTEL_EXPORTER_OTLP_PYTHON_CREDENTIAL_PROVIDER",
        "OTEL_"
      })
  void variableOfOpenTelemetry_isNoMistake(String name) {
    assertThat(Settings.read(null, Map.of(name, "http://h:1")).complaints()).isEmpty();
  }

  @Test
  void namesOfOthers_areNotOurBusiness() {
    System.setProperty("otel.nonsense", "1");
    Settings settings =
        Settings.read(
            "otel.whatever=1",
            Map.of("OTEL_SERVICE_NAME", "a", "ROLL_OTHER", "b", "PATH", "c", "roll_otel_x", "d"));
    assertThat(settings.complaints()).isEmpty();
  }

  // ---- agent arguments

  @ParameterizedTest
  @ValueSource(
      strings = {
        "enabled",
        "enabled=true",
        "roll.otel.enabled=true",
        "ROLL_OTEL_ENABLED=true",
        " enabled = true ",
        ",,enabled=on,",
        "role=worker,enabled=1",
        "enabled=0,enabled=1"
      })
  void argument_hasSeveralForms(String arguments) {
    Settings settings = Settings.read(arguments, Map.of());
    assertThat(settings.enabled()).isTrue();
    assertThat(settings.complaints()).isEmpty();
  }

  @Test
  void argumentsValue_mayHoldAnEqualsSign() {
    assertThat(
            Settings.read("otel.resource.attributes=a=b", Map.of())
                .otel("otel.resource.attributes"))
        .isEqualTo("a=b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"output_dir", "OUTPUT_DIR", "Output.Dir", "roll.otel.output_dir"})
  void argumentInAnotherForm_isReadOrComplainedOf(String name) {
    Settings settings = Settings.read(name + "=x", Map.of());
    assertThat(settings.outputDir().equals("x") || settings.complaints().size() == 1).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"roll.otel.output_dir", "roll.otel.OUTPUT.DIR"})
  void propertyInAnotherForm_isReadOrComplainedOf(String name) {
    System.setProperty(name, "x");
    Settings settings = Settings.read(null, Map.of());
    assertThat(settings.outputDir().equals("x") || settings.complaints().size() == 1).isTrue();
  }
}
