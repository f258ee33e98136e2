package io.rollotel.traces.spans;

import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Numbers the processes and the runs that resources name; spans of one request share one. */
final class ProcessTable implements Serializable {

  private final List<TracedProcess> processes = new ArrayList<>();
  private final Map<TracedProcess.Key, Integer> numbers = new HashMap<>();
  private final StringTable runs;

  private @Nullable Resource lastResource;
  private int lastProcess;
  private int lastRun;

  ProcessTable(StringTable runs) {
    this.runs = runs;
  }

  /** With the numbers that the other has for its processes so far. */
  ProcessTable(ProcessTable of, StringTable runs) {
    this(runs);
    processes.addAll(of.processes);
    numbers.putAll(of.numbers);
  }

  /** Selects the process of a span, to which {@link #process} and {@link #run} then refer. */
  @SuppressWarnings("ReferenceEquality") // an equal one is looked up, which is just slower
  void see(Span span) {
    Resource resource = span.resource();
    if (resource != lastResource) {
      lastResource = resource;
      lastRun = runs.number(Spans.orNoRun(resource.text("roll.run_id")));
      TracedProcess.Key key = TracedProcess.key(resource);
      Integer known = numbers.get(key);
      if (known == null) {
        known = processes.size();
        numbers.put(key, known);
        processes.add(new TracedProcess(key, resource));
      }
      lastProcess = known;
    }
    processes.get(lastProcess).meet(span);
  }

  /** Adds the processes of another that are unknown here. */
  void take(ProcessTable others) {
    for (TracedProcess process : others.processes) {
      Integer known = numbers.get(process.key());
      if (known == null) {
        numbers.put(process.key(), processes.size());
        processes.add(process);
      } else {
        processes.get(known).meet(process);
      }
    }
  }

  int process() {
    return lastProcess;
  }

  int run() {
    return lastRun;
  }

  List<TracedProcess> all() {
    return processes;
  }

  /** The number of a process, -1 if none of its spans was seen. */
  int find(TracedProcess.Key key) {
    return numbers.getOrDefault(key, -1);
  }
}
