package io.rollotel.agent.api;

import io.rollotel.agent.log.AgentLog;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The user's {@code com.acme.Tracing::setup}: called before main if the system class path has the
 * class. Otherwise it is called when the first class of its loader is traced, as in a Ray worker or
 * a Spring Boot jar.
 */
final class StartupHook {

  private final String className;
  private final String methodName;
  private final ApiCopies copies;
  private final AtomicBoolean over = new AtomicBoolean();

  /**
   * @param name class and method with two colons between them
   * @param copies call a method of a class that is linked to the agent's SDK
   */
  StartupHook(String name, ApiCopies copies) {
    int colons = name.indexOf("::");
    className = name.substring(0, colons);
    methodName = name.substring(colons + 2);
    this.copies = copies;
  }

  /** Before main; another loader may bring a class that is missing now. */
  void beforeMain() {
    ClassLoader system = ClassLoader.getSystemClassLoader();
    if (isSeenBy(system)) {
      run(system);
    }
  }

  /** Called when a class of this loader is traced for the first time: the last opportunity. */
  void beforeTracing(@Nullable ClassLoader loader) {
    if (!over.get()) {
      run(loader == null ? ClassLoader.getSystemClassLoader() : loader);
    }
  }

  private boolean isSeenBy(ClassLoader loader) {
    return loader.getResource(className.replace('.', '/') + ".class") != null;
  }

  private void run(ClassLoader loader) {
    // Once, even if the hook itself traces something.
    if (!over.compareAndSet(false, true)) {
      return;
    }
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      if (isSeenBy(loader)) {
        call(loader);
      } else if (isOfPython()) {
        AgentLog.info(this + " was not found and looks like a Python name; it is ignored");
      } else {
        failed("there is no such class on the class path");
      }
    } catch (InvocationTargetException | UndeclaredThrowableException users) {
      failed(String.valueOf(users.getCause()));
    } catch (Throwable t) {
      failed(t instanceof IllegalArgumentException ? String.valueOf(t.getMessage()) : t.toString());
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private void call(ClassLoader loader) throws Throwable {
    Method method = null;
    try {
      method = StartupHookMethod.find(Class.forName(className, false, loader), methodName);
    } catch (NoClassDefFoundError noSdk) {
      // The class refers to the SDK, which is missing from the class path; the agent has it.
    }
    if (method == null || method.getParameterCount() == 1) {
      copies.callHookBesideSdk(loader, className, methodName);
    } else {
      method.invoke(null);
    }
    AgentLog.info(this + " was called");
  }

  /** Ray's own setting has such names, and the same environment may reach both languages. */
  private boolean isOfPython() {
    char first = className.charAt(className.lastIndexOf('.') + 1);
    return Character.isLowerCase(first);
  }

  private void failed(String why) {
    AgentLog.warn(this + " failed; tracing continues with the defaults: " + why);
  }

  @Override
  public String toString() {
    return "ROLL_OTEL_STARTUP_HOOK=" + className + "::" + methodName;
  }
}
