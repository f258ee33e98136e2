package io.rollotel.agent.link;

import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.telemetry.internal.Propagation;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds getters that return a copy of the payload's meta_info: what {@code @Dispatch} writes into
 * the copy is lost. Looks at the first payload with meta_info of each sending method only, since
 * the getter is the same for all.
 */
final class WrittenCheck {

  private final MethodHandle reader;
  private final String payload;
  private final String sender;

  /** A race does no harm: the line is logged once. */
  private boolean hasLooked;

  /**
   * @param reader as {@link Carrier#reader} has it
   * @param payload the name of the payload's type
   * @param sender the sending method
   */
  WrittenCheck(MethodHandle reader, String payload, String sender) {
    this.reader = reader;
    this.payload = payload;
    this.sender = sender;
  }

  /** Called after the context was written. Never throws. */
  void look(@Nullable Object argument) {
    if (hasLooked || argument == null) {
      return;
    }
    try {
      Map<?, ?> metaInfo = (Map<?, ?>) reader.invokeExact(argument);
      Map<?, ?> again = (Map<?, ?>) reader.invokeExact(argument);
      if (metaInfo == null || again == null) {
        return;
      }
      hasLooked = true;
      if (metaInfo != again && !isWritten(again)) {
        AgentLog.warnOnce(
            payload
                + " returns a copy of its meta_info, so it carries no trace context: "
                + sender
                + " writes into the copy");
      }
    } catch (Throwable t) {
      TraceHook.failed(t);
    }
  }

  @SuppressWarnings("unchecked") // by the contract of meta_info
  private static boolean isWritten(Map<?, ?> metaInfo) {
    return Propagation.carrier((Map<String, ?>) metaInfo) != null;
  }
}
