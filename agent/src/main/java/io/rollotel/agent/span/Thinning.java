package io.rollotel.agent.span;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;
import io.rollotel.agent.ledger.Ledger;
import org.jspecify.annotations.Nullable;

/**
 * Samples the traces that begin in this process: all, or one in 2, 4, 8 …. The decision is made at
 * the root, so traces stay whole. It follows OpenTelemetry's consistent sampling: it compares the
 * last 56 bits of the trace's id, which are random, with a threshold. The trace's state has the
 * threshold, so readers know how many traces one stands for. Any thread.
 */
public final class Thinning {

  /** The key of OpenTelemetry's own entry in a trace's state. */
  public static final String KEY = "ot";

  private static final int RANDOM_BITS = 56;

  private final Ledger ledger;

  /** The root context of a sampled trace. */
  private record Level(int halvings, SpanContext above) {}

  /** Read when a trace begins. */
  private volatile Level level = level(0);

  private volatile boolean hasBegun;

  private volatile boolean hasRoots;

  public Thinning(Ledger ledger) {
    this.ledger = ledger;
  }

  /**
   * From now on, samples one trace in {@code 2^halvings}.
   *
   * @param halvings how often the share is halved; 0 samples all traces
   */
  public void set(int halvings) {
    if (halvings != level.halvings) {
      level = level(halvings);
      hasBegun |= halvings > 0;
    }
  }

  /** The binary logarithm of the number of traces that a trace stands for if it begins now. */
  public int halvings() {
    return level.halvings;
  }

  /** Whether there may be traces that were not sampled. */
  public boolean hasBegun() {
    return hasBegun;
  }

  /** A trace is about to begin in this process. */
  public void rootBegins() {
    if (!hasRoots) { // a write each time would slow down the threads that read the level beside it
      hasRoots = true;
    }
  }

  /** Whether traces have begun in this process, so that there is something to thin out. */
  public boolean hasRoots() {
    return hasRoots;
  }

  /** Whether all traces that begin now are sampled. */
  boolean takesAll() {
    return level.halvings == 0;
  }

  /**
   * The context to use as the parent of a sampled trace's root; null for a trace that is not
   * sampled, which is counted.
   *
   * @param random a number whose last 56 bits decide
   */
  public @Nullable SpanContext rootOf(long random) {
    Level now = level;
    if (!isTaken(random, now.halvings)) {
      ledger.thinnedOut();
      return null;
    }
    return now.above;
  }

  private static boolean isTaken(long random, int halvings) {
    // The threshold's first bits are ones, the others zeros.
    return halvings == 0
        || (random << (Long.SIZE - RANDOM_BITS)) >>> (Long.SIZE - halvings) == (1L << halvings) - 1;
  }

  private static Level level(int halvings) {
    if (halvings == 0) {
      return new Level(0, SpanContext.getInvalid());
    }
    return new Level(
        halvings,
        SpanContext.create(
            TraceId.getInvalid(),
            SpanId.getInvalid(),
            TraceFlags.getDefault(),
            TraceState.builder().put(KEY, "th:" + threshold(halvings)).build()));
  }

  /**
   * 56 bits in hexadecimal, without trailing zeros. The number of ones is the number of halvings.
   */
  private static String threshold(int halvings) {
    return "f".repeat(halvings / 4) + (halvings % 4 == 0 ? "" : "8ce".charAt(halvings % 4 - 1));
  }
}
