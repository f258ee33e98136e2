package io.rollotel.telemetry;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.rollotel.telemetry.internal.AgentLink;
import io.rollotel.telemetry.internal.EnvironmentSetting;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/**
 * Finds the global OpenTelemetry, and leaves an unset global unset. {@code GlobalOpenTelemetry.get}
 * sets an unset global to the no-op, and the application's own {@code set} throws from then on.
 */
final class GlobalLookup {

  /** In the API since version 1.57; null before. */
  private static final @Nullable MethodHandle GET_OR_NOOP = getOrNoop();

  private GlobalLookup() {}

  static OpenTelemetry get() {
    if (GET_OR_NOOP == null) {
      return ofOlderApi();
    }
    try {
      return (OpenTelemetry) GET_OR_NOOP.invokeExact();
    } catch (Throwable t) {
      return OpenTelemetry.noop();
    }
  }

  /** For an API without {@code getOrNoop}. */
  static OpenTelemetry ofOlderApi() {
    return isUnset() && !mayAnswerUnset() ? OpenTelemetry.noop() : GlobalOpenTelemetry.get();
  }

  /** False if that cannot be seen. */
  private static boolean isUnset() {
    Field global = Older.GLOBAL;
    try {
      return global != null && global.get(null) == null;
    } catch (IllegalAccessException hidden) {
      return false;
    }
  }

  /** Whether {@code get} does more than set the no-op: the agent answers, or an SDK is built. */
  private static boolean mayAnswerUnset() {
    AgentLink agent = AgentLink.get();
    return (agent != null && agent.active()) || Older.IS_AUTOCONFIGURED;
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

  /** What only an API without {@code getOrNoop} needs. */
  private static final class Older {

    /** Where the API keeps the global, null while it is unset; null if it cannot be read. */
    static final @Nullable Field GLOBAL = global();

    /** Whether the user lets {@code get} build an SDK by autoconfiguration. */
    static final boolean IS_AUTOCONFIGURED = isAutoconfigured();

    private static @Nullable Field global() {
      try {
        Field global = GlobalOpenTelemetry.class.getDeclaredField("globalOpenTelemetry");
        global.setAccessible(true);
        return global;
      } catch (ReflectiveOperationException | RuntimeException hidden) {
        return null;
      }
    }

    private static boolean isAutoconfigured() {
      String given =
          EnvironmentSetting.read(
              "OTEL_JAVA_GLOBAL_AUTOCONFIGURE_ENABLED", "otel.java.global-autoconfigure.enabled");
      return given != null && Boolean.parseBoolean(given.trim());
    }
  }
}
