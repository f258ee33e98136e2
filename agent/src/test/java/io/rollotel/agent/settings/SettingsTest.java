package io.rollotel.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.log.Stderr;
import io.rollotel.traces.collector.CollectorTable;
import io.rollotel.traces.settings.EndpointText;
import io.rollotel.traces.settings.Setting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {

  @BeforeEach
  @AfterEach
  void reset() {
    System.getProperties().keySet().removeIf(name -> name.toString().startsWith("roll.otel."));
    System.getProperties().keySet().removeIf(name -> name.toString().startsWith("otel."));
    AgentLog.setLevel("warn");
  }

  // ---- what may be shown

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

  // ---- precedence

  @ParameterizedTest(name = "{0}")
  @MethodSource("settings")
  void strongestSourceWins(
      String name, List<String> values, Function<Settings, Object> getter, List<Object> read) {
    String variable = "ROLL_OTEL_" + name;
    String property = "roll.otel." + name.toLowerCase().replace('_', '.');
    String argument = name.toLowerCase().replace('_', '.') + "=" + values.get(2);

    System.setProperty(property, values.get(1));
    Settings all = Settings.read(argument, Map.of(variable, values.get(0)));
    Settings propertyAndArgument = Settings.read(argument, Map.of());
    System.clearProperty(property);
    Settings argumentAlone = Settings.read(argument, Map.of());

    assertThat(getter.apply(argumentAlone)).isEqualTo(read.get(2));
    assertThat(getter.apply(all)).isEqualTo(read.get(0));
    assertThat(getter.apply(propertyAndArgument)).isEqualTo(read.get(1));
    assertThat(getter.apply(all.with(Map.of(property, values.get(2)))))
        .as("set by user code")
        .isEqualTo(read.get(2));
    assertThat(all.complaints()).isEmpty();
  }

  static Stream<Arguments> settings() {
    return Stream.of(
        row("ENABLED", List.of("1", "0", "1"), Settings::enabled, List.of(true, false, true)),
        row("ENABLED", List.of("0", "1", "0"), Settings::enabled, List.of(false, true, false)),
        row(
            "EXEC",
            List.of("always", "auto", "ALWAYS"),
            Settings::exec,
            List.of(ExecSpans.ALWAYS, ExecSpans.AUTO, ExecSpans.ALWAYS)),
        row(
            "EXPORTER",
            List.of("file", "otlp", "file"),
            Settings::exporter,
            List.of(Exporter.FILE, Exporter.OTLP, Exporter.FILE)),
        row(
            "STARTUP_HOOK",
            List.of("a.B::c", "B::d", "a.B$C::e"),
            Settings::startupHook,
            List.of("a.B::c", "B::d", "a.B$C::e")),
        row(
            "EXIT_TIMEOUT",
            List.of("1", "2", "3"),
            Settings::exitTimeoutMillis,
            List.of(1_000L, 2_000L, 3_000L)),
        row("INSTANCE", List.of("a", "b", "c"), Settings::instance, List.of("a", "b", "c")),
        row(
            "NO_CONTEXT",
            List.of("root", "suppress", "local"),
            Settings::noContext,
            List.of(NoContext.ROOT, NoContext.SUPPRESS, NoContext.LOCAL)),
        row("OUTPUT_DIR", List.of("a", "b", "c"), Settings::outputDir, List.of("a", "b", "c")),
        row(
            "ROLE",
            List.of("driver", "worker", "auto"),
            Settings::role,
            List.of(Role.DRIVER, Role.WORKER, Role.AUTO)),
        row("RUN_ID", List.of("a", "b", "c"), Settings::runId, List.of("a", "b", "c")));
  }

  private static Arguments row(
      String name, List<String> values, Function<Settings, Object> getter, List<Object> read) {
    return Arguments.of(name, values, getter, read);
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

  @Test
  void environment_givesOtherVariables() {
    assertThat(Settings.read(null, Map.of("RANK", "3")).environment("RANK")).isEqualTo("3");
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
        .allMatch(line -> line.endsWith("only otlp and none are known, not " + unknown));
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

  @Test
  void tracingIsOff_nothingElseIsReadAtTheStart() {
    Map<String, String> environment =
        Map.of("ROLL_OTEL_ROLE", "boss", "ROLL_OTEL_LOG", "loud", "ROLL_OTEL_ROEL", "x");
    assertThat(Settings.atStart("enabled=0", environment).complaints()).hasSize(2);
    assertThat(Settings.atStart("enabled=1", environment).complaints()).hasSize(3);
    assertThat(Settings.read("enabled=0", environment).complaints()).hasSize(3);
  }

  // ---- once read

  @Test
  void readSettings_doNotChange() {
    Settings settings = Settings.read(null, Map.of());
    System.setProperty("roll.otel.output.dir", "later");
    System.setProperty("otel.service.name", "later");

    assertThat(settings.outputDir()).isEqualTo("output/otlp");
    assertThat(settings.otel("otel.service.name")).isNull();
    assertThat(settings.otelNames()).isEmpty();
    assertThat(settings.source("OUTPUT_DIR")).isEqualTo("default");
    assertThat(settings.readAgain().outputDir()).isEqualTo("later");
    assertThat(settings.readAgain().otel("otel.service.name")).isEqualTo("later");
  }

  @Test
  void settingsReadAgain_keepTheMethodsThatAreWoven() {
    Settings settings = Settings.read("methods=a.B[c]", Map.of());
    System.setProperty("roll.otel.methods", "a.C[d]");

    assertThat(settings.readAgain().methods()).isSameAs(settings.methods());
    assertThat(settings.with(Map.of()).methods()).isSameAs(settings.methods());
  }

  // ---- unknown names

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

  // ---- of an agent that is attached

  @Test
  void attached_isOnAndStrongerThanWhatWasThereBefore() {
    System.setProperty("roll.otel.role", "worker");
    System.setProperty("otel.service.name", "property");
    Settings settings =
        Settings.attached(
            List.of("OUTPUT_DIR=a,b", "role=driver", "otel.service.name=said"),
            Map.of("ROLL_OTEL_ENABLED", "0", "ROLL_OTEL_OUTPUT_DIR", "c", "ROLL_OTEL_RUN_ID", "d"));

    assertThat(settings.enabled()).isTrue();
    assertThat(settings.outputDir()).isEqualTo("a,b");
    assertThat(settings.role()).isEqualTo(Role.DRIVER);
    assertThat(settings.otel("otel.service.name")).isEqualTo("said");
    assertThat(settings.runId()).as("what was not said").isEqualTo("d");
    assertThat(settings.complaints()).isEmpty();
    assertThat(settings.given())
        .containsExactly(
            "otel.service.name=said",
            "roll.otel.enabled=true",
            "roll.otel.output.dir=a,b",
            "roll.otel.role=driver");
  }

  @Test
  void attachedWithEnabledFalse_isOff() {
    assertThat(Settings.attached(List.of("enabled=false"), Map.of()).enabled()).isFalse();
  }

  // ---- otel.*

  @Test
  void otelSetting_strongestSourceWins() {
    String name = "otel.exporter.otlp.endpoint";
    Map<String, String> environment = Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "environment");
    Settings withoutProperty = Settings.read(name + "=argument", environment);
    System.setProperty(name, "property");
    Settings settings = Settings.read(name + "=argument", environment);

    // As in the SDK's own configuration, which asks the properties first.
    assertThat(settings.otel(name)).isEqualTo("property");
    assertThat(withoutProperty.otel(name)).isEqualTo("environment");
    assertThat(settings.with(Map.of(name, "user code")).otel(name)).isEqualTo("user code");
    System.clearProperty(name);
    assertThat(Settings.read(name + "=argument", Map.of()).otel(name)).isEqualTo("argument");
    assertThat(Settings.read(null, Map.of()).otel(name)).isNull();
  }

  @Test
  void emptyOtelSetting_isNotSet() {
    Settings settings =
        Settings.read(
            "otel.service.name=a",
            Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "", "OTEL_SERVICE_NAME", ""));
    assertThat(settings.otel("otel.exporter.otlp.endpoint")).isNull();
    assertThat(settings.otel("otel.service.name")).isEqualTo("a");
  }

  @Test
  void otelArguments_areTheArgumentsAndWhatUserCodeSet() {
    Settings settings =
        Settings.read(
                "enabled,otel.service.name=a,otel.traces.sampler=always_on",
                Map.of("OTEL_SERVICE_NAME", "environment"))
            .with(Map.of("otel.service.name", "b", "roll.otel.instance", "i"));
    assertThat(settings.otelArguments())
        .containsExactly(
            Map.of("otel.service.name", "a", "otel.traces.sampler", "always_on"),
            Map.of("otel.service.name", "b"));
  }

  private static Settings fromEnvironment(String name, String value) {
    return Settings.read(null, Map.of("ROLL_OTEL_" + name, value));
  }
}
