package io.rollotel.agent.correlation;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import io.rollotel.agent.weave.MethodBodies;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper.ForDeclaredMethods;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;

/** The methods of {@link LogEventTransformer}'s classes. */
final class LogBodies {

  private LogBodies() {}

  static byte[] weave(ClassLoader loader, String className, byte[] bytes, boolean isLogback) {
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
  }

  /** By its class file: to load it would load Log4j's classes, which are not the agent's. */
  private static TypeDescription log4jAdvice() {
    ClassFileLocator all =
        new ClassFileLocator.Compound(
            agentClasses(), ClassFileLocator.ForClassLoader.ofPlatformLoader());
    return TypePool.Default.of(all)
        .describe(LogBodies.class.getPackageName() + ".Log4jAdvice")
        .resolve();
  }

  private static ClassFileLocator agentClasses() {
    return ClassFileLocator.ForClassLoader.of(LogBodies.class.getClassLoader());
  }
}
