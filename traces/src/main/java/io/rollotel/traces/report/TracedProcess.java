package io.rollotel.traces.report;

import io.rollotel.traces.file.Resource;
import io.rollotel.traces.file.Span;
import java.util.Comparator;

/** A process as its resource describes it: a driver or a worker. */
final class TracedProcess {

  /** What tells processes apart. */
  record Key(String serviceName, String instanceId) {}

  /** By service, rank and instance; ranks that are numbers as such. */
  static final Comparator<TracedProcess> ORDER =
      Comparator.comparing(TracedProcess::serviceName)
          .thenComparingInt(process -> process.rank.length())
          .thenComparing(TracedProcess::rank)
          .thenComparing(TracedProcess::instanceId);

  static final String RANK = "roll.rank";

  private final Key key;
  private final Resource resource;
  private String rank;

  TracedProcess(Key key, Resource resource) {
    this.key = key;
    this.resource = resource;
    this.rank = resource.text(RANK);
  }

  static Key key(Resource resource) {
    return new Key(resource.text("service.name"), resource.text("service.instance.id"));
  }

  /** Takes the rank from one of its spans, where the resource does not have it. */
  void meet(Span span) {
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

  /** As a sentence names it: {@code actor vm:686 (rank 0)}. */
  String label() {
    String name = (serviceName() + " " + instanceId()).strip();
    return (name.isEmpty() ? "-" : name) + (rank.isEmpty() ? "" : " (rank " + rank + ")");
  }
}
