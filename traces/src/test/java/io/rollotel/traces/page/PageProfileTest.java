package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.PlantedProfile;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.LargeRuns;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.RunReport;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** What the page has of a profile, of a run whose recordings Flight Recorder has made here. */
class PageProfileTest {

  private static final List<String> LEFT_OUT = List.of("leftOut", "linesLeftOut", "stepsLeftOut");

  private @TempDir Path directory;

  @BeforeEach
  void plant() throws Exception {
    PlantedProfile.burning(directory, "burning");
  }

  private Map<?, ?> profile(int calls) throws Exception {
    RunReport report = RunReport.read(List.of(directory), ReportOptions.latestRun());
    ReportContents contents = report.contents();
    PageNumbers numbers = new PageNumbers(contents, new PageSpans(report.analysis(), 1000), 100);
    PageLimits limits = new PageLimits(0, 0, 1000, 100, 100, calls, 100, 100, 0);
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      new PageProfile(contents.profile(), contents, numbers, limits)
          .write(new JsonRows(json), null);
      json.writeEndObject();
    }
    return (Map<?, ?>) ((Map<?, ?>) Json.parse(text.toString())).get("profile");
  }

  private static int nodes(Map<?, ?> profile) {
    return ((List<?>) profile.get("names"))
        .stream().mapToInt(row -> ((List<?>) ((Map<?, ?>) row).get("nodes")).size() / 4).sum();
  }

  @Test
  void profileThatFits_hasItsMethodsLinesAndSteps() throws Exception {
    Map<?, ?> profile = profile(4000);
    assertThat(LEFT_OUT).allSatisfy(key -> assertThat(profile.get(key)).isEqualTo(false));
    assertThat(profile.get("byStep")).asString().isNotEmpty();
    assertThat(nodes(profile)).isGreaterThan(2);
  }

  @Test
  void profileForWhichThereIsNoRoom_isLeftOutAndThatIsSaid() throws Exception {
    Map<?, ?> profile = profile(0);
    assertThat(LEFT_OUT).allSatisfy(key -> assertThat(profile.get(key)).isEqualTo(true));
    assertThat(profile.get("byStep")).isNull();
    assertThat(nodes(profile)).isZero();
  }

  /** Steps cannot be read alone. Their positions among the bytes of the page do not matter. */
  private static Map<String, Object> withoutSteps(PageReader page) {
    Map<String, Object> profile = new TreeMap<>();
    ((Map<?, ?>) page.report.get("profile"))
        .forEach((key, value) -> profile.put(key.toString(), value));
    profile.remove("byStep");
    profile.remove("stepsLeftOut");
    return profile;
  }

  @Tag("campaign")
  @Test
  void pageOfARunInParts_hasTheSameProfileWithoutSteps() throws Exception {
    Path run = Files.createDirectory(directory.resolve("garbage"));
    PlantedProfile.slowByGarbage(run);
    ReportOptions options = ReportOptions.latestRun();
    PageReader whole = new PageReader(HtmlPage.read(List.of(run), options));
    try (LargeRuns runs =
        LargeRuns.read(
            List.of(run),
            options,
            LargeRuns.Purpose.PAGE,
            directory.resolve("cache"),
            () -> options.progress(),
            note -> {})) {
      PageReader parts = new PageReader(HtmlPage.ofParts(runs.report(), options));
      assertThat(withoutSteps(parts)).isEqualTo(withoutSteps(whole));
      assertThat(((Map<?, ?>) parts.report.get("profile")).get("stepsLeftOut")).isEqualTo(true);
      assertThat(PageReader.pauses(parts.report)).isEqualTo(PageReader.pauses(whole.report));
      assertThat(PageReader.breakdowns(parts.report))
          .isEqualTo(PageReader.breakdowns(whole.report))
          .isNotEmpty();
    }
  }
}
