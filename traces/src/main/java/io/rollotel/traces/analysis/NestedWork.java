package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.util.Arrays;

/**
 * How long each process worked in the spans of each name below its calls of one fan-out, including
 * the calls themselves; the same arrays for all fan-outs.
 *
 * <p>A span counts with its self time, so that each moment of a call counts for one name. Only
 * spans in the call's own process count. A span that called another process does not: the time that
 * is left of it is on the way to that process, and no work.
 */
final class NestedWork {

  /** Further names of a fan-out are not compared: these may be as many as objects or users. */
  private static final int MOST_NAMES = 200;

  private final Spans spans;
  private final SpanTree tree;
  private final SpanTree waits;

  /** One plus the place of a process or a name in this fan-out; 0 if it is not in it. */
  private final int[] placeOfProcess;

  private final int[] placeOfName;

  private final int[] processes;
  private final int[] calls;
  private int processCount;

  private int[] names = new int[8];
  private int nameCount;

  // By name and process.
  private long[] nanos = {};

  /** Of the spans of the name in the process, one plus the last to start; 0 if none. */
  private int[] last = {};

  private int[] longest = {};
  private int[] below = new int[64];

  /** Of fan-outs of these spans. */
  NestedWork(Spans spans, SpanTree tree, SpanTree waits) {
    this.spans = spans;
    this.tree = tree;
    this.waits = waits;
    this.placeOfProcess = new int[spans.processes().size()];
    this.placeOfName = new int[spans.names().size()];
    this.processes = new int[placeOfProcess.length];
    this.calls = new int[placeOfProcess.length];
  }

  /** Looks at a fan-out, and discards the previous one. */
  void of(int[] fanOut) {
    forget();
    for (int span : fanOut) {
      int process = spans.process(span);
      if (placeOfProcess[process] == 0) {
        processes[processCount] = process;
        calls[processCount++] = 0;
        placeOfProcess[process] = processCount;
      }
      calls[placeOfProcess[process] - 1]++;
    }
    for (int span : fanOut) {
      lookBelow(span);
    }
  }

  private void forget() {
    Arrays.fill(nanos, 0, nameCount * processCount, 0);
    Arrays.fill(last, 0, nameCount * processCount, 0);
    Arrays.fill(longest, 0, nameCount * processCount, 0);
    for (int i = 0; i < nameCount; i++) {
      placeOfName[names[i]] = 0;
    }
    for (int i = 0; i < processCount; i++) {
      placeOfProcess[processes[i]] = 0;
    }
    nameCount = 0;
    processCount = 0;
  }

  private void lookBelow(int call) {
    int process = spans.process(call);
    int count = 0;
    below[count++] = call;
    while (count > 0) {
      int span = below[--count];
      boolean hasCalled = false;
      int children = tree.childCount(span);
      if (count + children > below.length) {
        below = Arrays.copyOf(below, Math.max(2 * below.length, count + children));
      }
      for (int i = 0; i < children; i++) {
        int child = tree.child(span, i);
        if (spans.process(child) != process) {
          hasCalled = true;
        } else if (spans.isTimed(child) && !spans.isVirtual(child) && !spans.isDispatch(child)) {
          below[count++] = child;
        }
      }
      if (!hasCalled) {
        add(span, placeOfProcess[process] - 1);
      }
    }
  }

  private void add(int span, int process) {
    int name = spans.name(span);
    if (placeOfName[name] == 0) {
      if (nameCount == MOST_NAMES) {
        return;
      }
      names = nameCount == names.length ? Arrays.copyOf(names, 2 * nameCount) : names;
      names[nameCount++] = name;
      placeOfName[name] = nameCount;
      if (nameCount * processCount > nanos.length) {
        int room = 2 * nameCount * processCount;
        nanos = Arrays.copyOf(nanos, room);
        last = Arrays.copyOf(last, room);
        longest = Arrays.copyOf(longest, room);
      }
    }
    int at = (placeOfName[name] - 1) * processCount + process;
    nanos[at] += waits.selfNanos(span);
    if (last[at] == 0 || spans.start(span) > spans.start(last[at] - 1)) {
      last[at] = span + 1;
    }
    if (longest[at] == 0 || spans.nanos(span) > spans.nanos(longest[at] - 1)) {
      longest[at] = span + 1;
    }
  }

  int processCount() {
    return processCount;
  }

  /** The number of the n-th process. */
  int process(int n) {
    return processes[n];
  }

  /** How many calls of the fan-out the n-th process executed. */
  int calls(int n) {
    return calls[n];
  }

  int nameCount() {
    return nameCount;
  }

  /** The number of the n-th name. */
  int name(int n) {
    return names[n];
  }

  /** The place of a name; negative if it is not in this fan-out. */
  int placeOf(int name) {
    return placeOfName[name] - 1;
  }

  boolean has(int name, int process) {
    return last[name * processCount + process] != 0;
  }

  /** The self time of the spans of the n-th name in the n-th process, for each call. */
  long perCall(int name, int process) {
    return nanos[name * processCount + process] / calls[process];
  }

  /** Of those spans, the one that starts last. */
  int last(int name, int process) {
    return last[name * processCount + process] - 1;
  }

  /** Of those spans, the longest. */
  int longest(int name, int process) {
    return longest[name * processCount + process] - 1;
  }
}
