package io.rollotel.telemetry;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * Finds the global OpenTelemetry, and leaves an unset global unset where the API's version allows
 * it. {@code GlobalOpenTelemetry.get} sets an unset global to the no-op, and the application's own
 * {@code set} throws from then on.
 */
final class GlobalLookup {

  /** In the API since version 1.57; null before. */
  private static final @Nullable MethodHandle GET_OR_NOOP = getOrNoop();

  private GlobalLookup() {}

  static OpenTelemetry get() {
    if (GET_OR_NOOP == null) {
      return GlobalOpenTelemetry.get();
    }
    try {
      return (OpenTelemetry) GET_OR_NOOP.invokeExact();
    } catch (Throwable t) {
      return OpenTelemetry.noop();
    }
  }

  private static @Nullable MethodHandle getOrNoop() {
    try {
      return MethodHandles.publicLookup()
          .findStatic(
              GlobalOpenTelemetry.class, "getOrNoop", MethodType.methodType(OpenTelemetry.class));
    } catch (ReflectiveOperationException olderApi) {
      return null;
    }
  }
}
