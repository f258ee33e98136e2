package io.rollotel.traces.report;

import io.rollotel.traces.file.Resource;
import io.rollotel.traces.file.Span;
import java.util.Comparator;

/** A process and the number of its spans. */
final class ProcessTotals {

  /** What tells processes apart. */
  record Key(String serviceName, String instanceId) {}

  /** By service, rank and instance; ranks that are numbers as such. */
  static final Comparator<ProcessTotals> ORDER =
      Comparator.comparing(ProcessTotals::serviceName)
          .thenComparingInt(process -> process.rank.length())
          .thenComparing(ProcessTotals::rank)
          .thenComparing(ProcessTotals::instanceId);

  private static final String RANK = "roll.rank";

  private final Key key;
  private final Resource resource;
  private String rank;
  private long spans;

  ProcessTotals(Key key, Resource resource) {
    this.key = key;
    this.resource = resource;
    this.rank = resource.text(RANK);
  }

  static Key key(Resource resource) {
    return new Key(resource.text("service.name"), resource.text("service.instance.id"));
  }

  void add(Span span) {
    spans++;
    if (rank.isEmpty()) {
      Object ofSpan = span.attributes().get(RANK);
      rank = ofSpan == null ? "" : ofSpan.toString();
    }
  }

  String serviceName() {
    return key.serviceName();
  }

  String instanceId() {
    return key.instanceId();
  }

  String host() {
    return resource.text("host.name");
  }

  String pid() {
    return resource.text("process.pid");
  }

  String rank() {
    return rank;
  }

  long spans() {
    return spans;
  }
}
