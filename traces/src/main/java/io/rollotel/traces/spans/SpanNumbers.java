package io.rollotel.traces.spans;

import java.io.Serializable;

/**
 * What the numbers of names, processes and runs in the columns of spans mean. They mean the same in
 * all parts of a run, and in their sums, if the parts begin with the same numbers.
 */
final class SpanNumbers implements Serializable {

  private final StringTable recordedNames;
  private final StringTable runs;
  private final ProcessTable processes;

  /** Only the run without an id has a number. */
  SpanNumbers() {
    this.recordedNames = new StringTable();
    this.runs = new StringTable();
    this.processes = new ProcessTable(runs);
    runs.number(Spans.NO_RUN_ID);
  }

  /** A copy, which gives further numbers of its own. */
  SpanNumbers(SpanNumbers others) {
    this.recordedNames = new StringTable(others.recordedNames);
    this.runs = new StringTable(others.runs);
    this.processes = new ProcessTable(others.processes, runs);
  }

  /** Also gives numbers to what has one among the others. */
  void take(SpanNumbers others) {
    for (int i = 0; i < others.recordedNames.size(); i++) {
      recordedNames.number(others.recordedNames.text(i));
    }
    for (int i = 0; i < others.runs.size(); i++) {
      runs.number(others.runs.text(i));
    }
    processes.take(others.processes);
  }

  /** Whether nothing has a number in only one of both, given that one began with the other's. */
  boolean areThoseOf(SpanNumbers others) {
    return recordedNames.size() == others.recordedNames.size()
        && runs.size() == others.runs.size()
        && processes.all().size() == others.processes.all().size();
  }

  /** As they are in the files. */
  StringTable recordedNames() {
    return recordedNames;
  }

  StringTable runs() {
    return runs;
  }

  ProcessTable processes() {
    return processes;
  }
}
