package io.rollotel.agent.weave;

import io.rollotel.agent.Account;
import io.rollotel.agent.AgentLog;
import io.rollotel.agent.MethodList;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.annotations.Register;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import net.bytebuddy.ClassFileVersion;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper.ForDeclaredMethods;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.implementation.bytecode.member.MethodInvocation;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.matcher.ElementMatchers;
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

  /** Declared to return one of these, a method ends its span when it completes. */
  private static final Set<String> FUTURES =
      Set.of(
          "java.util.concurrent.CompletionStage",
          "java.util.concurrent.CompletableFuture",
          "com.google.common.util.concurrent.ListenableFuture");

  /** Loaders that do not see the hook, each of which was said once. */
  private final Set<ClassLoader> blind =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private final MethodList methods;
  private final Account account;

  /** Read when the first method needs it: most programs have one of them. */
  private final Map<Class<?>, Advice> read = new ConcurrentHashMap<>();

  /** A method to weave. */
  private record Target(MethodDescription method, Advice advice, Account.Use use) {
    boolean isAnnotated() {
      return Annotations.isAnnotated(method);
    }

    boolean matches(MethodDescription candidate) {
      return method.getInternalName().equals(candidate.getInternalName())
          && method.getDescriptor().equals(candidate.getDescriptor());
    }
  }

  /** For {@code AnnotatedClasses}, by reflection. */
  public Weaver(MethodList methods, Account account) {
    this.methods = methods;
    this.account = account;
  }

  @Override
  public byte @Nullable [] apply(ClassLoader loader, byte[] bytes) {
    TypeDescription type =
        MethodBodies.describe(
            nameOf(bytes),
            bytes,
            ClassFileLocator.ForClassLoader.of(Register.class.getClassLoader()),
            ClassFileLocator.ForClassLoader.of(loader));
    boolean global = type.getName().equals(GLOBAL);
    Forwarders forwarders = new Forwarders(bytes);
    List<Target> targets = global ? List.of() : targets(type, forwarders);
    if (targets.isEmpty() && !global) {
      return null;
    }
    if (!seesHook(loader)) {
      if (!global && blind.add(loader)) {
        AgentLog.warn(
            type.getName()
                + " stays untraced, as will all else of its class loader, which does not see the"
                + " agent ("
                + loader
                + ")");
      }
      failed(type, targets, "its class loader does not see the agent");
      return null;
    }
    if (global) {
      return weaveGlobal(type, bytes);
    }
    if (ClassFileVersion.ofClassFile(bytes).isLessThan(ClassFileVersion.JAVA_V7)) {
      AgentLog.warn(type.getName() + " stays untraced: compiled for Java 6 or older");
      failed(type, targets, "compiled for Java 6 or older");
      return null;
    }
    byte[] woven = weaveAllThatCan(type, bytes, targets);
    for (Target target : targets) {
      account.woven(
          type.getName(),
          target.method.getInternalName(),
          target.method.getDescriptor(),
          target.use);
    }
    // Scala's compiler runs no processors: there is nothing to mend.
    if (!forwarders.areOfScala() && targets.stream().anyMatch(Target::isAnnotated)) {
      account.unindexed().woven(loader, type.getName());
    }
    return woven;
  }

  /** Takes those out of the list that cannot be woven. */
  private byte @Nullable [] weaveAllThatCan(
      TypeDescription type, byte[] bytes, List<Target> targets) {
    try {
      return weave(type, bytes, targets);
    } catch (RuntimeException | LinkageError oneOfThem) {
      // Find out which, so that one method that cannot be woven never costs another.
      targets.removeIf(target -> !weavable(type, bytes, target));
      return targets.isEmpty() ? null : weave(type, bytes, targets);
    }
  }

  private void failed(TypeDescription type, List<Target> targets, String reason) {
    for (Target target : targets) {
      account.failed(
          type.getName(), target.method.getInternalName(), target.method.getDescriptor(), reason);
    }
  }

  /**
   * Where a method is both, the worker's part comes first in the list and in the code, so that the
   * sender's runs inside its span.
   */
  private List<Target> targets(TypeDescription type, Forwarders forwarders) {
    List<Target> dispatched = new ArrayList<>();
    List<Target> registered = new ArrayList<>();
    boolean listed = methods.namesClass(type.getName());
    for (MethodDescription method : type.getDeclaredMethods()) {
      Forwarders.Worker behind = forwarders.behind(method);
      if (Annotations.isDispatch(method) && behind == null) {
        dispatched.add(
            new Target(method, linked(DispatchAdvice.class, "dispatch"), Account.Use.DISPATCH));
      }
      if (behind != null && Annotations.isAnnotated(method)) {
        account.leftAlone(type.getName(), method.getInternalName(), method.getDescriptor());
      }
      // Asked of annotated methods as well: an entry that names them has matched.
      boolean named = listed && isListed(type, method, behind);
      if (named || (Annotations.isRegister(method) && behind == null)) {
        String returned = method.getReturnType().asErasure().getName();
        Class<?> advice =
            FUTURES.contains(returned) ? RegisterFutureAdvice.class : RegisterAdvice.class;
        registered.add(new Target(method, linked(advice, "start"), Annotations.use(method)));
      }
    }
    registered.addAll(dispatched);
    return registered;
  }

  /** Where the list names both a forwarder and what it leads to, the latter makes the span. */
  private boolean isListed(
      TypeDescription type, MethodDescription method, Forwarders.@Nullable Worker behind) {
    return Annotations.isWeavable(method)
        && methods.names(type.getName(), method.getName())
        && (behind == null
            || (!Annotations.isRegister(method)
                && !methods.names(behind.className(), behind.name())));
  }

  private boolean weavable(TypeDescription type, byte[] bytes, Target target) {
    try {
      weave(type, bytes, List.of(target));
      return true;
    } catch (RuntimeException | LinkageError e) {
      AgentLog.warn(type.getName() + "." + target.method.getName() + " stays untraced: " + e);
      failed(type, List.of(target), e.toString());
      return false;
    }
  }

  private byte[] weave(TypeDescription type, byte[] bytes, List<Target> targets) {
    ForDeclaredMethods visitor = new ForDeclaredMethods();
    for (Target target : targets) {
      visitor = visitor.invokable(target::matches, target.advice);
    }
    byte[] woven = MethodBodies.decorate(type, bytes, visitor);
    AgentLog.debug("woven: " + type.getName() + ", " + targets.size() + " methods");
    return woven;
  }

  private byte[] weaveGlobal(TypeDescription type, byte[] bytes) {
    Advice get = Advice.to(GlobalGetAdvice.class, agentClasses());
    Advice set = Advice.to(GlobalSetAdvice.class, agentClasses());
    return MethodBodies.decorate(
        type,
        bytes,
        new ForDeclaredMethods()
            .invokable(
                ElementMatchers.namedOneOf("get", "getOrNoop")
                    .and(ElementMatchers.takesNoArguments()),
                get)
            .invokable(ElementMatchers.named("set"), set));
  }

  private Advice linked(Class<?> type, String bootstrap) {
    Advice known = read.get(type);
    if (known == null) {
      known =
          Advice.withCustomMapping()
              .bind(LinkedStart.Binding.to(hook(bootstrap)))
              .to(type, agentClasses())
              .withExceptionHandler(
                  new Advice.ExceptionHandler.Simple(MethodInvocation.invoke(hook("failed"))));
      read.put(type, known);
    }
    return known;
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

  static boolean seesHook(ClassLoader loader) {
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
