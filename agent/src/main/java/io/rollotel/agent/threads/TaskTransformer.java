package io.rollotel.agent.threads;

import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.transform.AnnotatedClassTransformer;
import io.rollotel.agent.weave.ClassRewriter;
import io.rollotel.agent.weave.MethodPlace;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.jar.asm.ClassReader;
import org.jspecify.annotations.Nullable;

/**
 * Weaves the few classes of the JDK through which work passes from thread to thread, so that the
 * context goes along: see {@link #PLACES}. And the {@code run()} of the application's own
 * subclasses of {@code Thread}, which the JVM calls directly.
 *
 * <p>Bodies alone change: the JDK's classes are loaded long before.
 */
final class TaskTransformer implements ClassFileTransformer, AutoCloseable {

  private static final String CONCURRENT = "java.util.concurrent.";
  private static final String FUTURE = CONCURRENT + "CompletableFuture";
  private static final String NEW = "<init>";
  private static final String TASK = "Ljava/util/concurrent/ForkJoinTask;";
  private static final String RUNNABLE = "Ljava/lang/Runnable;";
  private static final String ANY = "(..)";
  private static final String NONE = "()";

  /** No JDK has all of these. */
  private static final List<MethodPlace> PLACES =
      List.of(
          new MethodPlace("java.lang.Thread", "start", ANY, TaskChange.HAND_OVER),
          new MethodPlace("java.lang.Thread", "run", NONE, TaskChange.RUN),
          new MethodPlace(
              "java.lang.VirtualThread", NEW, "(***" + RUNNABLE + "..)", TaskChange.WRAP),
          new MethodPlace(CONCURRENT + "FutureTask", NEW, ANY, TaskChange.HAND_OVER_NEW),
          new MethodPlace(CONCURRENT + "FutureTask", "run", NONE, TaskChange.RUN),
          new MethodPlace(
              CONCURRENT + "ThreadPoolExecutor",
              "execute",
              "(" + RUNNABLE + "..)",
              TaskChange.SUBMIT),
          new MethodPlace(CONCURRENT + "ThreadPoolExecutor", "addWorker", ANY, TaskChange.CLEAR),
          new MethodPlace(
              CONCURRENT + "ThreadPoolExecutor", "runWorker", ANY, TaskChange.RUN_IN_POOL),
          new MethodPlace(CONCURRENT + "ForkJoinTask", "fork", ANY, TaskChange.HAND_OVER),
          new MethodPlace(CONCURRENT + "ForkJoinTask", "doExec", NONE, TaskChange.RUN),
          new MethodPlace(CONCURRENT + "ForkJoinTask", "awaitDone", ANY, TaskChange.CLEAR),
          inPool("externalPush", "(" + TASK + "..)", TaskChange.HAND_OVER_FIRST),
          inPool("externalSubmit", "(" + TASK + "..)", TaskChange.HAND_OVER_FIRST),
          inPool("poolSubmit", "(" + TASK + "..)", TaskChange.HAND_OVER_FIRST),
          inPool("scheduleDelayedTask", ANY, TaskChange.HAND_OVER_FIRST),
          inPool("scheduleAtFixedRate", ANY, TaskChange.CLEAR), // belongs to no single call
          inPool("scheduleWithFixedDelay", ANY, TaskChange.CLEAR),
          inPool("poolSubmit", "(*" + TASK + "..)", TaskChange.HAND_OVER_SECOND),
          inPool("createWorker", ANY, TaskChange.CLEAR),
          inPool("helpAsyncBlocker", ANY, TaskChange.CLEAR),
          new MethodPlace(FUTURE + "$UniCompletion", NEW, ANY, TaskChange.HAND_OVER_NEW_IF_ASYNC),
          new MethodPlace(FUTURE + "$Completion", "run", NONE, TaskChange.RUN),
          new MethodPlace(FUTURE + "$Completion", "exec", NONE, TaskChange.RUN),
          new MethodPlace(FUTURE + "$AsyncRun", NEW, ANY, TaskChange.HAND_OVER_NEW),
          new MethodPlace(FUTURE + "$AsyncRun", "run", NONE, TaskChange.RUN),
          new MethodPlace(FUTURE + "$AsyncSupply", NEW, ANY, TaskChange.HAND_OVER_NEW),
          new MethodPlace(FUTURE + "$AsyncSupply", "run", NONE, TaskChange.RUN));

  private static final List<MethodPlace> OWN_THREADS =
      List.of(new MethodPlace("", "run", NONE, TaskChange.RUN));

  private static MethodPlace inPool(String method, String descriptor, TaskChange change) {
    return new MethodPlace(CONCURRENT + "ForkJoinPool", method, descriptor, change);
  }

  private final Class<?> hook;

  /** Puts the contexts behind the hook. */
  TaskTransformer(Instrumentation instrumentation, TaskContexts contexts) throws Exception {
    hook = TaskHookCopy.define(instrumentation);
    TaskHookCopy.connect(hook, contexts);
  }

  /** Takes the contexts away from the hook, which itself stays. */
  @Override
  public void close() throws ReflectiveOperationException {
    CallInContext.end();
    TaskHookCopy.connect(hook, null);
  }

  /** The JDK's classes to weave, loaded but not initialised. */
  List<Class<?>> places() {
    List<Class<?>> found = new ArrayList<>();
    for (MethodPlace place : PLACES) {
      try {
        Class<?> type = Class.forName(place.className(), false, null);
        if (!found.contains(type)) {
          found.add(type);
        }
      } catch (ClassNotFoundException notInThisJdk) {
        AgentLog.debug("this JDK has no " + place.className());
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
        return woven(bytes, MethodPlace.ofClass(className, PLACES));
      }
      // The JDK's own threads serve the whole process, and so do the agent's.
      if (AnnotatedClassTransformer.isOfTheJdk(module)
          || loader == TaskTransformer.class.getClassLoader()
          || !extendsThread(bytes)) {
        return null;
      }
      return woven(bytes, OWN_THREADS);
    } catch (Throwable t) {
      AgentLog.warn(name + " does not hand the context on: " + t);
      return null;
    }
  }

  /** Whether the class's direct superclass is {@code Thread}. */
  private static boolean extendsThread(byte[] bytes) {
    return "java/lang/Thread".equals(new ClassReader(bytes).getSuperName());
  }

  private static byte @Nullable [] woven(byte[] bytes, List<MethodPlace> places) {
    return places.isEmpty() ? null : ClassRewriter.rewrite(new ClassReader(bytes), places).bytes();
  }
}
