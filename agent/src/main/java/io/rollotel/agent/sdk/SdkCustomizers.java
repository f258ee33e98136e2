package io.rollotel.agent.sdk;

import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;
import io.rollotel.agent.api.StartupHookMethod;
import io.rollotel.agent.log.AgentLog;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * The application's code that shapes the agent's SDK: a startup hook that takes the SDK's
 * customizer, and the {@link AutoConfigurationCustomizerProvider}s of the class path. If a
 * customizer fails, one line is logged, and none of its changes take effect.
 */
final class SdkCustomizers {

  private final ClassLoader application;

  // Guarded by this.
  private final RecordedCustomizer ofHook = new RecordedCustomizer();
  private @Nullable CustomizerLoader loader;

  /**
   * Calls none yet.
   *
   * @param application the loader of the code
   */
  SdkCustomizers(ClassLoader application) {
    this.application = application;
  }

  /**
   * Calls a startup hook. An exception of the hook is the cause of an UndeclaredThrowableException.
   *
   * @param className of the class, which is linked to the agent's SDK
   * @param methodName the static method
   */
  synchronized void callHook(String className, String methodName) {
    RecordedCustomizer recorded = new RecordedCustomizer();
    try {
      Class<?> type = Class.forName(className, false, loader());
      Method method = StartupHookMethod.find(type, methodName);
      if (method.getParameterCount() == 0) {
        method.invoke(null);
      } else {
        method.invoke(null, recorded);
      }
    } catch (InvocationTargetException e) {
      throw new UndeclaredThrowableException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new UndeclaredThrowableException(e);
    }
    ofHook.add(recorded);
  }

  /** All customizations, the hook's last, for building the SDK. */
  synchronized RecordedCustomizer customizer() {
    RecordedCustomizer all = new RecordedCustomizer();
    if (application.getResource(CustomizerLoader.PROVIDERS) != null) {
      for (AutoConfigurationCustomizerProvider provider : providers()) {
        RecordedCustomizer recorded = new RecordedCustomizer();
        try {
          provider.customize(recorded);
          all.add(recorded);
        } catch (RuntimeException | LinkageError e) {
          failed(provider.getClass().getName(), e);
        }
      }
    }
    all.add(ofHook);
    return all;
  }

  private List<AutoConfigurationCustomizerProvider> providers() {
    List<AutoConfigurationCustomizerProvider> providers = new ArrayList<>();
    Iterator<AutoConfigurationCustomizerProvider> found =
        ServiceLoader.load(AutoConfigurationCustomizerProvider.class, loader()).iterator();
    while (true) {
      try {
        if (!found.hasNext()) {
          break;
        }
        providers.add(found.next());
      } catch (ServiceConfigurationError | LinkageError e) {
        failed("an AutoConfigurationCustomizerProvider", e);
      }
    }
    providers.sort(Comparator.comparingInt(AutoConfigurationCustomizerProvider::order));
    return providers;
  }

  /** A single loader, so that hook and providers see the same classes of the application. */
  private CustomizerLoader loader() {
    CustomizerLoader known = loader;
    if (known == null) {
      known = new CustomizerLoader(application);
      loader = known;
    }
    return known;
  }

  /** Says so, with the innermost cause. */
  static void failed(String who, Throwable thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    AgentLog.warn(who + " failed; tracing continues without it: " + cause);
  }
}
