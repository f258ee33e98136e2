package io.rollotel.agent.ray;

import io.rollotel.agent.api.RemoteSpan;
import io.rollotel.agent.api.Tracing;
import io.rollotel.agent.hook.RayHook;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.RaySpans;
import io.rollotel.traces.collector.HostFiles;
import io.rollotel.traces.otlp.CallJoins;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The agent behind {@link RayHook}: Ray's calls as spans. The sender's span is a producer. The
 * executor's span is a consumer and its child, if the context came with an argument. If no argument
 * could carry it, both have the same {@code ray.task_id}, by which readers join them.
 */
final class RayCalls implements RayHook.Target {

  /** How long the end of a job may wait for the last spans of another host's workers. */
  private static final long MOST_PATIENCE_MILLIS = 2_000;

  /** Marks a {@code get} or {@code wait} for which no span is made. */
  private static final Object RESULTS = new Object();

  private final CurrentSettings settings;
  private final LoaderTracing tracings;
  private final ClassLoader loader;
  private final String pid = Long.toString(ProcessHandle.current().pid());
  private final boolean verbose;
  final DrivenJob job;

  /**
   * Not before the first call, because Ray's classes are still being loaded when this object is
   * created.
   */
  private volatile @Nullable RayRuntime found;

  private final boolean isWorker =
      System.getProperty("sun.java.command", "").contains(".DefaultWorker");
  private volatile boolean hasFlushed;

  private volatile @Nullable ProcessIds ids;

  /** Puts the agent behind Ray's hook; the parameters are those of the constructor. */
  static void connect(
      CurrentSettings settings,
      ClassLoader loader,
      Function<ClassLoader, @Nullable Tracing> tracings) {
    RayHook.connect(new RayCalls(settings, loader, tracings));
  }

  /**
   * Behind the hook of one process.
   *
   * @param loader where Ray is
   * @param tracings tracing as the classes of a loader see it; null if it is too late for it
   */
  RayCalls(
      CurrentSettings settings,
      ClassLoader loader,
      Function<ClassLoader, @Nullable Tracing> tracings) {
    this.settings = settings;
    this.tracings = new LoaderTracing(tracings);
    this.loader = loader;
    verbose = settings.get().ray() == RaySpans.VERBOSE;
    job = new DrivenJob(settings, this.tracings::of);
  }

  @Override
  public @Nullable Object sending(
      Object runtime, Object function, @Nullable Object actor, boolean isVoid) throws Throwable {
    Tracing tracing = tracingHere(runtime);
    if (tracing == null) {
      return null;
    }
    RayFunction called = function(function);
    if (called.isAgents) {
      return null;
    }
    Sending started = start(tracing, runtime, called, actor, actor != null);
    if (isVoid && started.span().isRecording()) {
      try {
        // The call has no result that would show it.
        started.identifyByResult(ray().nextObjectId(runtime, actor));
      } catch (Throwable t) {
        TraceHook.failed(t);
      }
    }
    return started;
  }

  @Override
  public @Nullable Object creating(Object runtime, Object function) throws Throwable {
    Tracing tracing = tracingHere(runtime);
    return tracing == null
        ? null
        : start(tracing, runtime, function(function).creation(), null, true);
  }

  private RayFunction function(Object descriptor) throws Throwable {
    return RayFunction.of(ray().names(descriptor), RayRuntime.isJava(descriptor));
  }

  private Sending start(
      Tracing tracing, Object runtime, RayFunction called, @Nullable Object actor, boolean inActor)
      throws Throwable {
    Sending started = Sending.begin(tracing.send(called.sent, "PRODUCER"));
    try {
      if (started.span().isRecording()) {
        describe(started.span(), runtime, called, inActor);
        if (actor != null) {
          started.span().set("ray.actor_id", ray().handleId(actor));
        }
      }
    } catch (Throwable t) {
      TraceHook.failed(t); // the call has begun, and ends like any other
    }
    return started;
  }

  @Override
  public void carry(Object value) throws Throwable {
    Sending current = Sending.current();
    if (current != null && !current.isCarried()) {
      current.carryIn(value, ray());
    }
  }

  @Override
  public void submitting(Object task) throws Throwable {
    Sending current = Sending.current();
    if (current != null && current.span().isRecording()) {
      current.identify(ray().specTaskId(task));
    }
  }

  @Override
  public void sent(Object started, @Nullable Object returned, @Nullable Throwable thrown)
      throws Throwable {
    job.used();
    Sending ended = (Sending) started;
    ended.leave();
    try {
      if (ended.span().isRecording()) {
        if (returned != null) {
          ended.returned(returned, ray());
        }
        ended.describe();
      }
    } finally {
      ended.span().end(thrown);
    }
  }

  @Override
  public @Nullable Object executing(Object executor, List<String> function, List<?> arguments)
      throws Throwable {
    RayFunction named = RayFunction.of(function, true);
    if (named.isAgents) {
      return null;
    }
    Object runtime = ray().runtimeOf(executor);
    Object context = ray().context(runtime);
    String type = ray().taskType(context);
    boolean isCreation = type.equals("ACTOR_CREATION_TASK");
    RayFunction called = isCreation ? named.creation() : named;
    if (isWorker && !tracings.isKnown()) {
      nameService(isCreation ? called.simpleClass : "ray-worker");
    }
    Tracing tracing = tracings.of(ray().functionLoader(executor));
    if (tracing == null) {
      return null;
    }
    Carried carried = null;
    for (int i = 0; carried == null && i < arguments.size(); i++) {
      carried = Carried.of(ray().metadata(arguments.get(i)));
    }
    if (carried != null && TraceHook.asksForRun()) {
      TraceHook.receivedFrom(carried.runId());
    }
    RemoteSpan span =
        tracing.receive(
            called.received,
            called.qualified,
            carried == null ? null : carried.traceparent(),
            carried == null ? 0 : carried.sentAtEpochNanos(),
            carried == null ? rootTraceId(context) : null);
    Execution started = Execution.begin(span, tracing, !arguments.isEmpty());
    try {
      if (span.isRecording()) {
        boolean inActor = !type.equals("NORMAL_TASK");
        describe(span, runtime, called, inActor);
        span.set("ray.task_id", ray().taskId(context));
        if (carried == null) {
          span.set(CallJoins.JOIN, "ray.task_id");
        }
        span.set("ray.worker_id", ids(runtime).workerId(ray(), runtime));
        if (inActor) {
          span.set("ray.actor_id", ray().actorId(context));
        }
      }
    } catch (Throwable t) {
      TraceHook.failed(t); // the scope is open, and is closed like any other
    }
    return started;
  }

  /**
   * Lets readers find the sender even if only the ids and times of the span are left. Null while
   * the run is unknown: a new cluster restarts the numbering of its tasks, and traces of two runs
   * must not share an id.
   */
  private @Nullable String rootTraceId(Object context) {
    try {
      String runId = TraceHook.runId();
      if (runId == null && isWorker) {
        runId = settings.get().runId(); // it joins that run with its first span
      }
      return runId == null ? null : CallJoins.derivedTraceId(runId, ray().taskId(context));
    } catch (Throwable t) {
      TraceHook.failed(t);
      return null;
    }
  }

  @Override
  public void phase(String name) {
    Execution current = Execution.current();
    if (current != null) {
      current.phase(name);
    }
  }

  @Override
  public void caught(Throwable thrown) {
    Execution current = Execution.current();
    if (current != null) {
      current.caught(thrown);
    }
  }

  @Override
  public void executed(Object execution, @Nullable Throwable thrown) {
    Execution ended = (Execution) execution;
    boolean exits = ended.end(thrown);
    boolean isFirst = isWorker && !hasFlushed;
    if (exits || isFirst || (isWorker && thrown != null)) {
      hasFlushed = true;
      // The first export takes longer than some workers live after their first task.
      ended.tracing().flush(TimeUnit.MILLISECONDS.toNanos(settings.get().exitTimeoutMillis()));
      if (isFirst) {
        ended.tracing().sayIfNobodyCollects();
      }
    } else if (isWorker) {
      ended.tracing().flushSoon();
    }
  }

  @Override
  public @Nullable Object using(String name, Object runtime, int objects) {
    Tracing tracing = verbose && !job.isFetching() ? tracingHere(runtime) : null;
    if (tracing == null) {
      return name.equals("put") ? null : RESULTS;
    }
    return ObjectStoreUse.start(tracing, name, objects);
  }

  @Override
  public void bytes(Object values) throws Throwable {
    ObjectStoreUse current = verbose ? ObjectStoreUse.current() : null;
    if (current != null) {
      current.count(ray(), values);
    }
  }

  @Override
  public void used(Object use, @Nullable Throwable thrown) {
    job.used();
    if (use instanceof ObjectStoreUse traced) {
      traced.end(thrown);
    }
  }

  @Override
  public List<String> jvmOptions(Object config, List<String> given) throws Throwable {
    ids = null;
    return job.jvmOptions(config, given);
  }

  @Override
  public void connected(Object node) throws Throwable {
    job.connected(node);
  }

  @Override
  public void ending(Object runtime, boolean isAll) throws Throwable {
    if (isAll) {
      ProcessIds own = ids; // null if there was no call
      job.ending(runtime, own == null ? null : own.nodeId());
    } else {
      job.endingActor();
    }
  }

  @Override
  public byte[] left(String runId, String mark) throws IOException {
    File outputDir = new File(settings.get().outputDir()).getAbsoluteFile();
    // Less than the driver waits for the answer.
    long patienceMillis = Math.min(MOST_PATIENCE_MILLIS, settings.get().fetchTimeoutMillis() / 2);
    return HostFiles.pack(
        outputDir.toPath(),
        runId,
        mark,
        TimeUnit.MILLISECONDS.toNanos(patienceMillis),
        AgentLog::info);
  }

  private void describe(RemoteSpan span, Object runtime, RayFunction called, boolean inActor)
      throws Throwable {
    span.set("ray.remote", inActor ? "actor" : "function");
    if (inActor) {
      span.set("ray.actor_class", called.className);
      span.set("ray.actor_method", called.method);
    }
    span.set("ray.function", called.qualified);
    span.set("ray.pid", pid);
    ProcessIds own = ids(runtime);
    span.set("ray.job_id", own.jobId(ray(), runtime));
    span.set("ray.node_id", own.nodeId());
  }

  private RayRuntime ray() throws ReflectiveOperationException {
    RayRuntime ray = found;
    if (ray == null) {
      try {
        ray = new RayRuntime(loader);
      } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
        RayHook.connect(null);
        AgentLog.warn("this version of Ray is unknown; its calls are not traced: " + e);
        throw e;
      }
      found = ray;
    }
    return ray;
  }

  /** In a cluster, a process has one of each, except for a driver that begins another job. */
  private ProcessIds ids(Object runtime) throws Throwable {
    ProcessIds known = ids;
    if (known == null) {
      known = ProcessIds.of(ray(), runtime);
      ids = known;
    }
    return known;
  }

  private void nameService(String name) {
    if (settings.get().otel("otel.service.name") == null
        && settings.get().environment("CLUSTER_NAME") == null) {
      AgentLog.debug("a Ray worker: service.name is " + name);
      if (!settings.add(Map.of("otel.service.name", name))) {
        AgentLog.debug("too late for service.name");
      }
    }
  }

  /** As seen by the classes that called Ray: those of the thread's class loader. */
  private @Nullable Tracing tracingHere(Object runtime) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return tracings.of(loader == null ? runtime.getClass().getClassLoader() : loader);
  }

  static <T> void restore(ThreadLocal<T> local, @Nullable T outer) {
    if (outer == null) {
      local.remove();
    } else {
      local.set(outer);
    }
  }
}
