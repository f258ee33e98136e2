package io.rollotel.agent.weave;

import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;
import static net.bytebuddy.matcher.ElementMatchers.takesArgument;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import io.rollotel.agent.AgentLog;
import io.rollotel.agent.TaskContexts;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinTask;
import java.util.function.Supplier;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.AsmVisitorWrapper.ForDeclaredMethods;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.pool.TypePool;
import net.bytebuddy.utility.OpenedClassReader;
import org.jspecify.annotations.Nullable;

/**
 * Weaves the few classes of the JDK through which work passes from thread to thread, so that the
 * context goes along: see {@link #PLACES}. And the {@code run()} of the application's own
 * subclasses of {@code Thread}, which the JVM calls directly.
 *
 * <p>Bodies alone change, as in {@link Weaver}: the JDK's classes are loaded long before.
 */
public final class TaskWeaver
    implements ClassFileTransformer, Supplier<List<Class<?>>>, AutoCloseable {

  /** A place where a task is handed over, or run. */
  private record Place(
      String className, ElementMatcher<? super MethodDescription> methods, Class<?> advice) {}

  private static final String CONCURRENT = "java.util.concurrent.";
  private static final String FUTURE = CONCURRENT + "CompletableFuture";

  private static final ElementMatcher<MethodDescription> TAKES_TASK_FIRST =
      takesArgument(0, ForkJoinTask.class);
  private static final ElementMatcher<MethodDescription> TAKES_TASK_SECOND =
      takesArgument(1, ForkJoinTask.class);

  /** Names that only some JDKs have are looked for in vain in the others. */
  private static final List<Place> PLACES =
      List.of(
          new Place("java.lang.Thread", named("start"), TaskAdvice.HandOverThis.class),
          new Place("java.lang.Thread", named("run").and(takesArguments(0)), TaskAdvice.Run.class),
          new Place(
              "java.lang.VirtualThread",
              isConstructor().and(takesArgument(3, Runnable.class)),
              TaskAdvice.WrapFourth.class),
          new Place(CONCURRENT + "FutureTask", isConstructor(), TaskAdvice.HandOverNew.class),
          new Place(CONCURRENT + "FutureTask", named("run"), TaskAdvice.Run.class),
          new Place(CONCURRENT + "ThreadPoolExecutor", named("execute"), TaskAdvice.Submit.class),
          new Place(CONCURRENT + "ThreadPoolExecutor", named("addWorker"), TaskAdvice.Clear.class),
          new Place(CONCURRENT + "ThreadPoolExecutor", named("runWorker"), RunInPool.class),
          new Place(CONCURRENT + "ForkJoinTask", named("fork"), TaskAdvice.HandOverThis.class),
          new Place(CONCURRENT + "ForkJoinTask", named("doExec"), TaskAdvice.Run.class),
          new Place(CONCURRENT + "ForkJoinTask", named("awaitDone"), TaskAdvice.Clear.class),
          new Place(
              CONCURRENT + "ForkJoinPool",
              namedOneOf("externalPush", "externalSubmit", "poolSubmit", "scheduleDelayedTask")
                  .and(TAKES_TASK_FIRST),
              TaskAdvice.HandOverFirst.class),
          new Place(
              CONCURRENT + "ForkJoinPool",
              named("poolSubmit").and(TAKES_TASK_SECOND),
              TaskAdvice.HandOverSecond.class),
          new Place(
              CONCURRENT + "ForkJoinPool",
              namedOneOf("createWorker", "helpAsyncBlocker"),
              TaskAdvice.Clear.class),
          new Place(
              FUTURE + "$UniCompletion", isConstructor(), TaskAdvice.HandOverNewIfAsync.class),
          new Place(FUTURE + "$Completion", namedOneOf("run", "exec"), TaskAdvice.Run.class),
          new Place(FUTURE + "$AsyncRun", isConstructor(), TaskAdvice.HandOverNew.class),
          new Place(FUTURE + "$AsyncRun", named("run"), TaskAdvice.Run.class),
          new Place(FUTURE + "$AsyncSupply", isConstructor(), TaskAdvice.HandOverNew.class),
          new Place(FUTURE + "$AsyncSupply", named("run"), TaskAdvice.Run.class));

  private final Class<?> hook;

  private final ClassFileLocator advice =
      TaskHookCopy.renamed(ClassFileLocator.ForClassLoader.of(TaskWeaver.class.getClassLoader()));

  /** For {@code TaskThreads}, by reflection: puts the contexts behind the hook. */
  public TaskWeaver(Instrumentation instrumentation, TaskContexts contexts) throws Exception {
    hook = TaskHookCopy.define(instrumentation);
    TaskHookCopy.connect(hook, contexts);
  }

  /** Takes the contexts away from the hook, which itself stays. */
  @Override
  public void close() throws ReflectiveOperationException {
    TaskHookCopy.connect(hook, null);
  }

  /** The JDK's classes to weave, loaded but not initialised. */
  @Override
  public List<Class<?>> get() {
    List<Class<?>> found = new ArrayList<>();
    for (Place place : PLACES) {
      try {
        Class<?> type = Class.forName(place.className, false, null);
        if (!found.contains(type)) {
          found.add(type);
        }
      } catch (ClassNotFoundException notInThisJdk) {
        AgentLog.debug("this JDK has no " + place.className);
      }
    }
    return found;
  }

  @Override
  public byte @Nullable [] transform(
      Module module,
      @Nullable ClassLoader loader,
      @Nullable String name,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] bytes) {
    if (name == null) {
      return null;
    }
    try {
      String className = name.replace('/', '.');
      if (loader == null) {
        return weave(className, bytes);
      }
      // The JDK's own threads serve the whole process, and so do the agent's.
      if (isOfTheJdk(module)
          || loader == TaskWeaver.class.getClassLoader()
          || !extendsThread(bytes)) {
        return null;
      }
      return decorate(
          className,
          bytes,
          loader,
          new ForDeclaredMethods()
              .invokable(named("run").and(takesArguments(0)), to(TaskAdvice.Run.class)));
    } catch (Throwable t) {
      AgentLog.warn(name + " does not hand the context on: " + t);
      return null;
    }
  }

  private static boolean isOfTheJdk(Module module) {
    String name = module.getName();
    return name != null && (name.startsWith("java.") || name.startsWith("jdk."));
  }

  /** Whether the class's direct superclass is {@code Thread}. */
  private static boolean extendsThread(byte[] bytes) {
    return "java/lang/Thread".equals(OpenedClassReader.of(bytes).getSuperName());
  }

  private byte @Nullable [] weave(String name, byte[] bytes) {
    ForDeclaredMethods visitor = new ForDeclaredMethods();
    boolean any = false;
    for (Place place : PLACES) {
      if (place.className.equals(name)) {
        any = true;
        visitor =
            place.advice == RunInPool.class
                ? visitor.method(place.methods, new RunInPool())
                : visitor.invokable(place.methods, to(place.advice));
      }
    }
    return any ? decorate(name, bytes, null, visitor) : null;
  }

  private Advice to(Class<?> type) {
    return Advice.to(type, advice);
  }

  private static byte[] decorate(
      String name, byte[] bytes, @Nullable ClassLoader loader, AsmVisitorWrapper visitor) {
    TypeDescription type =
        MethodBodies.describe(name, bytes, ClassFileLocator.ForClassLoader.of(loader));
    return MethodBodies.decorate(type, bytes, visitor);
  }

  /** Puts {@code TaskHook.run(task)} in the place of {@code task.run()}. */
  private static final class RunInPool implements ForDeclaredMethods.MethodVisitorWrapper {
    @Override
    public MethodVisitor wrap(
        TypeDescription instrumentedType,
        MethodDescription instrumentedMethod,
        MethodVisitor methodVisitor,
        Implementation.Context implementationContext,
        TypePool typePool,
        int writerFlags,
        int readerFlags) {
      return new MethodVisitor(Opcodes.ASM9, methodVisitor) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String name, String descriptor, boolean isInterface) {
          if (opcode == Opcodes.INVOKEINTERFACE
              && owner.equals("java/lang/Runnable")
              && name.equals("run")) {
            super.visitMethodInsn(
                Opcodes.INVOKESTATIC, TaskHookCopy.NAME, "run", "(Ljava/lang/Runnable;)V", false);
          } else {
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
          }
        }
      };
    }
  }
}
