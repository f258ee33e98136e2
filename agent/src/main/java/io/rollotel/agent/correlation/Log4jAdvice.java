package io.rollotel.agent.correlation;

import io.rollotel.agent.hook.TraceHook;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.logging.log4j.core.impl.ContextDataFactory;
import org.apache.logging.log4j.util.ReadOnlyStringMap;
import org.apache.logging.log4j.util.StringMap;

/**
 * Inlined into Log4j's {@code injectContextData}, which fills an event's context data on the thread
 * that logs. Never loaded itself: only where it is inlined are Log4j's classes seen.
 */
final class Log4jAdvice {

  private Log4jAdvice() {}

  @SuppressWarnings({"ParameterName", "UnusedVariable"}) // written for Byte Buddy
  @Advice.OnMethodExit(suppress = Throwable.class)
  static void end(
      @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object returned) {
    String[] ids = TraceHook.currentTrace();
    if (ids != null && !((ReadOnlyStringMap) returned).containsKey("trace_id")) {
      StringMap data = (StringMap) returned;
      boolean shared = data.isFrozen();
      if (shared) {
        data = ContextDataFactory.createContextData((ReadOnlyStringMap) returned);
      }
      data.putValue("trace_id", ids[0]);
      data.putValue("span_id", ids[1]);
      data.putValue("traceparent", ids[2]);
      if (shared) {
        data.freeze();
      }
      returned = data;
    }
  }
}
