package io.rollotel.agent.ray;

import io.rollotel.traces.collector.Rendezvous;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The context that travels with a call, behind the type in the metadata of its first argument
 * passed by value: {@code JAVA,tp=<traceparent>,at=<epoch nanoseconds>,run=<id>}. Ray's Java reads
 * only the beginning of that, and its Python splits it at the commas, so a worker without the agent
 * ignores it.
 *
 * @param traceparent as {@code RemoteSpan.traceparent} gave it
 * @param sentAtEpochNanos when the call was sent; 0 if it does not say
 * @param runId the sender's run; null if it does not say
 */
record Carried(String traceparent, long sentAtEpochNanos, @Nullable String runId) {

  private static final String TRACEPARENT = ",tp=";
  private static final String SENT_AT = ",at=";
  private static final String RUN_ID = ",run=";

  /** Neither Ray nor we write longer metadata. */
  private static final int LONGEST = 256;

  /** A context can be added only to these types: Ray may read all other metadata as a whole. */
  static boolean hasRoom(byte[] metadata) {
    String type = text(metadata);
    return type.equals("JAVA")
        || type.equals("XLANG")
        || type.equals("RAW")
        || type.equals("ACTOR_HANDLE");
  }

  /**
   * The metadata with this context behind it, in a new array, because all values share Ray's
   * arrays.
   */
  byte[] behind(byte[] metadata) {
    String all = text(metadata) + TRACEPARENT + traceparent + SENT_AT + sentAtEpochNanos;
    return (runId == null ? all : all + RUN_ID + runId).getBytes(StandardCharsets.US_ASCII);
  }

  /** The context in the metadata; null if there is none. */
  static @Nullable Carried of(byte @Nullable [] metadata) {
    if (metadata == null || metadata.length <= TRACEPARENT.length() || metadata.length > LONGEST) {
      return null;
    }
    String text = text(metadata);
    int at = text.indexOf(TRACEPARENT);
    if (at < 0) {
      return null;
    }
    return new Carried(
        until(text, at + TRACEPARENT.length()),
        sentAt(text, text.indexOf(SENT_AT, at)),
        runId(text, text.indexOf(RUN_ID, at)));
  }

  private static @Nullable String runId(String text, int at) {
    String id = at < 0 ? "" : until(text, at + RUN_ID.length());
    return Rendezvous.isRunIdOfCalls(id) ? id : null;
  }

  private static long sentAt(String text, int at) {
    try {
      return at < 0 ? 0 : Math.max(0, Long.parseLong(until(text, at + SENT_AT.length())));
    } catch (NumberFormatException nonsense) {
      return 0;
    }
  }

  /** The field that begins there. */
  private static String until(String text, int start) {
    int comma = text.indexOf(',', start);
    return text.substring(start, comma < 0 ? text.length() : comma);
  }

  private static String text(byte[] metadata) {
    return new String(metadata, StandardCharsets.US_ASCII);
  }
}
