package io.rollotel.agent.weave;

import io.rollotel.agent.hook.TraceHook;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.jspecify.annotations.Nullable;

/**
 * Inlined into {@code GlobalOpenTelemetry.get}: while no global is set, the answer is the agent's,
 * and the global stays unset, so that the application's own {@code set} is accepted.
 */
final class GlobalGetAdvice {

  private GlobalGetAdvice() {}

  @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class, suppress = Throwable.class)
  static @Nullable Object start(
      @Advice.Origin Class<?> global,
      @Advice.FieldValue(value = "globalOpenTelemetry", typing = Assigner.Typing.DYNAMIC)
          @Nullable Object set) {
    return set == null ? TraceHook.openTelemetry(global) : null;
  }

  @SuppressWarnings({"ParameterName", "UnusedVariable"}) // written for Byte Buddy
  @Advice.OnMethodExit
  static void end(
      @Advice.Enter @Nullable Object agents,
      @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object returned) {
    if (agents != null) {
      returned = agents;
    }
  }
}
