package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.BitSet;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The traces whose ids begin with some digits: a few of those of one run, and their number. */
public final class FoundTraces {

  /** How many are named. */
  private static final int NAMED = 4;

  private final String prefix;
  private final int run;
  private final SortedSet<String> first = new TreeSet<>();
  private int count;
  private @Nullable String otherRun;

  /**
   * None yet.
   *
   * @param prefix the first digits, or all
   * @param run the number of the run
   */
  FoundTraces(String prefix, int run) {
    this.prefix = prefix;
    this.run = run;
  }

  /** Those of a run; the spans are those of all runs. */
  public static FoundTraces of(Spans spans, String prefix, int run) {
    FoundTraces found = new FoundTraces(prefix, run);
    found.look(spans);
    return found;
  }

  /** Adds those of some spans, whose traces have no others. */
  void look(Spans spans) {
    BitSet seen = new BitSet(spans.traces());
    for (int i = 0; i < spans.size(); i++) {
      int trace = spans.trace(i);
      if (seen.get(trace) || spans.isVirtual(i)) {
        continue;
      }
      seen.set(trace);
      String id = spans.traceId(trace);
      if (!id.startsWith(prefix)) {
        continue;
      }
      if (spans.run(i) == run) {
        count++;
        first.add(id);
        if (first.size() > NAMED) {
          first.remove(first.last());
        }
      } else {
        otherRun = spans.runs().text(spans.run(i));
      }
    }
  }

  /** Whether the run has none. */
  public boolean isEmpty() {
    return count == 0;
  }

  /** The lowest id, which is shown. */
  public String id() {
    return first.first();
  }

  /** How many others the run has. */
  public int others() {
    return count - 1;
  }

  /** Some of the others. */
  public SortedSet<String> otherIds() {
    return Collections.unmodifiableSortedSet(first.tailSet(id() + "\0"));
  }

  /** Another run that has one; null if there is none. */
  public @Nullable String otherRun() {
    return otherRun;
  }
}
