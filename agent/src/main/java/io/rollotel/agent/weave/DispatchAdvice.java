package io.rollotel.agent.weave;

import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** Inlined into {@code @Dispatch} methods; no logic of its own. */
final class DispatchAdvice {

  private DispatchAdvice() {}

  @Advice.OnMethodEnter(suppress = Throwable.class)
  static @Nullable Object inject(@LinkedStart @Nullable Object nothing) {
    return nothing;
  }
}
