package io.rollotel.traces.collector;

import io.rollotel.traces.otlp.Signal;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the work of a collector. Safe for use by several threads. */
final class CollectorCounts {

  private final LongAdder accepted = new LongAdder();
  private final Map<Signal, LongAdder> written = new EnumMap<>(Signal.class);
  private final Map<Refusal.Reason, LongAdder> refused = new EnumMap<>(Refusal.Reason.class);

  CollectorCounts() {
    // A consistent snapshot: the maps do not change afterwards.
    for (Signal signal : Signal.values()) {
      written.put(signal, new LongAdder());
    }
    for (Refusal.Reason reason : Refusal.Reason.values()) {
      refused.put(reason, new LongAdder());
    }
  }

  void accept() {
    accepted.increment();
  }

  void write(Signal signal, int records) {
    of(written, signal).add(records);
  }

  void refuse(Refusal.Reason reason) {
    of(refused, reason).increment();
  }

  long accepted() {
    return accepted.sum();
  }

  long written(Signal signal) {
    return of(written, signal).sum();
  }

  long refused() {
    return refused.values().stream().mapToLong(LongAdder::sum).sum();
  }

  long refused(Refusal.Reason reason) {
    return of(refused, reason).sum();
  }

  private static <K> LongAdder of(Map<K, LongAdder> counts, K key) {
    LongAdder count = counts.get(key);
    if (count == null) {
      throw new IllegalArgumentException(String.valueOf(key));
    }
    return count;
  }

  /** One line: accepted requests, written data, refusals and their reasons. */
  @Override
  public String toString() {
    return line(accepted() + " requests accepted, ");
  }

  /** The same for the process that collects, which hands over its own spans without a request. */
  String ofDriver() {
    return accepted() == 0 ? line("no requests from other processes, ") : toString();
  }

  private String line(String beginning) {
    StringBuilder line = new StringBuilder(beginning);
    line.append(written(Signal.TRACES)).append(" spans");
    if (written(Signal.METRICS) != 0) {
      line.append(", ").append(written(Signal.METRICS)).append(" data points");
    }
    if (written(Signal.LOGS) != 0) {
      line.append(", ").append(written(Signal.LOGS)).append(" log records");
    }
    line.append(" written, ").append(refused()).append(" requests refused");
    String separator = ": ";
    for (Refusal.Reason reason : Refusal.Reason.values()) {
      if (refused(reason) != 0) {
        line.append(separator).append(refused(reason)).append(' ');
        line.append(reason.name().toLowerCase(Locale.ROOT).replace('_', ' '));
        separator = ", ";
      }
    }
    return line.toString();
  }
}
