package io.rollotel.traces.page;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.otlp.HexIds;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.report.JsonRows;
import io.rollotel.traces.report.ReportContents;
import io.rollotel.traces.spans.CallNames;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The page's spans that have not ended: items of the timeline that follow the others. If there are
 * too many, those that have been open longest.
 */
final class PageOpen {

  private static final int MOST = 500;
  private static final int MOST_PROCESSES = 1000;
  private static final int TEXT = 200;

  /** One of them, and the place of its process among those on the page. */
  private record OpenItem(int process, OpenSpan span, long ageNanos) {}

  private final ReportContents contents;
  private final Spans names;
  private final PageNumbers numbers;
  private final List<Recording> processes;
  private final List<OpenItem> shown = new ArrayList<>();
  private final Map<String, Integer> items = new HashMap<>();
  private final int count;

  /**
   * Chooses the open spans of a page.
   *
   * @param firstItem the number of the first of these items
   */
  PageOpen(ReportContents contents, PageNumbers numbers, int firstItem) {
    this.contents = contents;
    this.names = contents.totals().spans();
    this.numbers = numbers;
    OpenSpans open = contents.open();
    this.processes =
        open.processes().stream()
            .filter(recording -> !recording.open().isEmpty())
            .limit(MOST_PROCESSES)
            .toList();
    this.count = open.rows().size();
    for (int i = 0; i < processes.size(); i++) {
      for (OpenSpan span : processes.get(i).open()) {
        shown.add(new OpenItem(i, span, processes.get(i).ageNanos(span)));
      }
    }
    shown.sort(Comparator.comparingLong(OpenItem::ageNanos).reversed());
    shown.subList(Math.min(MOST, shown.size()), shown.size()).clear();
    shown.sort(
        Comparator.comparingInt(OpenItem::process)
            .thenComparingLong(one -> one.span.startEpochNanos()));
    for (int i = 0; i < shown.size(); i++) {
      OpenSpan span = shown.get(i).span;
      items.put(span.traceId() + span.spanId(), firstItem + i);
    }
  }

  /** The item of a span's parent that has not ended, -1 if there is none. */
  int parentItem(Spans spans, int span) {
    return items.isEmpty()
        ? -1
        : items.getOrDefault(spans.traceIdOf(span) + spans.parentSpanId(span), -1);
  }

  /**
   * Writes them.
   *
   * @param run the page's, which has the parents that have ended
   */
  void write(JsonRows json, PageRun run) {
    Map<String, Integer> ended = endedParents(run);
    json.object(
        "open",
        () ->
            json.put("count", count)
                .put("parents", run.openParents())
                .rows("processes", processes, recording -> process(json, recording))
                .array(
                    "spans",
                    () -> shown.forEach(item -> json.arrayElement(() -> span(json, item, ended)))));
  }

  /** Spans that may be the parents of others. */
  Parents parents() {
    return new Parents(Set.copyOf(items.keySet()));
  }

  /**
   * Spans that have not ended.
   *
   * @param ids the trace id and the span id of each
   */
  record Parents(Set<String> ids) implements Serializable {
    /** How many spans have one of these as parent. */
    long count(RunAnalysis of) {
      SpanTree tree = of.tree();
      Spans spans = of.spans();
      return ids.isEmpty()
          ? 0
          : Arrays.stream(of.members())
              .filter(span -> tree.parent(span) == SpanTree.UNKNOWN)
              .filter(span -> ids.contains(spans.traceIdOf(span) + spans.parentSpanId(span)))
              .count();
    }
  }

  private void process(JsonRows json, Recording recording) {
    TracedProcess process = OpenSpans.process(recording);
    int number = names.findProcess(TracedProcess.key(recording.resource()));
    json.put("worker", numbers.worker(number))
        .put("service", PageTags.cut(process.serviceName(), TEXT))
        .put("instance", PageTags.cut(process.instanceId(), TEXT))
        .put("rank", PageTags.cut(process.rank(), TEXT))
        .put("host", PageTags.cut(process.host(), TEXT))
        .put("pid", recording.pid())
        .put("alive", recording.isAlive())
        .put("exited", recording.hasExited())
        .put("lastSign", sinceStart(recording, recording.lastSignEpochNanos()));
  }

  /** By the clock of the timeline. */
  private long sinceStart(Recording recording, long epochNanos) {
    String host = OpenSpans.process(recording).host();
    return epochNanos - contents.clocks().shiftNanos(host) - contents.header().startEpochNanos();
  }

  /** Name, its number or -1, process, start, age, trace, span, parent, thread. */
  private void span(JsonRows json, OpenItem item, Map<String, Integer> ended) {
    OpenSpan span = item.span;
    int name = names.findName(span.name());
    json.text(PageTags.cut(CallNames.called(span.name()), TEXT));
    json.numbers(
        name < 0 ? -1 : numbers.name(name),
        item.process,
        sinceStart(processes.get(item.process), span.startEpochNanos()),
        item.ageNanos);
    json.text(span.traceId());
    json.text(span.spanId());
    String parent = span.traceId() + span.parentSpanId();
    json.numbers(items.getOrDefault(parent, ended.getOrDefault(parent, -1)), span.threadId());
  }

  /** The items of parents that have ended: a process that died leaves calls open below them. */
  private Map<String, Integer> endedParents(PageRun run) {
    Set<Long> wanted = new HashSet<>();
    for (OpenItem item : shown) {
      if (!item.span.parentSpanId().isEmpty()) {
        wanted.add(HexIds.toLong(item.span.parentSpanId()));
      }
    }
    Map<String, Integer> found = new HashMap<>();
    Spans spans = run.details().spans();
    for (int row : wanted.isEmpty() ? new int[0] : run.details().members()) {
      if (wanted.contains(spans.id(row))) {
        found.put(spans.traceIdOf(row) + spans.spanId(row), run.placed().item(row));
      }
    }
    return found;
  }
}
