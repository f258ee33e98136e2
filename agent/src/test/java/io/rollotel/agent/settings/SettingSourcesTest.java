package io.rollotel.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which source wins, and when each is read. */
class SettingSourcesTest extends SettingsFixture {

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

  @Test
  void environment_givesOtherVariables() {
    assertThat(Settings.read(null, Map.of("RANK", "3")).environment("RANK")).isEqualTo("3");
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
}
