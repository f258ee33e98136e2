package io.rollotel.agent.export;

import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of handing over a batch. Each span is in exactly one list.
 *
 * @param delivered an exporter took them
 * @param kept the process's own file has them
 * @param held neither exported nor written; to be tried again
 * @param lost neither exported nor written; not tried again
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

  /** Joins the outcomes of two parts of a batch. */
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
