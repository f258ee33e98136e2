package io.rollotel.agent.export;

import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.ArrayList;
import java.util.List;

/**
 * What has become of a batch: each of its spans is in exactly one of these.
 *
 * @param delivered an exporter has them
 * @param kept they are in the process's own file
 * @param held in neither, but one of the two may take them later
 * @param lost in neither, and nobody will take them
 */
record Outcome(
    List<SpanData> delivered, List<SpanData> kept, List<SpanData> held, List<SpanData> lost) {

  static Outcome delivered(List<SpanData> batch) {
    return new Outcome(batch, List.of(), List.of(), List.of());
  }

  static Outcome kept(List<SpanData> batch) {
    return new Outcome(List.of(), batch, List.of(), List.of());
  }

  static Outcome held(List<SpanData> batch) {
    return new Outcome(List.of(), List.of(), batch, List.of());
  }

  static Outcome lost(List<SpanData> batch) {
    return new Outcome(List.of(), List.of(), List.of(), batch);
  }

  /** Of both halves of a batch. */
  Outcome and(Outcome other) {
    return new Outcome(
        joined(delivered, other.delivered),
        joined(kept, other.kept),
        joined(held, other.held),
        joined(lost, other.lost));
  }

  private static List<SpanData> joined(List<SpanData> one, List<SpanData> other) {
    List<SpanData> both = new ArrayList<>(one);
    both.addAll(other);
    return both;
  }
}
