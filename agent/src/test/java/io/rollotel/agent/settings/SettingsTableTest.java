package io.rollotel.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.settings.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of all settings, and the document generated from it. */
class SettingsTableTest {

  private static final Path DOCUMENT = Path.of("..", "docs", "configuration.md");
  private static final String BEGIN = "<!-- settings: made of SettingsTable -->\n";
  private static final String END = "<!-- end of settings -->\n";

  static List<Setting<?>> all() {
    return SettingsTable.all();
  }

  @ParameterizedTest
  @MethodSource("all")
  <T> void default_isUnderstoodByItsOwnParser(Setting<T> setting) {
    List<String> complaints = new ArrayList<>();
    String shown = setting.shownDefault();
    if (shown.startsWith("`")) {
      assertThat(setting.read(shown.replace("`", ""), complaints)).isNotNull();
      assertThat(complaints).isEmpty();
    }
    T value = setting.defaultValue();
    if (value != null) {
      assertThat(shown).as("shown").isNotEmpty();
      assertThat(setting.read(setting.shown(value), complaints)).isEqualTo(value);
      assertThat(complaints).isEmpty();
    }
  }

  @Test
  void names_areUniqueAndEachIsDocumented() {
    assertThat(all()).extracting(Setting::name).doesNotHaveDuplicates();
    assertThat(all().get(0).meaning()).isNotEqualTo(Setting.AS_ABOVE);
    assertThat(all()).allMatch(setting -> !setting.readers().isEmpty());
    assertThat(rows()).allMatch(row -> !row.get(0).meaning().isBlank());
  }

  @Test
  void settingsForWorkers_areTheseAndNoOthers() {
    assertThat(all())
        .filteredOn(Setting::isForWorkers)
        .extracting(Setting::name)
        .containsExactlyInAnyOrder(
            "ATTRIBUTE_LENGTH",
            "BAGGAGE_ATTRIBUTES",
            "EXCEPTION_LENGTH",
            "EXEC",
            "EXIT_TIMEOUT",
            "EXPORTER",
            "LOG",
            "LOG_CORRELATION",
            "METHODS",
            "NO_CONTEXT",
            "PROFILE",
            "PROFILE_BYTES",
            "RAY",
            "RECORDER_BYTES",
            "REPLAY",
            "RUNS_CONTENT",
            "RUNS_ENABLED",
            "RUN_BYTES",
            "STARTUP_HOOK",
            "THREADS",
            "TRACE_URL_TEMPLATE",
            "UI");
  }

  @ParameterizedTest
  @CsvSource({
    "ENABLE, ENABLED",
    "OUTPUTDIR, OUTPUT_DIR",
    "GRPCPORT, GRPC_PORT",
    "FSINC, FSYNC",
    "RUN_ENABLED, RUNS_ENABLED",
    "'', UI"
  })
  void nearestName_isOfTheWholeTable(String misspelt, String nearest) {
    assertThat(SettingsTable.knows(misspelt)).isFalse();
    assertThat(SettingsTable.knows(nearest)).isTrue();
    assertThat(SettingsTable.nearest(misspelt)).isEqualTo(nearest);
  }

  @ParameterizedTest
  @ValueSource(strings = {"X", "ERSION", "Q"})
  void nameLikeNoOther_hasNone(String misspelt) {
    assertThat(SettingsTable.nearest(misspelt)).isNull();
  }

  @Test
  void document_hasTheTable() throws IOException {
    String document = Files.readString(DOCUMENT);
    int begin = document.indexOf(BEGIN) + BEGIN.length();
    int end = document.indexOf(END);
    if (Boolean.getBoolean("document.update")) {
      Files.writeString(
          DOCUMENT, document.substring(0, begin) + markdown() + document.substring(end));
      return;
    }
    assertThat(document.substring(begin, end))
        .as(
            "docs/configuration.md is not what SettingsTable says; mvn -pl agent -am test"
                + " -Dtest=SettingsTableTest -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Ddocument.update=true writes it anew")
        .isEqualTo(markdown());
  }

  private static String markdown() {
    StringBuilder markdown = new StringBuilder();
    markdown.append("| setting | default | read by | meaning |\n|---|---|---|---|\n");
    for (List<Setting<?>> row : rows()) {
      String rest =
          row.stream()
              .skip(1)
              .map(next -> ", `_" + next.name() + "`")
              .collect(Collectors.joining());
      markdown.append("| `").append(row.get(0)).append('`').append(rest);
      markdown.append(" | ").append(joined(row.stream().map(Setting::shownDefault)));
      markdown.append(" | ");
      markdown.append(joined(row.get(0).readers().stream().map(Setting.Reader::label)));
      markdown.append(" | ").append(row.get(0).meaning()).append(" |\n");
    }
    return markdown
        .append("\nOn Ray, a driver passes its settings on to its workers, except ")
        .append(
            joined(
                all().stream()
                    .filter(setting -> !setting.isForWorkers())
                    .map(setting -> "`" + setting.name() + "`")))
        .append(".\n")
        .toString()
        .replace("|  |", "| |");
  }

  private static String joined(Stream<String> parts) {
    return parts.collect(Collectors.joining(", "));
  }

  /** Settings that share a row of the document. */
  private static List<List<Setting<?>>> rows() {
    List<List<Setting<?>>> rows = new ArrayList<>();
    for (Setting<?> setting : all()) {
      if (!setting.meaning().equals(Setting.AS_ABOVE)) {
        rows.add(new ArrayList<>());
      }
      rows.get(rows.size() - 1).add(setting);
    }
    return rows;
  }
}
