package io.rollotel.agent.ray;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Access to Ray's own objects: one instance for each loader that has Ray. The names are those of
 * 2.39 and of 2.60.
 */
final class RayRuntime {

  private static final String PACKAGE = "io.ray.runtime.";

  private final MethodHandle functionNames;
  private final MethodHandle workerContext;
  private final MethodHandle taskId;
  private final MethodHandle jobId;
  private final MethodHandle actorId;
  private final MethodHandle workerId;
  private final MethodHandle taskType;
  private final MethodHandle runtimeContext;
  private final MethodHandle nodeId;
  private final MethodHandle handleId;
  private final MethodHandle refId;
  private final MethodHandle returnIds;
  private final MethodHandle specTaskId;
  private final MethodHandle specBytes;
  private final MethodHandle executorRuntime;
  private final MethodHandle executorFunction;
  private final MethodHandle functionLoader;
  private final MethodHandle metadata;
  private final MethodHandle setMetadata;
  private final MethodHandle data;
  private final Object noActor;
  private final Class<?> value;
  private final Class<?> ref;

  RayRuntime(ClassLoader loader) throws ReflectiveOperationException {
    Class<?> runtime = type(loader, PACKAGE + "AbstractRayRuntime");
    Class<?> context = type(loader, PACKAGE + "context.WorkerContext");
    Class<?> executor = type(loader, PACKAGE + "task.TaskExecutor");
    Class<?> actor = type(loader, "io.ray.api.id.ActorId");
    value = type(loader, PACKAGE + "object.NativeRayObject");
    ref = type(loader, PACKAGE + "object.ObjectRefImpl");
    functionNames = method(type(loader, PACKAGE + "functionmanager.FunctionDescriptor"), "toList");
    workerContext = method(runtime, "getWorkerContext");
    taskId = method(context, "getCurrentTaskId");
    jobId = method(context, "getCurrentJobId");
    actorId = method(context, "getCurrentActorId");
    workerId = method(context, "getCurrentWorkerId");
    taskType = method(context, "getCurrentTaskType");
    runtimeContext = method(runtime, "getRuntimeContext");
    nodeId = method(type(loader, "io.ray.api.runtimecontext.RuntimeContext"), "getCurrentNodeId");
    handleId = method(type(loader, "io.ray.api.BaseActorHandle"), "getId");
    refId = method(ref, "getId");
    returnIds =
        accessible(runtime.getDeclaredMethod("getCurrentReturnIds", int.class, actor))
            .asType(MethodType.methodType(Object.class, Object.class, int.class, Object.class));
    Class<?> spec = type(loader, PACKAGE + "generated.Common$TaskSpec");
    specTaskId = method(spec, "getTaskId");
    specBytes = method(spec.getMethod("getTaskId").getReturnType(), "toByteArray");
    executorRuntime = getter(executor, "runtime");
    executorFunction = getter(executor, "localRayFunction");
    functionLoader = getter(type(loader, PACKAGE + "functionmanager.RayFunction"), "classLoader");
    metadata = getter(value, "metadata");
    data = getter(value, "data");
    setMetadata =
        MethodHandles.lookup()
            .unreflectSetter(field(value, "metadata"))
            .asType(MethodType.methodType(void.class, Object.class, byte[].class));
    noActor = field(actor, "NIL").get(null);
  }

  /** Class, method and signature; of Python module, class, function and an empty one. */
  @SuppressWarnings("unchecked") // its declared type
  List<String> names(Object function) throws Throwable {
    Object names = functionNames.invokeExact(function);
    return (List<String>) names;
  }

  /** Whether the function is written in Java. */
  static boolean isJava(Object function) {
    return function.getClass().getSimpleName().equals("JavaFunctionDescriptor");
  }

  Object context(Object runtime) throws Throwable {
    return workerContext.invokeExact(runtime);
  }

  String taskId(Object context) throws Throwable {
    return text(taskId.invokeExact(context));
  }

  String jobId(Object context) throws Throwable {
    return text(jobId.invokeExact(context));
  }

  String actorId(Object context) throws Throwable {
    return text(actorId.invokeExact(context));
  }

  String workerId(Object context) throws Throwable {
    return text(workerId.invokeExact(context));
  }

  /** {@code NORMAL_TASK}, {@code ACTOR_TASK} or {@code ACTOR_CREATION_TASK}. */
  String taskType(Object context) throws Throwable {
    return text(taskType.invokeExact(context));
  }

  /** Throws in LOCAL mode. */
  String nodeId(Object runtime) throws Throwable {
    Object known = runtimeContext.invokeExact(runtime);
    return text(nodeId.invokeExact(known));
  }

  /** The id of an actor's handle. */
  String handleId(Object actor) throws Throwable {
    return text(handleId.invokeExact(actor));
  }

  boolean isRef(Object returned) {
    return ref.isInstance(returned);
  }

  /** The id of what a call will return: the task's id and a number. */
  String objectId(Object returned) throws Throwable {
    return text(refId.invokeExact(returned));
  }

  /** The id of what the next call would return, if it returned something; empty in LOCAL mode. */
  String nextObjectId(Object runtime, @Nullable Object actor) throws Throwable {
    Object callee = actor == null ? noActor : handleId.invokeExact(actor);
    Object ids = returnIds.invokeExact(runtime, 1, callee);
    return ids instanceof List<?> list && !list.isEmpty() ? text(list.get(0)) : "";
  }

  /** The id of a task as LOCAL mode describes it. */
  String specTaskId(Object task) throws Throwable {
    Object id = specTaskId.invokeExact(task);
    Object bytes = specBytes.invokeExact(id);
    return HexFormat.of().formatHex((byte[]) bytes);
  }

  Object runtimeOf(Object executor) throws Throwable {
    return executorRuntime.invokeExact(executor);
  }

  /** The class loader of the function that the executor is about to execute on this thread. */
  @Nullable ClassLoader functionLoader(Object executor) throws Throwable {
    Object local = executorFunction.invokeExact(executor);
    Object function = ((ThreadLocal<?>) local).get();
    if (function == null) {
      return null;
    }
    Object loader = functionLoader.invokeExact(function);
    return (ClassLoader) loader;
  }

  /** The metadata of a serialised value; null for another object, or if it has none. */
  byte @Nullable [] metadata(@Nullable Object serialized) throws Throwable {
    if (!value.isInstance(serialized)) {
      return null;
    }
    Object bytes = metadata.invokeExact(serialized);
    return (byte[]) bytes;
  }

  void setMetadata(Object serialized, byte[] bytes) throws Throwable {
    setMetadata.invokeExact(serialized, bytes);
  }

  /** The size of a serialised value in bytes; 0 for anything else. */
  long length(@Nullable Object serialized) throws Throwable {
    if (!value.isInstance(serialized)) {
      return 0;
    }
    Object bytes = data.invokeExact(serialized);
    return bytes == null ? 0 : ((byte[]) bytes).length;
  }

  /** Ray's own form of an id: hex. */
  private static String text(@Nullable Object id) {
    return Optional.ofNullable(id).map(Object::toString).orElse("");
  }

  private static Class<?> type(ClassLoader loader, String name) throws ClassNotFoundException {
    return Class.forName(name, false, loader);
  }

  private static MethodHandle method(Class<?> type, String name)
      throws ReflectiveOperationException {
    return accessible(type.getMethod(name))
        .asType(MethodType.methodType(Object.class, Object.class));
  }

  private static MethodHandle accessible(Method method) throws IllegalAccessException {
    method.setAccessible(true);
    return MethodHandles.lookup().unreflect(method);
  }

  private static MethodHandle getter(Class<?> type, String name)
      throws ReflectiveOperationException {
    return MethodHandles.lookup()
        .unreflectGetter(field(type, name))
        .asType(MethodType.methodType(Object.class, Object.class));
  }

  private static Field field(Class<?> type, String name) throws NoSuchFieldException {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }
}
