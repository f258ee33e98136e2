package io.rollotel.agent.weave;

import io.rollotel.agent.AgentLog;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.annotations.Register;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.ClassFileVersion;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper.ForDeclaredMethods;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.scaffold.InstrumentedType;
import net.bytebuddy.dynamic.scaffold.MethodGraph;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.implementation.bytecode.member.MethodInvocation;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;
import org.jspecify.annotations.Nullable;

/**
 * Weaves a class: from its loader and its bytes to its new bytes, or null where nothing is to be
 * done. Threads may share it.
 *
 * <p>Only method bodies change: no member, no interface, no version. So serialVersionUID stays, and
 * other agents may retransform the class.
 */
public final class Weaver implements BiFunction<ClassLoader, byte[], byte @Nullable []> {

  private static final String GLOBAL = "io.opentelemetry.api.GlobalOpenTelemetry";

  private final ByteBuddy byteBuddy =
      new ByteBuddy()
          // No method graph, no validation: both would load the types that a class names.
          .with(MethodGraph.Compiler.ForDeclaredMethods.INSTANCE)
          .with(TypeValidation.DISABLED)
          // No helper member may be added to the class.
          .with(Implementation.Context.Disabled.Factory.INSTANCE)
          .with(InstrumentedType.Factory.Default.FROZEN);

  private final Advice register = linked(RegisterAdvice.class, "start");
  private final Advice dispatch = linked(DispatchAdvice.class, "dispatch");

  /** For {@code AnnotatedClasses}, by reflection. */
  public Weaver() {}

  @Override
  public byte @Nullable [] apply(ClassLoader loader, byte[] bytes) {
    ClassFileLocator agents = ClassFileLocator.ForClassLoader.of(Register.class.getClassLoader());
    TypePool self =
        TypePool.Default.WithLazyResolution.of(
            new ClassFileLocator.Compound(
                ClassFileLocator.Simple.of(nameOf(bytes), bytes),
                agents,
                ClassFileLocator.ForClassLoader.of(loader)));
    TypeDescription type = self.describe(nameOf(bytes)).resolve();
    if (!seesHook(loader)) {
      AgentLog.warnOnce(
          type.getName()
              + " stays untraced: its class loader does not see the agent ("
              + loader
              + ")");
      return null;
    }
    if (type.getName().equals(GLOBAL)) {
      return weaveGlobal(type, bytes);
    }
    List<MethodDescription> registered = new ArrayList<>();
    List<MethodDescription> dispatched = new ArrayList<>();
    for (MethodDescription method : type.getDeclaredMethods()) {
      if (Annotations.isRegister(method)) {
        registered.add(method);
      }
      if (Annotations.isDispatch(method)) {
        dispatched.add(method);
      }
    }
    if (registered.isEmpty() && dispatched.isEmpty()) {
      return null;
    }
    if (ClassFileVersion.ofClassFile(bytes).isLessThan(ClassFileVersion.JAVA_V7)) {
      AgentLog.warn(type.getName() + " stays untraced: compiled for Java 6 or older");
      return null;
    }
    try {
      return weave(type, bytes, registered, dispatched);
    } catch (RuntimeException | LinkageError oneOfThem) {
      // Find out which, so that one method that cannot be woven never costs another.
      registered.removeIf(method -> !weavable(type, bytes, method, true));
      dispatched.removeIf(method -> !weavable(type, bytes, method, false));
      return registered.isEmpty() && dispatched.isEmpty()
          ? null
          : weave(type, bytes, registered, dispatched);
    }
  }

  private boolean weavable(
      TypeDescription type, byte[] bytes, MethodDescription method, boolean isRegister) {
    try {
      weave(
          type,
          bytes,
          isRegister ? List.of(method) : List.of(),
          isRegister ? List.of() : List.of(method));
      return true;
    } catch (RuntimeException | LinkageError e) {
      AgentLog.warn(type.getName() + "." + method.getName() + " stays untraced: " + e);
      return false;
    }
  }

  private byte[] weave(
      TypeDescription type,
      byte[] bytes,
      List<MethodDescription> registered,
      List<MethodDescription> dispatched) {
    byte[] woven =
        decorate(
            type,
            bytes,
            new ForDeclaredMethods()
                // The sender's part runs inside the worker's span where a method is both.
                .invokable(among(dispatched), dispatch)
                .invokable(among(registered), register));
    AgentLog.debug(
        "woven: " + type.getName() + ", " + (registered.size() + dispatched.size()) + " methods");
    return woven;
  }

  private byte[] weaveGlobal(TypeDescription type, byte[] bytes) {
    Advice get = Advice.to(GlobalGetAdvice.class, agentClasses());
    Advice set = Advice.to(GlobalSetAdvice.class, agentClasses());
    return decorate(
        type,
        bytes,
        new ForDeclaredMethods()
            .invokable(
                ElementMatchers.namedOneOf("get", "getOrNoop")
                    .and(ElementMatchers.takesNoArguments()),
                get)
            .invokable(ElementMatchers.named("set"), set));
  }

  private byte[] decorate(TypeDescription type, byte[] bytes, ForDeclaredMethods visitor) {
    return byteBuddy
        .decorate(type, ClassFileLocator.Simple.of(type.getName(), bytes))
        .visit(visitor)
        .make()
        .getBytes();
  }

  private static ElementMatcher<MethodDescription> among(List<MethodDescription> methods) {
    return candidate ->
        methods.stream()
            .anyMatch(
                method ->
                    method.getInternalName().equals(candidate.getInternalName())
                        && method.getDescriptor().equals(candidate.getDescriptor()));
  }

  private static Advice linked(Class<?> advice, String bootstrap) {
    return Advice.withCustomMapping()
        .bind(LinkedStart.Binding.to(hook(bootstrap)))
        .to(advice, agentClasses())
        .withExceptionHandler(
            new Advice.ExceptionHandler.Simple(MethodInvocation.invoke(hook("failed"))));
  }

  private static MethodDescription.InDefinedShape hook(String method) {
    return TypeDescription.ForLoadedType.of(TraceHook.class)
        .getDeclaredMethods()
        .filter(ElementMatchers.named(method).and(ElementMatchers.isStatic()))
        .getOnly();
  }

  /** The class files of the advice: in the agent's inner loader, or on a test's class path. */
  private static ClassFileLocator agentClasses() {
    return ClassFileLocator.ForClassLoader.of(Weaver.class.getClassLoader());
  }

  private static boolean seesHook(ClassLoader loader) {
    try {
      return Class.forName(TraceHook.class.getName(), false, loader) == TraceHook.class;
    } catch (ClassNotFoundException | LinkageError hidden) {
      return false;
    }
  }

  /** The class's name, from its constant pool. */
  private static String nameOf(byte[] bytes) {
    return new ClassReader(bytes).getClassName().replace('/', '.');
  }
}
