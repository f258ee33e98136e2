package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import io.rollotel.traces.spans.TracedProcess;
import java.io.Serializable;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The sums of some spans of a run. Both ends of a call count separately here. The sums of parts of
 * a run add up to those of the whole.
 */
public final class SelectedSpans implements Serializable {

  /**
   * The spans of one name, or of one process.
   *
   * @param number of the name or the process
   */
  public record Group(int number, NameTotals totals) {}

  /**
   * Facts about a run that is read in parts.
   *
   * @param numbers no spans, but the numbers of all names and processes
   */
  public record Frame(Spans numbers, int mostExact) implements Serializable {

    public Frame(RunTotals run) {
      this(Spans.withNumbersOf(run.spans()), run.mostExact());
    }

    /** No spans yet. */
    public SelectedSpans none() {
      return new SelectedSpans(Spans.withNumbersOf(numbers), mostExact);
    }
  }

  private final Spans spans;

  /** If there are more durations of a kind than this, their percentiles are estimated. */
  private final int mostExact;

  private final NameTotals all = new NameTotals("");
  private final Map<Integer, NameTotals> names = new HashMap<>();
  private final Map<Integer, NameTotals> workers = new HashMap<>();
  private final SlowestSpans slowest;
  private long count;
  private long spansOfRun;

  private SelectedSpans(Spans spans, int mostExact) {
    this.spans = spans;
    this.mostExact = mostExact;
    this.slowest = new SlowestSpans(spans);
  }

  /** Adds up those of a run's spans, or of a part's, whose numbers are given. */
  public static SelectedSpans of(RunAnalysis run, BitSet selected) {
    SelectedSpans sums = new SelectedSpans(run.spans(), Integer.MAX_VALUE);
    sums.spansOfRun = run.members().length;
    for (int span = selected.nextSetBit(0); span >= 0; span = selected.nextSetBit(span + 1)) {
      sums.see(span);
    }
    return sums;
  }

  private void see(int span) {
    count++;
    for (NameTotals totals :
        List.of(
            all,
            names.computeIfAbsent(spans.name(span), number -> new NameTotals("")),
            workers.computeIfAbsent(spans.process(span), number -> new NameTotals("")))) {
      totals.add(spans.weight(span), spans.nanos(span), 0, spans.isError(span));
    }
    slowest.add(span);
  }

  /** Adds those of other traces of the run. */
  public void add(SelectedSpans part) {
    count += part.count;
    spansOfRun += part.spansOfRun;
    all.add(part.all, mostExact);
    NameTotals.addAll(names, part.names, mostExact);
    NameTotals.addAll(workers, part.workers, mostExact);
    slowest.add(part.slowest, new RowCopies(part.spans, spans));
  }

  /** The spans that the numbers refer to. */
  public Spans spans() {
    return spans;
  }

  /** How many were read. */
  public long count() {
    return count;
  }

  /** How many the run has. */
  public long spansOfRun() {
    return spansOfRun;
  }

  /** All spans together. */
  public NameTotals all() {
    return all;
  }

  /** By name, the one with the most time first. */
  public List<Group> names() {
    return groups(names, Comparator.comparing(group -> spans.names().text(group.number)));
  }

  /** By process, the one with the most time first. */
  public List<Group> workers() {
    return groups(
        workers,
        Comparator.comparing(group -> spans.processes().get(group.number), TracedProcess.ORDER));
  }

  private static List<Group> groups(Map<Integer, NameTotals> totals, Comparator<Group> ofEqual) {
    return totals.entrySet().stream()
        .map(entry -> new Group(entry.getKey(), entry.getValue()))
        .sorted(
            Comparator.<Group>comparingLong(group -> group.totals.totalNanos())
                .reversed()
                .thenComparing(ofEqual))
        .toList();
  }

  /** The longest first. */
  public List<Integer> slowest() {
    return slowest.all();
  }
}
