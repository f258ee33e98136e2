package io.rollotel.agent.api;

import io.rollotel.agent.log.AgentLog;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/**
 * The global of a copy of the API when the agent is attached late. {@code GlobalOpenTelemetry.get}
 * sets an unset global to the no-op. Nobody asked for that, and it would hide the agent's SDK
 * forever, so it is unset again.
 */
final class PresetGlobal {

  private PresetGlobal() {}

  /** Whether the application has set it. If the API itself had set it, it is unset afterwards. */
  static boolean isSetByApplication(Class<?> global) {
    try {
      Field field = global.getDeclaredField("globalOpenTelemetry");
      field.setAccessible(true);
      Object set = field.get(null);
      if (set == null) {
        return false;
      }
      Object noop =
          Class.forName("io.opentelemetry.api.OpenTelemetry", true, global.getClassLoader())
              .getMethod("noop")
              .invoke(null);
      if (set != noop && delegate(set) != noop) {
        return true;
      }
      field.set(null, null);
      return false;
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      AgentLog.warn("GlobalOpenTelemetry cannot be read and is treated as unset: " + e);
      return false;
    }
  }

  /** The API wraps the object that it receives. */
  private static @Nullable Object delegate(Object wrapped) throws ReflectiveOperationException {
    Field delegate;
    try {
      delegate = wrapped.getClass().getDeclaredField("delegate");
    } catch (NoSuchFieldException notWrapped) {
      return null;
    }
    delegate.setAccessible(true);
    return delegate.get(wrapped);
  }
}
