package io.rollotel.traces.profile;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Adds up the activity of a span's thread. While it waits for other threads that work for the span,
 * their work counts instead, in equal parts.
 */
final class SpanWalk implements ProcessActivity.Sink {

  private final ProcessActivity process;
  private final @Nullable Times works;
  private final Breakdown into;

  /**
   * One span's.
   *
   * @param works of other threads; null if there is none
   */
  SpanWalk(ProcessActivity process, @Nullable Times works, Breakdown into) {
    this.process = process;
    this.works = works;
    this.into = into;
  }

  @Override
  public void spent(Activity activity, int detail, double nanos) {
    into.add(activity, detail, nanos);
  }

  @Override
  public void sampled(int stack) {
    into.sample(stack, 1);
  }

  @Override
  public void waited(Activity activity, int detail, long fromNanos, long toNanos) {
    if (works == null || (activity != Activity.PARKED && activity != Activity.FUTURE)) {
      into.add(activity, detail, (double) (toNanos - fromNanos));
      return;
    }
    long at = fromNanos;
    while (at < toNanos) {
      List<ThreadActivity> working = new ArrayList<>();
      long next = working(at, toNanos, working);
      if (working.isEmpty()) {
        into.add(activity, detail, (double) (next - at));
      }
      for (ThreadActivity worker : working) {
        process.walk(worker, at, next, new OfWorker(into, 1.0 / working.size()));
      }
      at = next;
    }
  }

  /** The spans that work at a moment, and until when this set stays the same. */
  private long working(long at, long end, List<ThreadActivity> working) {
    long next = end;
    Times all = works;
    for (int i = 0; all != null && i < all.size() && all.from(i) < next; i++) {
      if (all.from(i) > at) {
        next = all.from(i);
      } else if (all.to(i) > at) {
        working.add(process.worker(all.first(i)));
        next = Math.min(next, all.to(i));
      }
    }
    return next;
  }

  /** A share of another thread's activity. */
  private record OfWorker(Breakdown into, double weight) implements ProcessActivity.Sink {

    @Override
    public void waited(Activity activity, int detail, long fromNanos, long toNanos) {
      into.add(activity, detail, (toNanos - fromNanos) * weight);
    }

    @Override
    public void spent(Activity activity, int detail, double nanos) {
      into.add(activity, detail, nanos * weight);
    }

    @Override
    public void sampled(int stack) {
      into.sample(stack, weight);
    }
  }
}
