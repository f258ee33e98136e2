package io.rollotel.agent.export;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.rollotel.agent.span.WorkerMethodSpanData;
import java.util.List;

/**
 * How many bytes a span takes in memory, approximately: counts everything that a user can make
 * large.
 */
final class SpanSizeEstimate {

  private static final long BARE = 512;

  /** Of our own spans, which have no map and no builder. */
  private static final long BARE_WORKER = 192;

  private static final long EACH = 64;

  private SpanSizeEstimate() {}

  static long of(SpanData span) {
    long bare = span instanceof WorkerMethodSpanData ? BARE_WORKER : BARE;
    long bytes = bare + span.getName().length() + of(span.getAttributes());
    bytes += span.getStatus().getDescription().length();
    for (EventData event : span.getEvents()) {
      bytes += EACH + event.getName().length() + of(event.getAttributes());
    }
    for (LinkData link : span.getLinks()) {
      bytes += EACH + of(link.getAttributes());
    }
    return bytes;
  }

  private static long of(Attributes attributes) {
    long[] bytes = {attributes.size() * EACH};
    attributes.forEach((key, value) -> bytes[0] += of(value));
    return bytes[0];
  }

  private static long of(Object value) {
    if (value instanceof String text) {
      return text.length();
    }
    long bytes = 0;
    if (value instanceof List<?> list) {
      for (Object element : list) {
        bytes += Long.BYTES + (element instanceof String text ? text.length() : 0);
      }
    }
    return bytes;
  }
}
