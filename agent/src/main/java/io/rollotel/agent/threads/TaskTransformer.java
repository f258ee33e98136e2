package io.rollotel.agent.threads;

import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.weave.Weaver;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

/**
 * Weaves the few classes of the JDK through which work passes from thread to thread, so that the
 * context goes along: see {@link #PLACES}. And the {@code run()} of the application's own
 * subclasses of {@code Thread}, which the JVM calls directly.
 *
 * <p>Bodies alone change, as in {@link Weaver}: the JDK's classes are loaded long before.
 */
final class TaskTransformer implements ClassFileTransformer, AutoCloseable {

  private static final String CONCURRENT = "java.util.concurrent.";
  private static final String FUTURE = CONCURRENT + "CompletableFuture";
  private static final String NEW = "<init>";
  private static final String TASK = "Ljava/util/concurrent/ForkJoinTask;";
  private static final String RUNNABLE = "Ljava/lang/Runnable;";

  /** What becomes of a method's body. */
  private enum Change {
    /** Hands {@code this} over, or the argument that the place names. */
    HAND_OVER,
    /** Queues its argument. */
    SUBMIT,
    /** Keeps its argument as the task of a thread. */
    WRAP,
    /** A constructor of what is handed over afterwards. */
    HAND_OVER_NEW,
    /** The constructor of a stage: without an executor it runs where its source completes. */
    HAND_OVER_NEW_IF_ASYNC,
    /** Does the task's work. */
    RUN,
    /** Runs tasks one after the other. */
    RUN_IN_POOL,
    /** Makes a thread for everybody, or runs other people's tasks while it waits. */
    CLEAR
  }

  /**
   * Where a task is handed over, or run.
   *
   * @param argument the index of the one that must be of {@code type}; -1 where none matters
   */
  private record Place(String className, String method, int argument, String type, Change change) {

    Place(String className, String method, Change change) {
      this(className, method, -1, "", change);
    }

    boolean matches(String name, String descriptor) {
      if (!name.equals(method)) {
        return false;
      }
      if (argument < 0) {
        return change != Change.RUN || descriptor.startsWith("()");
      }
      Type[] types = Type.getArgumentTypes(descriptor);
      return argument < types.length && types[argument].getDescriptor().equals(type);
    }

    /** The variable that the argument lies in; the object itself where none matters. */
    int slot(String descriptor) {
      int slot = argument < 0 ? 0 : 1;
      Type[] types = Type.getArgumentTypes(descriptor);
      for (int i = 0; i < argument; i++) {
        slot += types[i].getSize();
      }
      return slot;
    }
  }

  /** Names that only some JDKs have are looked for in vain in the others. */
  private static final List<Place> PLACES =
      List.of(
          new Place("java.lang.Thread", "start", Change.HAND_OVER),
          new Place("java.lang.Thread", "run", Change.RUN),
          new Place("java.lang.VirtualThread", NEW, 3, RUNNABLE, Change.WRAP),
          new Place(CONCURRENT + "FutureTask", NEW, Change.HAND_OVER_NEW),
          new Place(CONCURRENT + "FutureTask", "run", Change.RUN),
          new Place(CONCURRENT + "ThreadPoolExecutor", "execute", 0, RUNNABLE, Change.SUBMIT),
          new Place(CONCURRENT + "ThreadPoolExecutor", "addWorker", Change.CLEAR),
          new Place(CONCURRENT + "ThreadPoolExecutor", "runWorker", Change.RUN_IN_POOL),
          new Place(CONCURRENT + "ForkJoinTask", "fork", Change.HAND_OVER),
          new Place(CONCURRENT + "ForkJoinTask", "doExec", Change.RUN),
          new Place(CONCURRENT + "ForkJoinTask", "awaitDone", Change.CLEAR),
          new Place(CONCURRENT + "ForkJoinPool", "externalPush", 0, TASK, Change.HAND_OVER),
          new Place(CONCURRENT + "ForkJoinPool", "externalSubmit", 0, TASK, Change.HAND_OVER),
          new Place(CONCURRENT + "ForkJoinPool", "poolSubmit", 0, TASK, Change.HAND_OVER),
          new Place(CONCURRENT + "ForkJoinPool", "scheduleDelayedTask", 0, TASK, Change.HAND_OVER),
          new Place(CONCURRENT + "ForkJoinPool", "poolSubmit", 1, TASK, Change.HAND_OVER),
          new Place(CONCURRENT + "ForkJoinPool", "createWorker", Change.CLEAR),
          new Place(CONCURRENT + "ForkJoinPool", "helpAsyncBlocker", Change.CLEAR),
          new Place(FUTURE + "$UniCompletion", NEW, Change.HAND_OVER_NEW_IF_ASYNC),
          new Place(FUTURE + "$Completion", "run", Change.RUN),
          new Place(FUTURE + "$Completion", "exec", Change.RUN),
          new Place(FUTURE + "$AsyncRun", NEW, Change.HAND_OVER_NEW),
          new Place(FUTURE + "$AsyncRun", "run", Change.RUN),
          new Place(FUTURE + "$AsyncSupply", NEW, Change.HAND_OVER_NEW),
          new Place(FUTURE + "$AsyncSupply", "run", Change.RUN));

  private static final List<Place> OWN_THREADS = List.of(new Place("", "run", Change.RUN));

  private final Class<?> hook;

  /** Puts the contexts behind the hook. */
  TaskTransformer(Instrumentation instrumentation, TaskContexts contexts) throws Exception {
    hook = TaskHookCopy.define(instrumentation);
    TaskHookCopy.connect(hook, contexts);
  }

  /** Takes the contexts away from the hook, which itself stays. */
  @Override
  public void close() throws ReflectiveOperationException {
    TaskHookCopy.connect(hook, null);
  }

  /** The JDK's classes to weave, loaded but not initialised. */
  List<Class<?>> places() {
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
        List<Place> places = new ArrayList<>();
        for (Place place : PLACES) {
          if (place.className.equals(className)) {
            places.add(place);
          }
        }
        return woven(bytes, places);
      }
      // The JDK's own threads serve the whole process, and so do the agent's.
      if (isOfTheJdk(module)
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

  private static boolean isOfTheJdk(Module module) {
    String name = module.getName();
    return name != null && (name.startsWith("java.") || name.startsWith("jdk."));
  }

  /** Whether the class's direct superclass is {@code Thread}. */
  private static boolean extendsThread(byte[] bytes) {
    return "java/lang/Thread".equals(new ClassReader(bytes).getSuperName());
  }

  private static byte @Nullable [] woven(byte[] bytes, List<Place> places) {
    if (places.isEmpty()) {
      return null;
    }
    ClassReader reader = new ClassReader(bytes);
    // Methods that stay as they are are copied as they are.
    ClassWriter writer = new ClassWriter(reader, 0);
    boolean hasFrames = bytes[7] >= Opcodes.V1_6;
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access,
              String name,
              String descriptor,
              @Nullable String signature,
              String @Nullable [] thrown) {
            MethodVisitor body = super.visitMethod(access, name, descriptor, signature, thrown);
            boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
            for (Place place : places) {
              if (place.matches(name, descriptor) && (!isStatic || place.change == Change.CLEAR)) {
                body = changed(body, place, isStatic, hasFrames, descriptor);
              }
            }
            return body;
          }
        },
        ClassReader.EXPAND_FRAMES);
    return writer.toByteArray();
  }

  private static MethodVisitor changed(
      MethodVisitor body, Place place, boolean isStatic, boolean hasFrames, String descriptor) {
    return switch (place.change) {
      case HAND_OVER -> TaskBody.handOver(body, place.slot(descriptor));
      case SUBMIT -> TaskBody.replace(body, "submit", place.slot(descriptor));
      case WRAP -> TaskBody.replace(body, "wrap", place.slot(descriptor));
      case HAND_OVER_NEW -> TaskBody.handOverNew(body, false);
      case HAND_OVER_NEW_IF_ASYNC -> TaskBody.handOverNew(body, true);
      case RUN -> new TaskBody.Around(body, false, hasFrames, isStatic, descriptor);
      case RUN_IN_POOL -> TaskBody.runByHook(body);
      case CLEAR -> new TaskBody.Around(body, true, hasFrames, isStatic, descriptor);
    };
  }
}
