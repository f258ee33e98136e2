package io.rollotel.traces.report;

import io.rollotel.traces.analysis.NameTotals;
import io.rollotel.traces.analysis.RunTotals;
import io.rollotel.traces.analysis.ServiceGraph;
import java.util.List;

/**
 * Rate, errors and duration of the services of a run without steps, and of the calls between them.
 *
 * @param services the one with the most requests first
 * @param calls the most frequent first
 */
public record ServiceRows(List<Service> services, List<Calls> calls) {

  /**
   * How many requests there were, how often they failed and how long they took.
   *
   * @param perSecond of the run's time
   * @param errorShare of the requests
   */
  public record Requests(
      long count,
      double perSecond,
      long errors,
      double errorShare,
      long p50Nanos,
      long p95Nanos,
      long p99Nanos,
      long maxNanos) {

    static Requests of(NameTotals totals, long wallNanos) {
      return new Requests(
          totals.count(),
          ServiceRows.perSecond(totals.count(), wallNanos),
          totals.errors(),
          ContentsBuilder.share(totals.errors(), totals.count()),
          totals.percentile(50),
          totals.percentile(95),
          totals.percentile(99),
          totals.percentile(100));
    }
  }

  /** A service, and its incoming requests. */
  public record Service(String service, Requests requests) {}

  /** The calls from one service to another. */
  public record Calls(String caller, String callee, Requests requests) {}

  static ServiceRows of(RunTotals run) {
    ServiceGraph graph = run.serviceGraph();
    long wallNanos = run.wallNanos();
    return new ServiceRows(
        graph.services().stream()
            .map(one -> new Service(one.name(), Requests.of(one.requests(), wallNanos)))
            .toList(),
        graph.calls().stream()
            .map(one -> new Calls(one.caller(), one.callee(), Requests.of(one.calls(), wallNanos)))
            .toList());
  }

  /** The rate per second over this time; 0 if the time is 0. */
  static double perSecond(long count, long wallNanos) {
    return wallNanos == 0 ? 0 : count * 1e9 / wallNanos;
  }
}
