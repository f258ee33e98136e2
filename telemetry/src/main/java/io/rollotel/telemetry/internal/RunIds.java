package io.rollotel.telemetry.internal;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The id of the sender's run, which travels beside the context: receivers without a run join that
 * one. It is not trusted: the agent accepts only what looks like an id.
 */
public final class RunIds {

  /** Its key in the carrier, beside {@code traceparent}. */
  public static final String KEY = "roll.run_id";

  private static final int LONGEST = 128;

  private RunIds() {}

  /**
   * The id in a carrier; null if there is none. Never throws.
   *
   * @param carrier the result of {@link Propagation#carrier}
   */
  public static @Nullable String of(@Nullable Object carrier) {
    try {
      return carrier instanceof Map<?, ?> headers
              && headers.get(KEY) instanceof String id
              && id.length() <= LONGEST
          ? id
          : null;
    } catch (Throwable hostile) {
      Propagation.passOnStop(hostile);
      return null; // counted when its context is read
    }
  }

  /**
   * The run that this process passes on with its calls; null if it has none, or there is no agent.
   */
  static @Nullable String toSend() {
    AgentLink agent = AgentLink.get();
    return agent == null ? null : agent.runId();
  }

  /** Tells the agent which run a call has come from, as long as that can matter to it. */
  public static void received(@Nullable Object carrier) {
    AgentLink agent = carrier == null ? null : AgentLink.get();
    if (agent != null && agent.asksForRun()) {
      agent.receivedFrom(of(carrier));
    }
  }
}
