package io.rollotel.traces.otlp;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Joins the two ends of calls that could not carry the context: {@value #JOIN} on the sender's
 * span, and on the receiver's, which is the root of a separate trace, names an attribute whose
 * value both share. All spans of the receiver's trace then belong to the sender's trace, which may
 * itself be a receiver's.
 *
 * <p>The agent also derives the receiver's trace id from that value ({@link #derivedTraceId}). So a
 * receiver is found even if its span has lost its attributes, because its process died, or has not
 * ended.
 *
 * <p>About 400 bytes for each end of such a call. Not for use by several threads at once.
 */
public final class CallJoins implements Serializable {

  /** The attribute that names the attribute to join by. */
  public static final String JOIN = "roll.join";

  private static final HexFormat HEX = HexFormat.of();

  private static final String TASK = "ray.task_id";

  /** With these, {@link LineParser} keeps all that joining calls takes. */
  public static final Set<String> ATTRIBUTES = Set.of(JOIN, TASK);

  /** No calls to join. */
  public static final CallJoins NONE = new CallJoins();

  /** Used instead of an outermost trace: the way there leads in a circle, of duplicate ids. */
  private static final String NOWHERE = "";

  /** The sender's trace and span. */
  private record Sender(String traceId, String spanId) implements Serializable {}

  /** Several calls have this value, so it identifies none. */
  private static final Sender AMBIGUOUS = new Sender("", "");

  /** By the trace id that is derived for its receiver: for its run, and for any run. */
  private final Map<String, Sender> senders = new HashMap<>();

  /** By the receiver's trace, if its span has the value that joins it. */
  private final Map<String, Derived> receivers = new HashMap<>();

  /**
   * The trace ids that are derived for a receiver.
   *
   * @param ofRun if both ends belong to the same run
   * @param ofAny if they do not: a worker that was started by hand has its own run id
   */
  private record Derived(String ofRun, String ofAny) implements Serializable {}

  private boolean isWeighted;

  /** The outermost trace of receivers; found on first use, null after a new span. */
  private transient volatile @Nullable Map<String, String> outermost;

  public CallJoins() {}

  public void see(Span span) {
    isWeighted |= span.weight() != 1;
    String value = value(span.kind(), span.attributes());
    if (value == null) {
      return;
    }
    String runId = span.resource().text("roll.run_id");
    Derived derived = new Derived(derivedTraceId(runId, value), derivedTraceId("", value));
    outermost = null;
    if (span.kind() == Span.PRODUCER) {
      Sender sender = new Sender(span.traceId(), span.spanId());
      // A new cluster restarts the numbering of its tasks, so other runs have the same values.
      senders.merge(derived.ofRun, sender, CallJoins::same);
      if (!runId.isEmpty()) {
        senders.merge(derived.ofAny, sender, CallJoins::same);
      }
    } else if (span.parentSpanId().isEmpty()) {
      receivers.put(span.traceId(), derived);
    }
  }

  /** Whether spans of this kind may be an end of a call. */
  static boolean isEnd(int kind) {
    return kind == Span.PRODUCER || kind == Span.CONSUMER;
  }

  /** The value that joins the span; null if there is none. */
  private static @Nullable String value(int kind, Map<String, Object> attributes) {
    return isEnd(kind)
            && attributes.get(JOIN) instanceof String by
            && attributes.get(by) instanceof String value
        ? value
        : null;
  }

  /** Those of the attributes that are wanted, or that join the span. */
  static Map<String, Object> kept(int kind, Map<String, Object> attributes, Set<String> wanted) {
    Object by = isEnd(kind) ? attributes.get(JOIN) : null;
    Map<String, Object> kept = new LinkedHashMap<>(attributes);
    kept.keySet().removeIf(key -> !wanted.contains(key) && !key.equals(by));
    return kept.isEmpty() ? Map.of() : Collections.unmodifiableMap(kept);
  }

  /** Whether the span is one end of a call to join. */
  public static boolean isEnd(Span span) {
    return value(span.kind(), span.attributes()) != null;
  }

  /** The span with nothing but what {@link #see} reads of it. */
  public static Span bare(Span span) {
    return new Span(
        span.traceId(),
        span.spanId(),
        span.parentSpanId(),
        "",
        span.kind(),
        0,
        0,
        kept(span.kind(), span.attributes(), Set.of(JOIN)),
        0,
        span.resource(),
        "",
        "",
        span.weight(),
        "");
  }

  private static Sender same(Sender one, Sender another) {
    return one.equals(another) ? one : AMBIGUOUS;
  }

  /**
   * The id of the trace that a receiver begins if the context cannot reach it: the same for each
   * attempt of one call, different for each run.
   *
   * @param runId empty if there is none
   * @param value a value that both ends have, such as the id of a task
   * @return as in {@link Span#traceId}
   */
  public static String derivedTraceId(String runId, String value) {
    long high = 0x9e37_79b9_7f4a_7c15L;
    long low = 0xd6e8_feb8_6659_fd93L;
    String text = runId + '\n' + value;
    for (int i = 0; i < text.length(); i++) {
      high = (high ^ text.charAt(i)) * 0x0000_0100_0000_01b3L;
      low = mixed(low + text.charAt(i));
    }
    return HEX.toHexDigits(mixed(high)) + HEX.toHexDigits(low == 0 ? 1 : low);
  }

  /** Each bit of the number changes about half of those of the result: MurmurHash3's last step. */
  private static long mixed(long number) {
    long bits = (number ^ number >>> 33) * 0xff51_afd7_ed55_8ccdL;
    bits = (bits ^ bits >>> 33) * 0xc4ce_b9fe_1a85_ec53L;
    return bits ^ bits >>> 33;
  }

  /** Whether the span has sent a call whose execution the agent traces as well. */
  public static boolean isCall(Span span) {
    return span.kind() == Span.PRODUCER
        && (span.attributes().containsKey(TASK) || span.attributes().containsKey(JOIN));
  }

  /** Whether there is nothing to join. */
  public boolean isEmpty() {
    return senders.isEmpty();
  }

  /**
   * The span as a part of its sender's trace, with the receiver's own span as a child of the
   * sender's; unchanged if there is nothing to join. Call it after reading all spans.
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
        isWeighted && span.thinnedTraceId().isEmpty() ? span.traceId() : span.thinnedTraceId(),
        span.events(),
        span.links());
  }

  /** Whether any trace represents others, so that spans must state their original trace. */
  boolean isWeighted() {
    return isWeighted;
  }

  /**
   * The trace that a trace is a part of; itself if there is none.
   *
   * @param traceId as in {@link Span#traceId}
   */
  public String traceId(String traceId) {
    if (senders.isEmpty()) {
      return traceId;
    }
    Map<String, String> known = outermost;
    if (known == null) {
      known = new HashMap<>();
      for (String receiver : receivers.keySet()) {
        walk(receiver, known);
      }
      for (Sender sender : senders.values()) {
        walk(sender.traceId, known); // a receiver as well, perhaps without its attributes
      }
      outermost = known;
    }
    String outer = known.get(traceId);
    if (outer == null) { // not a receiver, or one that has lost its attributes and sent nothing
      Sender sender = senderOf(traceId);
      outer = sender == null ? traceId : known.getOrDefault(sender.traceId, sender.traceId);
    }
    return outer.equals(NOWHERE) ? traceId : outer;
  }

  /**
   * Notes the outermost trace of a trace and of all on the way there; calls may form long chains.
   */
  private void walk(String traceId, Map<String, String> known) {
    List<String> way = new ArrayList<>();
    String at = traceId;
    for (Sender sender = senderOf(at);
        sender != null && !known.containsKey(at);
        sender = senderOf(at)) {
      known.put(at, NOWHERE);
      way.add(at);
      at = sender.traceId;
    }
    String outer = known.getOrDefault(at, at);
    way.forEach(trace -> known.put(trace, outer));
  }

  /**
   * The parent of the root of a trace; empty if it has none.
   *
   * @param traceId as in {@link Span#traceId}
   */
  public String parentSpanId(String traceId) {
    Sender sender = senderOf(traceId);
    return sender == null ? "" : sender.spanId;
  }

  private @Nullable Sender senderOf(String traceId) {
    Sender sender = senders.get(traceId);
    Derived derived = sender == null ? receivers.get(traceId) : null;
    if (derived != null) {
      Sender ofRun = senders.get(derived.ofRun);
      sender = ofRun == null ? senders.get(derived.ofAny) : ofRun;
    }
    return AMBIGUOUS.equals(sender) ? null : sender;
  }
}
