package io.rollotel.agent.span;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;
import io.rollotel.agent.ledger.Ledger;
import org.jspecify.annotations.Nullable;

/**
 * How many of the traces that begin in this process are taken: all, or one in 2, 4, 8 …. Decided at
 * the root alone, so that traces are whole, and as OpenTelemetry's consistent sampling does: by the
 * last 56 bits of the trace's id, which are random, with the threshold in the trace's state, from
 * which readers know for how many a trace stands. Any thread.
 */
public final class Thinning {

  /** The key of OpenTelemetry's own entry in a trace's state. */
  public static final String KEY = "ot";

  private static final int RANDOM_BITS = 56;

  private final Ledger ledger;

  /** What a trace begins with that is taken. */
  private record Level(int halvings, SpanContext above) {}

  /** Read where a trace begins. */
  private volatile Level level = level(0);

  private volatile boolean hasBegun;

  private volatile boolean hasRoots;

  public Thinning(Ledger ledger) {
    this.ledger = ledger;
  }

  /**
   * From now on, samples one in so many traces.
   *
   * @param halvings the logarithm of that number; 0 for all
   */
  public void set(int halvings) {
    if (halvings != level.halvings) {
      level = level(halvings);
      hasBegun |= halvings > 0;
    }
  }

  /** The logarithm of how many traces one stands for that begins now. */
  public int halvings() {
    return level.halvings;
  }

  /** Whether there may be traces that were not taken. */
  public boolean hasBegun() {
    return hasBegun;
  }

  /** A trace is about to begin in this process. */
  public void rootBegins() {
    if (!hasRoots) { // a write each time would slow down those who read the level beside it
      hasRoots = true;
    }
  }

  /** Whether traces have begun in this process, so that there is something to thin out. */
  public boolean hasRoots() {
    return hasRoots;
  }

  /** Whether all traces are taken that begin now. */
  boolean takesAll() {
    return level.halvings == 0;
  }

  /**
   * The context to use as the parent of a sampled trace's root; null for a trace that is not
   * sampled, which is counted.
   *
   * @param random of which the last 56 bits count
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
   * 56 bits in hexadecimal, without the zeros at the end: of ones as many as there are halvings.
   */
  private static String threshold(int halvings) {
    return "f".repeat(halvings / 4) + (halvings % 4 == 0 ? "" : "8ce".charAt(halvings % 4 - 1));
  }
}
