package io.rollotel.agent;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Says, after the first minute, that no span was exported so far. Its thread begins with the first
 * annotated class and ends with the minute.
 */
final class FirstMinute implements LongSupplier {

  private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Account account;
  private final Settings settings;
  private final Runnable first;

  // Of the thread.
  private long bornNanos;
  private boolean born;

  private volatile @Nullable Pump pump;

  /**
   * @param first done at once, on the thread
   */
  FirstMinute(Account account, Settings settings, Runnable first) {
    this.account = account;
    this.settings = settings;
    this.first = first;
  }

  /** May be called inside the loading of a class: takes no lock, and waits for nobody. */
  void begin() {
    try {
      pump = Pump.start("roll-otel-minute", this);
    } catch (Throwable noThreadLeft) {
      // The class is traced all the same.
    }
  }

  void end() {
    Pump running = pump;
    if (running != null) {
      running.stop();
    }
  }

  @Override
  public long getAsLong() {
    return round(System.nanoTime());
  }

  /** How long to wait for the next; below 0 to end. */
  long round(long nowNanos) {
    if (!born) {
      born = true;
      bornNanos = nowNanos;
      first.run();
    }
    long leftNanos = bornNanos + MINUTE_NANOS - nowNanos;
    if (leftNanos > 0) {
      return leftNanos;
    }
    if (account.isWithoutSpans()) {
      AgentLog.warn("no span was exported in the first minute: " + account.view(settings));
    }
    return -1;
  }
}
