package io.rollotel.agent.weave;

import io.rollotel.agent.hook.TraceHook;
import net.bytebuddy.asm.Advice;

/** Inlined into {@code GlobalOpenTelemetry.set}: the agent's spans go there from now on. */
final class GlobalSetAdvice {

  private GlobalSetAdvice() {}

  /** Runs where {@code set} returned; where it threw, nothing was set. */
  @Advice.OnMethodExit(suppress = Throwable.class)
  static void end(@Advice.Origin Class<?> global) {
    TraceHook.openTelemetrySet(global);
  }
}
