package io.rollotel.agent.weave;

import io.rollotel.agent.hook.TraceHook;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.jspecify.annotations.Nullable;

/** {@link RegisterAdvice} for methods that return a future: the end sees it, and leaves it be. */
final class RegisterFutureAdvice {

  private RegisterFutureAdvice() {}

  @Advice.OnMethodEnter(suppress = Throwable.class)
  static @Nullable Object start(@LinkedStart @Nullable Object call) {
    return call;
  }

  @Advice.OnMethodExit(
      onThrowable = Throwable.class,
      suppress = Throwable.class,
      backupArguments = false)
  static void end(
      @Advice.Enter @Nullable Object call,
      @Advice.Return(typing = Assigner.Typing.DYNAMIC) @Nullable Object future,
      @Advice.Thrown @Nullable Throwable thrown) {
    TraceHook.endWith(call, future, thrown);
  }
}
