package io.rollotel.agent.weave;

import io.rollotel.agent.hook.TraceHook;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** Inlined into {@code @Register} methods; no logic of its own. */
final class RegisterAdvice {

  private RegisterAdvice() {}

  @Advice.OnMethodEnter(suppress = Throwable.class)
  static @Nullable Object start(@LinkedStart @Nullable Object call) {
    return call;
  }

  // The arguments are not asked for at the end, so they need no backup. Suppressed all the same:
  // the end of a call must not replace what the method returned or threw.
  @Advice.OnMethodExit(
      onThrowable = Throwable.class,
      suppress = Throwable.class,
      backupArguments = false)
  static void end(@Advice.Enter @Nullable Object call, @Advice.Thrown @Nullable Throwable thrown) {
    TraceHook.end(call, thrown);
  }
}
