package io.rollotel.agent.weave;

import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.MethodList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

/**
 * Weaves a class: from its loader and its bytes to its new bytes, or null if nothing needs to
 * change. Threads may share it.
 *
 * <p>Only method bodies change: no member, no interface, no version. So serialVersionUID stays the
 * same, and other agents may retransform the class.
 */
public final class Weaver {

  /** Declared to return one of these, a method ends its span when it completes. */
  private static final Set<String> FUTURES =
      Set.of(
          "java.util.concurrent.CompletionStage",
          "java.util.concurrent.CompletableFuture",
          "com.google.common.util.concurrent.ListenableFuture");

  /**
   * The JVM calls these while it links a call site. If such a method were woven, linking it would
   * call it again, without end.
   */
  private static final Set<String> ASKED_WHILE_LINKING =
      Set.of("java/lang/SecurityManager", "java/security/Policy");

  /** Further methods that such a class would override, beside {@code check…}. */
  private static final Set<String> ANSWERS = Set.of("implies", "getPermissions", "getThreadGroup");

  /** Loaders that do not see the hook; each is logged once. */
  private final Set<ClassLoader> blind =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private static final String ASKED = "the JVM calls it for permission checks while it links";

  private final AtomicBoolean hasLoggedTooOld = new AtomicBoolean();

  private final MethodList methods;
  private final Ledger ledger;

  /** A method to weave, once as a worker's and perhaps once more as a sender's. */
  private record Target(ClassFile file, DeclaredMethod method, Ledger.Use use, boolean givesFuture)
      implements BodyChange {

    @Override
    public MethodVisitor change(MethodVisitor body, MethodHead same) {
      String type = file.internalName();
      if (use == Ledger.Use.DISPATCH) {
        return new WovenBody(body, type, method, new WovenStart(file, method, "dispatch"));
      }
      WovenStart start =
          use == Ledger.Use.PHASE
              ? new WovenStart(file, method)
              : new WovenStart(file, method, "start");
      return new TracedBody(body, type, method, start, givesFuture);
    }
  }

  public Weaver(MethodList methods, Ledger ledger) {
    this.methods = methods;
    this.ledger = ledger;
  }

  /** The new bytes of a class; null if nothing needs to change. */
  public byte @Nullable [] weave(ClassLoader loader, byte[] bytes) {
    ClassFile file = new ClassFile(loader, bytes);
    boolean global = file.name().equals(GlobalBody.GLOBAL);
    List<Target> targets = global ? List.of() : targets(file);
    if (targets.isEmpty() && !global) {
      return null;
    }
    if (!seesHook(loader)) {
      if (!global && blind.add(loader)) {
        AgentLog.warn(
            file.name()
                + " stays untraced: its class loader does not see the agent ("
                + loader
                + "); the exit report counts further classes of this loader");
      }
      failed(file, targets, Ledger.BLIND_LOADER);
      return null;
    }
    if (global) {
      return rewrite(file, GlobalBody.places());
    }
    if (file.isOlderThan(Opcodes.V1_7)) {
      if (hasLoggedTooOld.compareAndSet(false, true)) {
        AgentLog.warn(
            file.name()
                + " stays untraced: "
                + Ledger.TOO_OLD
                + "; the exit report counts further such classes");
      }
      failed(file, targets, Ledger.TOO_OLD);
      return null;
    }
    if (isAskedWhileLinking(file, targets)) {
      AgentLog.warn(file.name() + " stays untraced: " + ASKED);
      failed(file, targets, ASKED);
      return null;
    }
    byte[] woven = weaveAllThatCan(file, targets);
    boolean annotated = false;
    for (Target target : targets) {
      annotated |= target.method.isAnnotated();
      ledger.woven(file.name(), target.method.name, target.method.descriptor, target.use);
    }
    // Scala's compiler runs no annotation processors, so this is no mistake of the user.
    if (!file.forwarders().areOfScala() && annotated) {
      ledger.unindexed().woven(loader, file.name());
    }
    return woven;
  }

  /**
   * Whether the class answers the JVM's permission checks. For most classes the names of their
   * methods already rule that out.
   */
  private static boolean isAskedWhileLinking(ClassFile file, List<Target> targets) {
    for (Target target : targets) {
      if (target.method.name.startsWith("check") || ANSWERS.contains(target.method.name)) {
        return file.isBelow(ASKED_WHILE_LINKING);
      }
    }
    return false;
  }

  /** Removes the methods that cannot be woven from the list. */
  private byte @Nullable [] weaveAllThatCan(ClassFile file, List<Target> targets) {
    try {
      return weave(file, targets);
    } catch (RuntimeException | LinkageError oneOfThem) {
      // Find out which, so that one method that cannot be woven never costs another.
      targets.removeIf(target -> !weavable(file, target));
      return targets.isEmpty() ? null : weave(file, targets);
    }
  }

  private void failed(ClassFile file, List<Target> targets, String reason) {
    for (Target target : targets) {
      ledger.failed(file.name(), target.method.name, target.method.descriptor, reason);
    }
  }

  /**
   * Where a method is both, the worker's part comes first in the list and in the code, so that the
   * sender's runs inside its span.
   */
  private List<Target> targets(ClassFile file) {
    List<Target> dispatched = new ArrayList<>();
    List<Target> registered = new ArrayList<>();
    boolean listed = methods.namesLoaded(file.name());
    for (DeclaredMethod method : file.methods()) {
      Forwarders.Worker behind = file.forwarders().behind(method);
      if (method.isDispatch() && behind == null) {
        dispatched.add(new Target(file, method, Ledger.Use.DISPATCH, false));
      }
      if (behind != null && method.isAnnotated()) {
        ledger.leftAlone(file.name(), method.name, method.descriptor);
      }
      // Also checked for annotated methods: an entry that names them has matched.
      boolean named = listed && isListed(file.name(), method, behind);
      boolean isWorker = named || (method.isRegister() && behind == null);
      if (isWorker || (method.isPhase() && behind == null)) {
        registered.add(
            new Target(
                file,
                method,
                isWorker ? useOf(method) : Ledger.Use.PHASE,
                FUTURES.contains(Type.getReturnType(method.descriptor).getClassName())));
      }
    }
    registered.addAll(dispatched);
    return registered;
  }

  private static Ledger.Use useOf(DeclaredMethod worker) {
    return worker.traced() ? Ledger.Use.TRACE : Ledger.Use.SUPPRESS;
  }

  /**
   * If the list names both a forwarder and its target, the target makes the span. A payload's
   * getter of its meta_info makes none, since the agent's own calls of it would as well.
   */
  private boolean isListed(
      String className, DeclaredMethod method, Forwarders.@Nullable Worker behind) {
    return method.isWeavable()
        && !method.isMetaInfoGetter()
        && methods.names(className, method.name)
        && (behind == null
            || (!method.isRegister() && !methods.names(behind.className(), behind.name())));
  }

  private boolean weavable(ClassFile file, Target target) {
    try {
      weave(file, List.of(target));
      return true;
    } catch (RuntimeException | LinkageError e) {
      AgentLog.warn(file.name() + "." + target.method.name + " stays untraced: " + e);
      failed(file, List.of(target), e.toString());
      return false;
    }
  }

  private static byte @Nullable [] weave(ClassFile file, List<Target> targets) {
    List<MethodPlace> places = new ArrayList<>();
    for (Target target : targets) {
      DeclaredMethod method = target.method;
      places.add(new MethodPlace(file.name(), method.name, method.descriptor, target));
    }
    byte[] woven = rewrite(file, places);
    AgentLog.debug("woven: " + file.name() + ", " + targets.size() + " methods");
    return woven;
  }

  private static byte @Nullable [] rewrite(ClassFile file, List<MethodPlace> places) {
    return ClassRewriter.rewrite(file.reader(), places).bytes();
  }

  /** Whether the classes of a loader can call the hook. */
  public static boolean seesHook(ClassLoader loader) {
    try {
      return Class.forName(TraceHook.class.getName(), false, loader) == TraceHook.class;
    } catch (ClassNotFoundException | LinkageError hidden) {
      return false;
    }
  }
}
