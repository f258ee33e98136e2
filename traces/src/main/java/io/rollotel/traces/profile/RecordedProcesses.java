package io.rollotel.traces.profile;

import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.Workers;
import io.rollotel.traces.spans.Spans;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The recordings of a run's processes. For any thread. */
final class RecordedProcesses {

  final Stacks stacks = new Stacks();
  private final @Nullable ProcessActivity[] processes;

  /** For each process, how far its spans' times are behind its recording's. */
  private final long[] behindNanos;

  private final List<String> problems = new ArrayList<>();
  private int recorded;
  private int files;

  /** Reads the recordings of a run. */
  RecordedProcesses(RunTotals run, ProfileFiles found) {
    Spans spans = run.spans();
    this.processes = new ProcessActivity[spans.processes().size()];
    this.behindNanos = new long[processes.length];
    for (Workers.Worker worker : run.workers().all()) {
      List<Path> ofProcess = found.of(worker.process(), run);
      if (!ofProcess.isEmpty()) {
        ProcessActivity activity = new ProcessActivity(stacks);
        read(ofProcess, activity);
        activity.seal();
        int process = worker.processNumber();
        processes[process] = activity;
        behindNanos[process] =
            run.clocks().shiftNanos(worker.process().host()) - activity.clockNanos();
        recorded++;
      }
    }
  }

  private void read(List<Path> ofProcess, ProcessActivity activity) {
    RecordingReader reader = new RecordingReader(stacks, activity);
    for (Path file : ofProcess) {
      String problem = reader.read(file);
      files++;
      if (problem != null) {
        problems.add(file + ": " + problem);
      }
    }
  }

  /** Files that could be read only in part, and why. */
  List<String> problems() {
    return problems;
  }

  /** How many processes have a recording. */
  int count() {
    return recorded;
  }

  /** The total number of their files. */
  int files() {
    return files;
  }

  /** The recording of a process; null if there is none. */
  @Nullable ProcessActivity get(int process) {
    return process < processes.length ? processes[process] : null;
  }

  /** How far the times of a process's spans are behind its recording's. */
  long behindNanos(int process) {
    return behindNanos[process];
  }
}
