package io.rollotel.agent.weave;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import io.rollotel.agent.AgentLog;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.Set;
import java.util.function.Supplier;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper.ForDeclaredMethods;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;
import org.jspecify.annotations.Nullable;

/** Weaves the classes of Logback and Log4j 2 that read an event's context data. */
public final class LogWeaver implements ClassFileTransformer, Supplier<Set<String>> {

  private static final String LOGBACK = "ch.qos.logback.classic.spi.LoggingEvent";
  private static final String LOG4J =
      "org.apache.logging.log4j.core.impl.ThreadContextDataInjector$";

  /** Which of Log4j's three is used depends on its thread context map. */
  private static final Set<String> NAMES =
      Set.of(
          LOGBACK,
          LOG4J + "ForCopyOnWriteThreadContextMap",
          LOG4J + "ForDefaultThreadContextMap",
          LOG4J + "ForGarbageFreeThreadContextMap");

  /** For {@code LogLibraries}, by reflection. */
  public LogWeaver() {}

  /** The names of the classes. */
  @Override
  public Set<String> get() {
    return NAMES;
  }

  @Override
  public byte @Nullable [] transform(
      Module module,
      @Nullable ClassLoader loader,
      @Nullable String name,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] bytes) {
    // A cheap question first: this is asked of every class.
    if (loader == null || name == null || !(name.endsWith("Event") || name.endsWith("Map"))) {
      return null;
    }
    String className = name.replace('/', '.');
    if (!NAMES.contains(className)) {
      return null;
    }
    try {
      if (!Weaver.seesHook(loader)) {
        AgentLog.info(className + " is of a loader that does not see the agent: no ids in its log");
        return null;
      }
      boolean isLogback = className.equals(LOGBACK);
      TypeDescription type =
          MethodBodies.describe(className, bytes, ClassFileLocator.ForClassLoader.of(loader));
      return MethodBodies.decorate(
          type,
          bytes,
          new ForDeclaredMethods()
              .invokable(
                  isLogback
                      ? named("getMDCPropertyMap").and(takesArguments(0))
                      : named("injectContextData").and(takesArguments(2)),
                  Advice.to(
                      isLogback
                          ? TypeDescription.ForLoadedType.of(LogbackAdvice.class)
                          : log4jAdvice(),
                      agentClasses())));
    } catch (Throwable t) {
      AgentLog.warn("the log lines of " + className + " do not name their spans: " + t);
      return null;
    }
  }

  /** By its class file: to load it would load Log4j's classes, which are not the agent's. */
  private static TypeDescription log4jAdvice() {
    ClassFileLocator all =
        new ClassFileLocator.Compound(
            agentClasses(), ClassFileLocator.ForClassLoader.ofPlatformLoader());
    return TypePool.Default.of(all)
        .describe(LogWeaver.class.getPackageName() + ".Log4jAdvice")
        .resolve();
  }

  private static ClassFileLocator agentClasses() {
    return ClassFileLocator.ForClassLoader.of(LogWeaver.class.getClassLoader());
  }
}
