package io.rollotel.traces.otlp;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Joins the two ends of calls that could not take the context along: the sender's span and the
 * receiver's, which is the root of a trace of its own, name in {@value #JOIN} the attribute whose
 * value both have. All spans of the receiver's trace belong to the sender's then, and so on where
 * that is a receiver's itself.
 *
 * <p>Some 300 bytes for each end of such a call. Not for use by several threads at once.
 */
public final class CallJoins {

  /** The attribute that names the one to join by. */
  public static final String JOIN = "roll.join";

  private static final String TASK = "ray.task_id";

  /** What a reader has to keep of spans so that calls are joined that the agent has traced. */
  public static final Set<String> ATTRIBUTES = Set.of(JOIN, TASK);

  /** No call is to be joined. */
  public static final CallJoins NONE = new CallJoins();

  /** A chain of calls deeper than this is none: ids that came twice have made a circle. */
  private static final int DEEPEST = 1_000;

  /** The sender's trace and span. */
  private record Sender(String traceId, String spanId) {}

  private final Map<String, Sender> senders = new HashMap<>();

  /** By the receiver's trace: the value that its sender has as well. */
  private final Map<String, String> receivers = new HashMap<>();

  private boolean isWeighted;

  public CallJoins() {}

  public void see(Span span) {
    isWeighted |= span.weight() != 1;
    if (span.kind() != Span.PRODUCER && span.kind() != Span.CONSUMER) {
      return;
    }
    if (!(span.attributes().get(JOIN) instanceof String by)
        || !(span.attributes().get(by) instanceof String value)) {
      return;
    }
    String key = by + '=' + value;
    if (span.kind() == Span.PRODUCER) {
      senders.put(key, new Sender(span.traceId(), span.spanId()));
    } else if (span.parentSpanId().isEmpty()) {
      receivers.put(span.traceId(), key);
    }
  }

  /** Whether the span has sent a call whose execution the agent traces, too. */
  public static boolean isCall(Span span) {
    return span.kind() == Span.PRODUCER
        && (span.attributes().containsKey(TASK) || span.attributes().containsKey(JOIN));
  }

  /** Whether there is nothing to join. */
  public boolean isEmpty() {
    return receivers.isEmpty() || senders.isEmpty();
  }

  /**
   * The span as a part of its sender's trace, the receiver's own as a child of the sender's; or as
   * it is, where there is nothing to join. To be asked when all spans have been read.
   */
  public Span join(Span span) {
    String traceId = traceId(span.traceId());
    if (traceId.equals(span.traceId())) {
      return span;
    }
    return new Span(
        traceId,
        span.spanId(),
        span.parentSpanId().isEmpty() ? parentSpanId(span.traceId()) : span.parentSpanId(),
        span.name(),
        span.kind(),
        span.startEpochNanos(),
        span.endEpochNanos(),
        span.attributes(),
        span.statusCode(),
        span.resource(),
        span.scopeName(),
        span.failure(),
        span.weight(),
        isWeighted && span.thinnedTraceId().isEmpty() ? span.traceId() : span.thinnedTraceId());
  }

  /** Whether any trace stands for others, so that spans have to say which was theirs. */
  boolean isWeighted() {
    return isWeighted;
  }

  /**
   * The trace that a trace is a part of; itself, where it is none.
   *
   * @param traceId as in {@link Span#traceId}
   */
  public String traceId(String traceId) {
    String outer = traceId;
    for (int i = 0; i < DEEPEST; i++) {
      Sender sender = senderOf(outer);
      if (sender == null) {
        return outer;
      }
      outer = sender.traceId;
    }
    return traceId;
  }

  /**
   * The parent of the root of a trace; empty where it has none.
   *
   * @param traceId as in {@link Span#traceId}
   */
  public String parentSpanId(String traceId) {
    Sender sender = senderOf(traceId);
    return sender == null ? "" : sender.spanId;
  }

  private @Nullable Sender senderOf(String traceId) {
    String key = receivers.get(traceId);
    return key == null ? null : senders.get(key);
  }
}
