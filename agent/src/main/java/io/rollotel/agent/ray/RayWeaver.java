package io.rollotel.agent.ray;

import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;
import static net.bytebuddy.matcher.ElementMatchers.takesArgument;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import io.rollotel.agent.hook.RayHook;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.weave.MethodBodies;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper.ForDeclaredMethods;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.pool.TypePool;
import org.jspecify.annotations.Nullable;

/**
 * Weaves the few classes of Ray's runtime through which calls go. Bodies alone change, as in {@link
 * Weaver}. A place that another version of Ray does not have is said in one line; the others are
 * woven all the same.
 */
final class RayWeaver {

  private record Place(
      String className,
      ElementMatcher.Junction<? super MethodDescription> methods,
      Class<?> advice) {}

  private static final String PACKAGE = "io.ray.runtime.";
  private static final String RUNTIME = PACKAGE + "AbstractRayRuntime";
  private static final String EXECUTOR = PACKAGE + "task.TaskExecutor";
  private static final String STORE = PACKAGE + "object.ObjectStore";

  private static final List<Place> PLACES =
      List.of(
          new Place(RUNTIME, named("callNormalFunction"), RayAdvice.CallFunction.class),
          new Place(RUNTIME, named("callActorFunction"), RayAdvice.CallActor.class),
          new Place(RUNTIME, named("createActorImpl"), RayAdvice.CreateActor.class),
          new Place(
              RUNTIME,
              named("get").and(takesArguments(List.class, long.class)),
              RayAdvice.UseMany.class),
          new Place(
              RUNTIME,
              named("wait").and(takesArgument(0, List.class)).and(takesArguments(4)),
              RayAdvice.UseMany.class),
          new Place(RUNTIME, named("put"), RayAdvice.UseOne.class),
          new Place(
              PACKAGE + "task.LocalModeTaskSubmitter",
              named("submitTaskSpec"),
              RayAdvice.Submit.class),
          new Place(EXECUTOR, named("execute").and(takesArguments(2)), RayAdvice.Execute.class),
          new Place(EXECUTOR, named("execute").and(takesArguments(2)), InExecute.class),
          new Place(PACKAGE + "task.ArgumentsBuilder", named("wrap"), InWrap.class),
          new Place(STORE, namedOneOf("get", "put"), InStore.class),
          new Place(
              PACKAGE + "config.RayConfig",
              isConstructor().and(takesArguments(1)),
              RayAdvice.Configure.class),
          new Place(
              PACKAGE + "RayNativeRuntime",
              namedOneOf("killActor", "shutdown"),
              RayAdvice.End.class));

  private static final String HOOK = RayHook.class.getName().replace('.', '/');

  private final ClassFileLocator agent =
      ClassFileLocator.ForClassLoader.of(RayWeaver.class.getClassLoader());

  /** Whether a class is one of those to weave. */
  boolean weaves(String className) {
    for (Place place : PLACES) {
      if (place.className.equals(className)) {
        return true;
      }
    }
    return false;
  }

  byte @Nullable [] weave(ClassLoader loader, byte[] bytes) {
    String name = new ClassReader(bytes).getClassName().replace('/', '.');
    TypeDescription type =
        MethodBodies.describe(name, bytes, ClassFileLocator.ForClassLoader.of(loader));
    ForDeclaredMethods visitor = new ForDeclaredMethods().writerFlags(ClassWriter.COMPUTE_MAXS);
    boolean any = false;
    for (Place place : PLACES) {
      if (!place.className.equals(name)) {
        continue;
      }
      if (type.getDeclaredMethods().filter(place.methods).isEmpty()) {
        AgentLog.warn(
            "this version of Ray has no "
                + name
                + " as the agent knows it: not all of Ray's calls become spans");
        continue;
      }
      any = true;
      visitor = visitor.invokable(place.methods, wrapper(place.advice));
    }
    return any ? MethodBodies.decorate(type, bytes, visitor) : null;
  }

  private ForDeclaredMethods.MethodVisitorWrapper wrapper(Class<?> advice) {
    if (advice == InExecute.class) {
      return visiting(InExecute::new);
    }
    if (advice == InWrap.class) {
      return visiting(InWrap::new);
    }
    return advice == InStore.class ? visiting(InStore::new) : Advice.to(advice, agent);
  }

  private static ForDeclaredMethods.MethodVisitorWrapper visiting(
      java.util.function.UnaryOperator<MethodVisitor> around) {
    return new ForDeclaredMethods.MethodVisitorWrapper() {
      @Override
      public MethodVisitor wrap(
          TypeDescription instrumentedType,
          MethodDescription instrumentedMethod,
          MethodVisitor methodVisitor,
          Implementation.Context implementationContext,
          TypePool typePool,
          int writerFlags,
          int readerFlags) {
        return around.apply(methodVisitor);
      }
    };
  }

  /** Says each serialised argument. */
  private static final class InWrap extends MethodVisitor {
    InWrap(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      if (opcode == Opcodes.INVOKESTATIC && name.equals("serialize")) {
        super.visitInsn(Opcodes.DUP);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, "carry", "(Ljava/lang/Object;)V", false);
      }
    }
  }

  /** Says what is stored and what was fetched. */
  private static final class InStore extends MethodVisitor {
    InStore(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      if (name.equals("serialize") || name.equals("getRaw")) {
        super.visitInsn(Opcodes.DUP);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, "bytes", "(Ljava/lang/Object;)V", false);
      }
    }
  }

  /** Says the phases around the executed method, and what the executor catches. */
  private static final class InExecute extends MethodVisitor {

    private final Set<Label> handlers = new HashSet<>();
    private boolean atHandler;

    InExecute(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
      if ("java/lang/Throwable".equals(type)) {
        handlers.add(handler);
      }
      super.visitTryCatchBlock(start, end, handler, type);
    }

    @Override
    public void visitLabel(Label label) {
      super.visitLabel(label);
      atHandler |= handlers.contains(label);
    }

    @Override
    public void visitVarInsn(int opcode, int index) {
      if (atHandler && opcode == Opcodes.ASTORE) {
        atHandler = false;
        super.visitInsn(Opcodes.DUP);
        super.visitMethodInsn(
            Opcodes.INVOKESTATIC, HOOK, "caught", "(Ljava/lang/Throwable;)V", false);
      }
      super.visitVarInsn(opcode, index);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      String phase = opcode == Opcodes.INVOKESTATIC ? phase(name) : "";
      if (!phase.isEmpty()) {
        say(phase);
      }
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      if (!phase.isEmpty()) {
        say("");
      }
    }

    private void say(String phase) {
      super.visitLdcInsn(phase);
      super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, "phase", "(Ljava/lang/String;)V", false);
    }

    private static String phase(String called) {
      return switch (called) {
        case "unwrap" -> "prefetch";
        case "serialize" -> "to_remote";
        default -> "";
      };
    }
  }
}
