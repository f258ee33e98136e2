package io.rollotel.traces.page;

import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportContents;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The page's steps over time: bars of one step each, or of several where there are many. */
final class PageSteps {

  /** How many phases of the run are shown as parts of every bar. */
  private static final int PHASES = 12;

  /** How many others a bar names, its longest ones. */
  private static final int OTHER_PHASES = 3;

  private final ReportContents contents;
  private final PageNumbers numbers;
  private final PageLimits limits;
  private final JsonRows json;
  private final List<Steps.Step> steps;

  /** The names of the run's longest phases. */
  private final Set<Integer> longestPhases;

  PageSteps(ReportContents contents, PageNumbers numbers, PageLimits limits, JsonRows json) {
    this.contents = contents;
    this.numbers = numbers;
    this.limits = limits;
    this.json = json;
    this.steps = contents.steps().all();
    this.longestPhases =
        contents.steps().phases().stream()
            .limit(PHASES)
            .map(phase -> phase.name().number())
            .collect(Collectors.toSet());
  }

  void write() {
    ReportContents.StepSummary times = contents.steps();
    json.object(
        "steps",
        () -> {
          long leftOut = contents.totals().steps().leftOut();
          if (leftOut > 0) {
            json.put("leftOut", leftOut);
          }
          json.put("areTraces", times.areTraces())
              .put("virtual", times.virtual())
              .put("count", times.count())
              .put("wall", times.wallNanos())
              .put("rest", times.unattributedNanos())
              .put("median", times.medianNanos())
              .put("perMinute", times.perMinute())
              .put("overlap", times.areOverlapping())
              .put("extent", times.overlap().extentNanos())
              .put("atOnce", times.overlap().mostAtOnce())
              .rows("phases", times.phases().stream().limit(10L * PHASES).toList(), this::phase)
              .put("together", perBar(steps.size(), limits))
              .rows("bars", groups(steps, limits), this::bar)
              .rows("slowest", times.slowest(), step -> bar(List.of(step)));
          ReportContents.BetweenSteps between = contents.between();
          if (between != null && between.isMuch()) {
            json.object(
                "between",
                () ->
                    json.put("nanos", between.nanos())
                        .put("share", between.share())
                        .rows(
                            "work",
                            between.most(),
                            row ->
                                json.put("name", numbers.name(row.name().number()))
                                    .put("nanos", row.totalNanos())));
          }
          Steps.PhaseTime why = times.whySlowest();
          if (why != null) {
            json.object(
                "whySlowest",
                () -> json.put("name", numbers.name(why.name())).put("nanos", why.nanos()));
          }
        });
  }

  /** How many consecutive steps form one bar, so that there are not too many bars. */
  static int perBar(int steps, PageLimits limits) {
    return Math.max(1, (steps + limits.steps() - 1) / limits.steps());
  }

  /** The steps of each bar. */
  static List<List<Steps.Step>> groups(List<Steps.Step> steps, PageLimits limits) {
    int size = perBar(steps.size(), limits);
    List<List<Steps.Step>> groups = new ArrayList<>();
    for (int from = 0; from < steps.size(); from += size) {
      groups.add(steps.subList(from, Math.min(steps.size(), from + size)));
    }
    return groups;
  }

  private void phase(ReportContents.PhaseRow phase) {
    json.put("name", numbers.name(phase.name().number()))
        .put("steps", phase.steps())
        .put("total", phase.totalNanos())
        .put("p50", phase.medianNanos())
        .put("max", phase.maxNanos());
  }

  /** The first of the longest. */
  static Steps.Step longest(List<Steps.Step> together) {
    Steps.Step longest = together.get(0);
    for (Steps.Step step : together) {
      longest = step.wallNanos() > longest.wallNanos() ? step : longest;
    }
    return longest;
  }

  /** The steps of a bar added up; its label and its item are the longest one's. */
  private void bar(List<Steps.Step> together) {
    Map<Integer, Long> phases = new HashMap<>();
    Steps.Step longest = longest(together);
    long wallNanos = 0;
    long restNanos = 0;
    for (Steps.Step step : together) {
      wallNanos += step.wallNanos();
      restNanos += step.restNanos();
      step.phases().forEach(phase -> phases.merge(phase.name(), phase.nanos(), Long::sum));
    }
    int[] others = {0};
    long start = contents.span(together.get(0).span()).startEpochNanos();
    json.put("label", PageTags.cut(longest.label(), 40))
        .put("item", numbers.item(longest.span()))
        .put("start", start - contents.header().startEpochNanos())
        .put("steps", together.size())
        .put("wall", wallNanos)
        .put("rest", restNanos)
        .array(
            "phases",
            () ->
                phases.entrySet().stream()
                    .sorted(Map.Entry.<Integer, Long>comparingByValue().reversed())
                    .filter(
                        phase ->
                            longestPhases.contains(phase.getKey()) || others[0]++ < OTHER_PHASES)
                    .forEach(
                        phase -> json.numbers(numbers.name(phase.getKey()), phase.getValue())));
  }
}
