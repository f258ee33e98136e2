package io.rollotel.agent.link;

import io.opentelemetry.context.Context;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.telemetry.internal.Propagation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds getters that return a copy of the payload's meta_info: what {@code @Dispatch} writes into
 * the copy is lost. Looks at the first payloads of each sending method only, since the getter is
 * the same for all.
 */
final class WrittenCheck {

  /** Payloads without meta_info, and calls in a suppressed context, show nothing. */
  private static final int MOST_LOOKS = 8;

  private static final MethodHandle LOOK;

  static {
    try {
      LOOK =
          MethodHandles.lookup()
              .findVirtual(
                  WrittenCheck.class, "look", MethodType.methodType(void.class, Object.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MethodHandle reader;
  private final String payload;
  private final String sender;

  /** A race does no harm: the line is logged once. */
  private int looks;

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

  /** Takes a payload after the context was written: {@link #look}. */
  MethodHandle handle() {
    return LOOK.bindTo(this);
  }

  /** Called after the context was written. Never throws. */
  void look(@Nullable Object argument) {
    if (looks >= MOST_LOOKS || argument == null) {
      return;
    }
    looks++;
    try {
      Map<?, ?> metaInfo = (Map<?, ?>) reader.invokeExact(argument);
      if (metaInfo == null || !isWritten(metaInfo, true)) {
        return;
      }
      looks = MOST_LOOKS;
      Map<?, ?> again = (Map<?, ?>) reader.invokeExact(argument);
      if (again != null && !isWritten(again, false)) {
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

  /** Whether a map holds a context; first writes one, since this map may be a copy itself. */
  @SuppressWarnings("unchecked") // by the contract of meta_info
  private static boolean isWritten(Map<?, ?> metaInfo, boolean isNew) {
    Map<String, Object> map = (Map<String, Object>) metaInfo;
    if (isNew) {
      Propagation.put(map, Context.current());
    }
    return Propagation.carrier(map) != null;
  }
}
