package io.rollotel.agent.correlation;

import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.weave.ClassRewriter;
import io.rollotel.agent.weave.MethodPlace;
import io.rollotel.agent.weave.Weaver;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.Set;
import net.bytebuddy.jar.asm.ClassReader;
import org.jspecify.annotations.Nullable;

/**
 * Weaves the classes of Logback and Log4j 2 that read an event's context data. What it needs for
 * that waits for the first of them.
 */
final class LogEventTransformer implements ClassFileTransformer {

  private static final String LOGBACK = "ch.qos.logback.classic.spi.LoggingEvent";
  private static final String LOG4J =
      "org.apache.logging.log4j.core.impl.ThreadContextDataInjector$";

  /** Log4j has three of them; its thread context map determines which one is used. */
  static final Set<String> NAMES =
      Set.of(
          LOGBACK,
          LOG4J + "ForCopyOnWriteThreadContextMap",
          LOG4J + "ForDefaultThreadContextMap",
          LOG4J + "ForGarbageFreeThreadContextMap");

  @Override
  public byte @Nullable [] transform(
      Module module,
      @Nullable ClassLoader loader,
      @Nullable String name,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] bytes) {
    // The cheap check comes first: this method runs for every class.
    if (loader == null || name == null || !(name.endsWith("Event") || name.endsWith("Map"))) {
      return null;
    }
    String className = name.replace('/', '.');
    if (!NAMES.contains(className)) {
      return null;
    }
    try {
      if (!Weaver.seesHook(loader)) {
        AgentLog.info(
            className + " has a class loader that does not see the agent: no ids in its log");
        return null;
      }
      MethodPlace place = LogBodies.place(className, className.equals(LOGBACK));
      byte[] woven = ClassRewriter.rewrite(new ClassReader(bytes), List.of(place)).bytes();
      if (woven == null) {
        AgentLog.warn("the log lines do not name their spans: there is no " + place);
      }
      return woven;
    } catch (Throwable t) {
      AgentLog.warn("the log lines of " + className + " do not name their spans: " + t);
      return null;
    }
  }
}
