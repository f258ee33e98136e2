package io.rollotel.traces.page;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;

/**
 * The page's spans that have not ended: items of the timeline that follow the others. Where there
 * are too many, those that have been open longest.
 */
final class PageOpen {

  private static final int MOST = 500;
  private static final int MOST_PROCESSES = 1000;
  private static final int TEXT = 200;

  /** One of them, and the place of its process among those on the page. */
  private record OpenItem(int process, OpenSpan span, long ageNanos) {}

  private final RunAnalysis run;
  private final List<Recording> processes;
  private final List<OpenItem> shown = new ArrayList<>();
  private final Map<String, Integer> items = new HashMap<>();
  private final int count;
  private final int[] nameNumbers;
  private final int[] workerNumbers;

  PageOpen(
      RunAnalysis run, PageSpans placed, OpenSpans open, int[] nameNumbers, int[] workerNumbers) {
    this.run = run;
    this.nameNumbers = nameNumbers;
    this.workerNumbers = workerNumbers;
    this.processes =
        open.processes().stream()
            .filter(recording -> !recording.open().isEmpty())
            .limit(MOST_PROCESSES)
            .toList();
    this.count = open.processes().stream().mapToInt(recording -> recording.open().size()).sum();
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
      items.put(span.traceId() + span.spanId(), placed.items() + i);
    }
  }

  /** The item of a span's parent that has not ended, -1 where there is none. */
  int parentItem(int span) {
    return items.isEmpty()
        ? -1
        : items.getOrDefault(run.spans().traceIdOf(span) + run.spans().parentSpanId(span), -1);
  }

  void write(JsonGenerator json) {
    json.writeObjectPropertyStart("open");
    json.writeNumberProperty("count", count);
    json.writeNumberProperty("parents", parents());
    json.writeArrayPropertyStart("processes");
    processes.forEach(recording -> process(json, recording));
    json.writeEndArray();
    json.writeArrayPropertyStart("spans");
    shown.forEach(one -> span(json, one));
    json.writeEndArray();
    json.writeEndObject();
  }

  /** Of how many spans the parent is one of these. */
  private int parents() {
    int parents = 0;
    for (int span : run.members()) {
      if (run.tree().parent(span) == SpanTree.UNKNOWN && parentItem(span) >= 0) {
        parents++;
      }
    }
    return parents;
  }

  private void process(JsonGenerator json, Recording recording) {
    TracedProcess process =
        new TracedProcess(TracedProcess.key(recording.resource()), recording.resource());
    json.writeStartObject();
    json.writeNumberProperty("worker", worker(recording));
    json.writeStringProperty("service", PageTags.cut(process.serviceName(), TEXT));
    json.writeStringProperty("instance", PageTags.cut(process.instanceId(), TEXT));
    json.writeStringProperty("rank", PageTags.cut(process.rank(), TEXT));
    json.writeStringProperty("host", PageTags.cut(process.host(), TEXT));
    json.writeNumberProperty("pid", recording.pid());
    json.writeBooleanProperty("alive", recording.isAlive());
    json.writeNumberProperty("lastSign", recording.lastSignEpochNanos() - run.startEpochNanos());
    json.writeEndObject();
  }

  /** The worker's number, -1 where no span of it has ended. */
  private int worker(Recording recording) {
    int number = run.spans().findProcess(TracedProcess.key(recording.resource()));
    boolean isWorker =
        run.workers().all().stream().anyMatch(worker -> worker.processNumber() == number);
    return isWorker ? workerNumbers[number] : -1;
  }

  /** Name, its number or -1, process, start, age, trace, span, parent, thread. */
  private void span(JsonGenerator json, OpenItem one) {
    OpenSpan span = one.span;
    int name = run.spans().names().find(span.name());
    json.writeStartArray();
    json.writeString(PageTags.cut(span.name(), TEXT));
    json.writeNumber(name < 0 ? -1 : nameNumbers[name]);
    json.writeNumber(one.process);
    json.writeNumber(span.startEpochNanos() - run.startEpochNanos());
    json.writeNumber(one.ageNanos);
    json.writeString(span.traceId());
    json.writeString(span.spanId());
    json.writeNumber(items.getOrDefault(span.traceId() + span.parentSpanId(), -1));
    json.writeNumber(span.threadId());
    json.writeEndArray();
  }
}
