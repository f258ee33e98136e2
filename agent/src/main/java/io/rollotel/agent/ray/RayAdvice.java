package io.rollotel.agent.ray;

import io.rollotel.agent.hook.RayHook;
import java.util.List;
import java.util.Optional;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.jspecify.annotations.Nullable;

/** Inlined into Ray's runtime; no logic of its own. */
final class RayAdvice {

  private RayAdvice() {}

  /** {@code callNormalFunction}. */
  static final class CallFunction {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static @Nullable Object start(
        @Advice.This Object runtime,
        @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object function,
        @Advice.Argument(2) Optional<?> returned) {
      return RayHook.sending(runtime, function, null, !returned.isPresent());
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
    static void end(
        @Advice.Enter @Nullable Object sending,
        @Advice.Return(typing = Assigner.Typing.DYNAMIC) @Nullable Object returned,
        @Advice.Thrown @Nullable Throwable thrown) {
      RayHook.sent(sending, returned, thrown);
    }
  }

  /** {@code callActorFunction}. */
  static final class CallActor {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static @Nullable Object start(
        @Advice.This Object runtime,
        @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object actor,
        @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object function,
        @Advice.Argument(3) Optional<?> returned) {
      return RayHook.sending(runtime, function, actor, !returned.isPresent());
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
    static void end(
        @Advice.Enter @Nullable Object sending,
        @Advice.Return(typing = Assigner.Typing.DYNAMIC) @Nullable Object returned,
        @Advice.Thrown @Nullable Throwable thrown) {
      RayHook.sent(sending, returned, thrown);
    }
  }

  /** {@code createActorImpl}. */
  static final class CreateActor {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static @Nullable Object start(
        @Advice.This Object runtime,
        @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object function) {
      return RayHook.sending(runtime, function, null, true);
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
    static void end(
        @Advice.Enter @Nullable Object sending,
        @Advice.Return(typing = Assigner.Typing.DYNAMIC) @Nullable Object returned,
        @Advice.Thrown @Nullable Throwable thrown) {
      RayHook.sent(sending, returned, thrown);
    }
  }

  /** {@code LocalModeTaskSubmitter.submitTaskSpec}. */
  static final class Submit {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void start(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object task) {
      RayHook.submitting(task);
    }
  }

  /** {@code TaskExecutor.execute}. */
  static final class Execute {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static @Nullable Object start(
        @Advice.This Object executor,
        @Advice.Argument(0) List<String> function,
        @Advice.Argument(1) List<?> arguments) {
      return RayHook.executing(executor, function, arguments);
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
    static void end(
        @Advice.Enter @Nullable Object execution, @Advice.Thrown @Nullable Throwable thrown) {
      RayHook.executed(execution, thrown);
    }
  }

  /** {@code get} and {@code wait} of many. */
  static final class UseMany {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static @Nullable Object start(
        @Advice.This Object runtime,
        @Advice.Origin("#m") String name,
        @Advice.Argument(0) List<?> refs) {
      return RayHook.using(name, runtime, refs.size());
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
    static void end(@Advice.Enter @Nullable Object use, @Advice.Thrown @Nullable Throwable thrown) {
      RayHook.used(use, thrown);
    }
  }

  /** {@code put}. */
  static final class UseOne {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static @Nullable Object start(@Advice.This Object runtime, @Advice.Origin("#m") String name) {
      return RayHook.using(name, runtime, 1);
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
    static void end(@Advice.Enter @Nullable Object use, @Advice.Thrown @Nullable Throwable thrown) {
      RayHook.used(use, thrown);
    }
  }

  /** {@code RayConfig}'s constructor. */
  static final class Configure {
    @SuppressWarnings({"ParameterName", "UnusedVariable"}) // written for Byte Buddy
    @Advice.OnMethodExit(suppress = Throwable.class)
    static void end(
        @Advice.This Object config,
        @Advice.FieldValue(value = "jvmOptionsForJavaWorker", readOnly = false)
            List<String> jvmOptions) {
      jvmOptions = RayHook.jvmOptions(config, jvmOptions);
    }
  }

  /** What ends workers. */
  static final class End {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void start() {
      RayHook.ending();
    }
  }
}
