package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.Spans;
import java.util.function.IntToLongFunction;

/** The work of each process in one fan-out; the same arrays for all of them. */
final class FanOutWork {

  private final Spans spans;
  private final IntToLongFunction ownNanos;
  private final long[] nanos;

  /** One plus the number of the process's longest span; 0 if it has none. */
  private final int[] longest;

  private final int[] calls;

  /** From the first start to the last end of each process. */
  private final long[] startNanos;

  private final long[] endNanos;
  private final int[] processes;
  private int count;

  /** The function gives a process's own work in a span. */
  FanOutWork(Spans spans, IntToLongFunction ownNanos) {
    this.spans = spans;
    this.ownNanos = ownNanos;
    this.nanos = new long[spans.processes().size()];
    this.longest = new int[nanos.length];
    this.calls = new int[nanos.length];
    this.startNanos = new long[nanos.length];
    this.endNanos = new long[nanos.length];
    this.processes = new int[nanos.length];
  }

  /** Looks at a fan-out, and discards the previous one. */
  void of(int[] fanOut) {
    for (int i = 0; i < count; i++) {
      nanos[processes[i]] = 0;
      calls[processes[i]] = 0;
      longest[processes[i]] = 0;
    }
    count = 0;
    for (int span : fanOut) {
      int process = spans.process(span);
      if (longest[process] == 0) {
        longest[process] = span + 1;
        processes[count++] = process;
        startNanos[process] = spans.start(span);
        endNanos[process] = spans.end(span);
      }
      startNanos[process] = Math.min(startNanos[process], spans.start(span));
      endNanos[process] = Math.max(endNanos[process], spans.end(span));
      nanos[process] += ownNanos.applyAsLong(span);
      calls[process]++;
      if (spans.nanos(span) > spans.nanos(longest[process] - 1)) {
        longest[process] = span + 1;
      }
    }
  }

  /** How many processes took part. */
  int count() {
    return count;
  }

  /** The number of the n-th process. */
  int process(int n) {
    return processes[n];
  }

  long nanos(int process) {
    return nanos[process];
  }

  int calls(int process) {
    return calls[process];
  }

  int longest(int process) {
    return longest[process] - 1;
  }

  /** From the start of its first call to the end of its last one. */
  long extentNanos(int process) {
    return endNanos[process] - startNanos[process];
  }

  /** More calls mean more work, not slower work. */
  long perCall(int process) {
    return nanos[process] / calls[process];
  }
}
