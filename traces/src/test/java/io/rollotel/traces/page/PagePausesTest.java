package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.kit.Json;
import io.rollotel.traces.kit.PlantedProfile;
import io.rollotel.traces.profile.Breakdown;
import io.rollotel.traces.profile.Pause;
import io.rollotel.traces.profile.RunProfile;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.spans.SpanRow;
import io.rollotel.traces.spans.Spans;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** What the page has of a profile for single moments and spans: pauses and breakdowns. */
class PagePausesTest {

  private @TempDir Path directory;
  private PageReader page;
  private RunProfile profile;
  private ReportContents contents;
  private RunAnalysis run;
  private Spans spans;
  private PageSpans placed;
  private PageNumbers numbers;

  @BeforeEach
  void read() throws Exception {
    PlantedProfile.slowByGarbage(directory);
    HtmlPage html = HtmlPage.read(List.of(directory), ReportOptions.latestRun());
    page = new PageReader(html);
    profile = html.report().profile();
    contents = html.report().contents();
    run = html.report().analysis();
    spans = run.spans();
    placed = new PageSpans(run, 1000);
    numbers = new PageNumbers(contents, placed, 1000);
  }

  /** The pauses of all processes, which have one recording, as far as they are in the run. */
  private List<Pause> pauses() {
    List<Pause> found = new ArrayList<>();
    long end = run.startEpochNanos() + run.wallNanos();
    for (int process = 0; process < spans.processes().size(); process++) {
      for (Pause pause : profile.pauses(process)) {
        if (pause.endEpochNanos() > run.startEpochNanos() && pause.startEpochNanos() < end) {
          found.add(pause);
        }
      }
    }
    return found;
  }

  private Map<?, ?> written(Consumer<JsonRows> what) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      what.accept(new JsonRows(json));
      json.writeEndObject();
    }
    return (Map<?, ?>) Json.parse(text.toString());
  }

  @Test
  void pausesOfEachWorker_areOnThePage() {
    List<Pause> expected = pauses();
    assertThat(expected).hasSizeGreaterThan(5);
    assertThat(PageReader.pauses(page.report))
        .extracting(pause -> pause.endNanos() - pause.startNanos())
        .containsExactlyInAnyOrderElementsOf(expected.stream().map(Pause::nanos).toList());
    long start = run.startEpochNanos();
    assertThat(PageReader.pauses(page.report))
        .extracting(pause -> start + pause.startNanos())
        .containsExactlyInAnyOrderElementsOf(
            expected.stream().map(Pause::startEpochNanos).toList());
    assertThat(PageReader.pauses(page.report))
        .extracting(PageReader.PausedWorker::worker)
        .contains(0, 1, 2);
  }

  @Tag("campaign")
  @Test
  void morePausesThanMayBe_leaveTheLongest() {
    List<Pause> all = pauses();
    PagePauses three = new PagePauses(profile, run.totals(), numbers, 3);
    Map<?, ?> report = written(three::write);
    Map<?, ?> json = (Map<?, ?>) report.get("pauses");
    assertThat(PageReader.number(json.get("count"))).isEqualTo(3);
    assertThat(PageReader.number(json.get("leftOut"))).isEqualTo(all.size() - 3);
    List<Long> longest =
        all.stream().map(Pause::nanos).sorted(Comparator.reverseOrder()).limit(3).toList();
    assertThat(PageReader.pauses(report))
        .extracting(pause -> pause.endNanos() - pause.startNanos())
        .containsExactlyInAnyOrderElementsOf(longest);
  }

  @Test
  void breakdownsOfSpans_areOnThePageAndAddUp() {
    assertThat(PageReader.breakdowns(page.report)).hasSize(run.members().length);
    for (int span : run.members()) {
      Map<Integer, Long> own = PageReader.breakdowns(page.report).get(placed.item(span));
      Breakdown expected = profile.spans().own(span);
      assertThat(own)
          .hasSameSizeAs(expected.activities())
          .containsEntry(
              PageProfile.number(expected.activities().get(0)),
              Math.round(expected.nanos(expected.activities().get(0))));
      assertThat(own.values().stream().mapToLong(Long::longValue).sum())
          .isBetween(profile.spans().ownNanos(span) - 12, profile.spans().ownNanos(span) + 12);
    }
  }

  @Test
  void moreBreakdownsThanMayBe_leaveTheLongestAndThoseThatTheReportNames() {
    PageBreakdowns two = new PageBreakdowns(profile, contents, run, numbers, placed, row -> row, 2);
    List<Integer> items = List.copyOf(PageReader.breakdowns(written(two::write)).keySet());
    List<Integer> named = new ArrayList<>(run.slowestSpans());
    contents.findings().stream()
        .flatMap(finding -> finding.evidence().stream())
        .map(SpanRow::number)
        .forEach(named::add);
    Arrays.stream(run.members())
        .boxed()
        .sorted(Comparator.comparingLong(profile.spans()::ownNanos).reversed())
        .limit(2)
        .forEach(named::add);
    assertThat(items)
        .containsExactlyInAnyOrderElementsOf(named.stream().map(placed::item).distinct().toList());
  }

  @Test
  void runWithoutAProfile_hasNeither() throws Exception {
    PageReader plain =
        new PageReader(PlantedRun.page(PlantedRun.steps(), ReportOptions.latestRun()));
    assertThat(plain.report.containsKey("pauses")).isFalse();
    assertThat(plain.report.containsKey("breakdowns")).isFalse();
  }
}
