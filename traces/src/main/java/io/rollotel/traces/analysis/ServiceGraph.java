package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.SpanTree;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which service calls which, in a run without steps: the requests to each service, and their
 * origins.
 *
 * <p>A request to a service is a span whose parent is in another process, is missing from the
 * files, or does not exist. If the parent is in the files, the request is also a call, from the
 * parent's service to the span's.
 */
public final class ServiceGraph implements Serializable {

  /**
   * A service.
   *
   * @param requests the incoming ones, with the time that the service took for them
   */
  public record Service(String name, NameTotals requests) {}

  /**
   * The calls from one service to another, or from one process of it to another.
   *
   * @param calls with the time that the callee worked on them. A call has failed if the callee's
   *     span has, or the client's span above it: a caller that gave up waiting counts
   */
  public record Calls(String caller, String callee, NameTotals calls) {}

  private record Pair(String caller, String callee) implements Serializable {}

  private final Map<String, NameTotals> services = new HashMap<>();
  private final Map<Pair, NameTotals> calls = new HashMap<>();

  /** None yet. */
  ServiceGraph() {}

  static ServiceGraph of(Spans spans, SpanTree tree, StepUnits units, int[] members) {
    ServiceGraph graph = new ServiceGraph();
    for (int span : units.areTraces() ? members : new int[0]) {
      graph.add(spans, tree, span);
    }
    return graph;
  }

  void add(ServiceGraph part, int mostExact) {
    NameTotals.addAll(services, part.services, mostExact);
    NameTotals.addAll(calls, part.calls, mostExact);
  }

  private void add(Spans spans, SpanTree tree, int span) {
    int parent = tree.parent(span);
    int above = tree.above(span); // also a span that has not ended
    if (!spans.isTimed(span) || (above >= 0 && spans.process(above) == spans.process(span))) {
      return;
    }
    String service = spans.processOf(span).serviceName();
    add(services.computeIfAbsent(service, NameTotals::new), spans, span, spans.isError(span));
    if (parent >= 0) {
      String caller = spans.processOf(parent).serviceName();
      boolean isFailed =
          spans.isError(span) || (spans.isError(parent) && spans.kind(parent) == Span.CLIENT);
      add(
          calls.computeIfAbsent(new Pair(caller, service), pair -> new NameTotals("")),
          spans,
          span,
          isFailed);
    }
  }

  private static void add(NameTotals to, Spans spans, int span, boolean isFailed) {
    to.add(spans.weight(span), spans.nanos(span), 0, isFailed);
  }

  /** The one with the most requests first; none if the run has steps. */
  public List<Service> services() {
    List<Service> all = new ArrayList<>();
    services.forEach((name, requests) -> all.add(new Service(name, requests)));
    all.sort(
        Comparator.<Service>comparingLong(one -> one.requests.count())
            .reversed()
            .thenComparing(Service::name));
    return all;
  }

  /** The most frequent first; none if the run has steps. */
  public List<Calls> calls() {
    List<Calls> all = new ArrayList<>();
    calls.forEach((pair, totals) -> all.add(new Calls(pair.caller, pair.callee, totals)));
    all.sort(
        Comparator.<Calls>comparingLong(one -> one.calls.count())
            .reversed()
            .thenComparing(Calls::caller)
            .thenComparing(Calls::callee));
    return all;
  }
}
