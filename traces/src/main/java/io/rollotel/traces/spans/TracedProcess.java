package io.rollotel.traces.spans;

import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.otlp.Span;
import java.io.Serializable;
import java.util.Comparator;

/** A process as its resource describes it: a driver or a worker. */
public final class TracedProcess implements Serializable {

  /** The key that identifies a process. */
  record Key(String serviceName, String instanceId) implements Serializable {}

  /** By service, rank and instance; numeric ranks by their value. */
  public static final Comparator<TracedProcess> ORDER =
      Comparator.comparing(TracedProcess::serviceName)
          .thenComparingInt(process -> process.rank.length())
          .thenComparing(TracedProcess::rank)
          .thenComparing(TracedProcess::instanceId);

  static final String RANK = "roll.rank";

  private static final String INSTANCE = "service.instance.id";

  private final Key key;
  private final Resource resource;
  private String rank;

  public TracedProcess(Key key, Resource resource) {
    this.key = key;
    this.resource = resource;
    this.rank = resource.text(RANK);
  }

  public static Key key(Resource resource) {
    return new Key(resource.text("service.name"), instance(resource));
  }

  /** Not all SDKs give their processes an id; some say where they run instead. */
  private static String instance(Resource resource) {
    String id = resource.text(INSTANCE);
    if (!id.isEmpty()) {
      return id;
    }
    String host = resource.text("host.name");
    String pid = resource.text("process.pid");
    return host.isEmpty() || pid.isEmpty() ? host + pid : host + ":" + pid;
  }

  /** Takes the rank from one of its spans, if the resource lacks it. */
  void meet(Span span) {
    if (rank.isEmpty()) {
      Object ofSpan = span.attributes().get(RANK);
      if (ofSpan != null) { // otherwise nothing is written, since several threads may read
        rank = ofSpan.toString();
      }
    }
  }

  /** Takes the rank from another, if it is unknown here. */
  void meet(TracedProcess same) {
    if (rank.isEmpty()) {
      rank = same.rank;
    }
  }

  Key key() {
    return key;
  }

  public String serviceName() {
    return key.serviceName();
  }

  public String instanceId() {
    return key.instanceId();
  }

  /** As its resource has it; empty if it has none. */
  public String recordedInstanceId() {
    return resource.text(INSTANCE);
  }

  public String host() {
    return resource.text("host.name");
  }

  public String pid() {
    return resource.text("process.pid");
  }

  public String rank() {
    return rank;
  }

  /** The cluster of workers that its rank is in; empty if unknown. */
  public String clusterName() {
    return resource.text("roll.cluster_name");
  }

  /** How many ranks that cluster has; empty if unknown. */
  public String worldSize() {
    return resource.text("roll.world_size");
  }

  /** Its name in a sentence: {@code actor vm:686 (rank 0)}. */
  public String label() {
    String name = (serviceName() + " " + instanceId()).strip();
    return (name.isEmpty() ? "-" : name) + (rank.isEmpty() ? "" : " (rank " + rank + ")");
  }
}
