package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The traces of a run without steps, by the name of their root: how many, how long, how often they
 * failed, and which services' work they were.
 */
public final class RootTotals implements Serializable {

  /**
   * A service's part of the traces of one name.
   *
   * @param selfNanos the self time of its spans
   * @param pathNanos its time on their critical paths
   */
  public record Service(String name, long selfNanos, long pathNanos) {}

  /**
   * The traces whose root has one name.
   *
   * @param roots the durations and errors of the roots
   * @param services the one with the most self time first
   */
  public record Totals(int name, NameTotals roots, List<Service> services) {

    public long selfNanos() {
      return services.stream().mapToLong(Service::selfNanos).sum();
    }

    public long pathNanos() {
      return services.stream().mapToLong(Service::pathNanos).sum();
    }
  }

  private static final class ServiceSum implements Serializable {
    long selfNanos;
    long pathNanos;
  }

  private static final class Sum implements Serializable {
    final NameTotals roots = new NameTotals("");
    final Map<String, ServiceSum> services = new HashMap<>();
  }

  private final Spans spans;
  private final Map<Integer, Sum> sums = new HashMap<>();

  /** None yet. */
  RootTotals(Spans spans) {
    this.spans = spans;
  }

  /**
   * Those of a run; none if it has steps.
   *
   * @param waits as built by {@link WaitTree}
   * @param rows the run's spans, and the rows for missing ones
   */
  RootTotals(Spans spans, SpanTree waits, StepUnits units, PathShares path, int[] rows) {
    this(spans);
    for (int span : units.areTraces() ? rows : new int[0]) {
      int root = units.of(span);
      if (root < 0) {
        continue;
      }
      Sum sum = sums.computeIfAbsent(spans.name(root), name -> new Sum());
      if (span == root) {
        sum.roots.add(spans.weight(root), nanos(spans, waits, root), 0, spans.isError(root));
      }
      ServiceSum service =
          sum.services.computeIfAbsent(
              spans.processOf(span).serviceName(), name -> new ServiceSum());
      service.pathNanos += NameTotals.times(spans.weight(root), path.nanosOf(span));
      if (!spans.isVirtual(span)) {
        service.selfNanos += NameTotals.times(spans.weight(span), waits.selfNanos(span));
      }
    }
  }

  void add(RootTotals part, int mostExact) {
    part.sums.forEach(
        (name, other) -> {
          Sum sum = sums.computeIfAbsent(name, none -> new Sum());
          sum.roots.add(other.roots, mostExact);
          other.services.forEach(
              (text, service) -> {
                ServiceSum known = sum.services.computeIfAbsent(text, none -> new ServiceSum());
                known.selfNanos += service.selfNanos;
                known.pathNanos += service.pathNanos;
              });
        });
  }

  /** By name, the one with the most time first. */
  List<Totals> all() {
    List<Totals> totals = new ArrayList<>();
    sums.forEach((name, sum) -> totals.add(new Totals(name, sum.roots, services(sum))));
    totals.sort(
        Comparator.<Totals>comparingLong(one -> one.roots.totalNanos())
            .reversed()
            .thenComparing(one -> spans.names().text(one.name)));
    return totals;
  }

  /** For a call on Ray, whose execution counts as the root, from the moment it was sent. */
  static long nanos(Spans spans, SpanTree waits, int root) {
    int sender = waits.parent(root);
    boolean isSent = sender >= 0 && spans.isDispatch(sender);
    // Clocks may differ.
    long start = isSent ? Math.min(spans.start(sender), spans.start(root)) : spans.start(root);
    return spans.end(root) - start;
  }

  private static List<Service> services(Sum sum) {
    return sum.services.entrySet().stream()
        .map(one -> new Service(one.getKey(), one.getValue().selfNanos, one.getValue().pathNanos))
        .filter(one -> one.selfNanos != 0 || one.pathNanos != 0)
        .sorted(
            Comparator.comparingLong(Service::selfNanos).reversed().thenComparing(Service::name))
        .toList();
  }
}
