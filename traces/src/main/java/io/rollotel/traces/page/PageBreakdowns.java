package io.rollotel.traces.page;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.profile.Activity;
import io.rollotel.traces.profile.Breakdown;
import io.rollotel.traces.profile.RunProfile;
import io.rollotel.traces.profile.SpanProfile;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.spans.IndexSort;
import io.rollotel.traces.spans.SpanRow;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * The activity of threads in single spans, as one column: for the spans with the most self time,
 * and for the spans that the report names. Each entry has its item, the number of activities, and
 * these with their times.
 */
final class PageBreakdowns {

  private static final int MOST = 5_000;

  private final RunProfile profile;
  private final SpanProfile details;
  private final ReportContents contents;
  private final RunAnalysis run;
  private final Spans spans;
  private final PageNumbers numbers;
  private final PageSpans placed;

  /** As {@link PageRun#detailOfRow}. */
  private final IntUnaryOperator detailOfRow;

  private final int most;

  PageBreakdowns(
      RunProfile profile,
      ReportContents contents,
      RunAnalysis run,
      PageNumbers numbers,
      PageSpans placed,
      IntUnaryOperator detailOfRow) {
    this(profile, contents, run, numbers, placed, detailOfRow, MOST);
  }

  PageBreakdowns(
      RunProfile profile,
      ReportContents contents,
      RunAnalysis run,
      PageNumbers numbers,
      PageSpans placed,
      IntUnaryOperator detailOfRow,
      int most) {
    this.profile = profile;
    this.details = profile.of(run);
    this.contents = contents;
    this.run = run;
    this.spans = run.spans();
    this.numbers = numbers;
    this.placed = placed;
    this.detailOfRow = detailOfRow;
    this.most = most;
  }

  void write(JsonRows json) {
    PageBytes column = new PageBytes();
    long before = 0;
    for (int span : chosen().stream().toArray()) {
      int item = placed.item(span);
      column.addSigned(item - before);
      before = item;
      Breakdown own = details.own(span);
      column.add(own.activities().size());
      for (Activity activity : own.activities()) {
        column.add(PageProfile.number(activity));
        column.add(Math.round(own.nanos(activity)));
      }
    }
    json.object(
        "breakdowns",
        () ->
            json.put("most", most)
                .array("workers", () -> workers().forEach(worker -> json.numbers(worker)))
                .put("column", column.base64()));
  }

  /** The places of the spans that have a recording. */
  private IntStream workers() {
    return IntStream.range(0, spans.processes().size())
        .filter(process -> profile.isRecorded(process) && numbers.worker(process) >= 0)
        .map(numbers::worker);
  }

  private BitSet chosen() {
    BitSet chosen = new BitSet();
    long[] own = new long[spans.size()];
    int[] longest = Arrays.stream(run.members()).filter(this::canHaveOne).toArray();
    for (int span : longest) {
      own[span] = details.ownNanos(span);
    }
    IndexSort.sort(longest, (a, b) -> own[a] > own[b]);
    Arrays.stream(longest).limit(most).forEach(chosen::set);
    contents.findings().stream()
        .flatMap(finding -> finding.evidence().stream())
        .mapToInt(SpanRow::number)
        .map(detailOfRow)
        .filter(detail -> detail >= 0 && canHaveOne(detail))
        .forEach(chosen::set);
    run.slowestSpans().stream()
        .mapToInt(Integer::intValue)
        .filter(this::canHaveOne)
        .forEach(chosen::set);
    return chosen;
  }

  /** It has a recording, and is a separate item. */
  private boolean canHaveOne(int span) {
    return profile.isRecorded(spans.process(span))
        && spans.isTimed(span)
        && placed.item(span) >= 0
        && placed.spanCount(placed.item(span)) == 1;
  }
}
