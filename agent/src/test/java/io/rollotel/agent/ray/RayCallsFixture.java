package io.rollotel.agent.ray;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.ray.api.BaseActorHandle;
import io.ray.api.id.ActorId;
import io.ray.runtime.AbstractRayRuntime;
import io.ray.runtime.context.WorkerContext;
import io.ray.runtime.functionmanager.JavaFunctionDescriptor;
import io.ray.runtime.object.NativeRayObject;
import io.ray.runtime.task.TaskExecutor;
import io.rollotel.agent.api.RemoteSpan;
import io.rollotel.agent.api.Tracing;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.TestSettings;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Ray's calls with stubs in the place of Ray's classes and of the SDK's spans. */
abstract class RayCallsFixture {

  static final String TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  static final String TASK_ID = "c0ffee".repeat(8);
  static final JavaFunctionDescriptor STEP =
      new JavaFunctionDescriptor(List.of("com.acme.Rank", "step", "(I)I"));
  static final JavaFunctionDescriptor CREATION =
      new JavaFunctionDescriptor(List.of("com.acme.Rank", "<init>", "()V"));

  /** What the tracing did, in order. */
  final List<String> events = new ArrayList<>();

  final List<Recorded> spans = new ArrayList<>();
  CurrentSettings inForce = new CurrentSettings(TestSettings.of(""));
  final Tracing tracing = tracing();

  /** Records the spans; methods that Ray's calls do not use throw. */
  Tracing tracing() {
    return (Tracing)
        Proxy.newProxyInstance(
            Tracing.class.getClassLoader(),
            new Class<?>[] {Tracing.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "send" -> {
                  return recorded((String) arguments[0], (String) arguments[1], null, 0);
                }
                case "receive" -> {
                  return recorded(
                      (String) arguments[0],
                      "CONSUMER of " + arguments[1],
                      (String) arguments[2],
                      (long) arguments[3]);
                }
                case "flush" -> events.add("flush " + (long) arguments[0] / 1_000_000 + " ms");
                case "sayIfNobodyCollects" -> events.add("say");
                case "flushSoon" -> events.add("flush soon");
                default -> throw new UnsupportedOperationException(method.getName());
              }
              return null;
            });
  }

  boolean isRecording = true;
  String current = TRACEPARENT;

  // ----

  RayCalls calls(String settings) {
    return calls(settings, tracing);
  }

  RayCalls calls(String settings, Tracing behind) {
    inForce = new CurrentSettings(TestSettings.of(settings));
    return new RayCalls(inForce, RayCallsFixture.class.getClassLoader(), loader -> behind);
  }

  /** As in a process that Ray has started. */
  RayCalls workersCalls(String settings) {
    String before = System.getProperty("sun.java.command");
    System.setProperty("sun.java.command", "io.ray.runtime.runner.worker.DefaultWorker");
    try {
      return calls(settings);
    } finally {
      System.setProperty("sun.java.command", before);
    }
  }

  void execute(RayCalls calls, Throwable thrown) throws Throwable {
    calls.executed(calls.executing(executor("NORMAL_TASK"), STEP.toList(), List.of()), thrown);
  }

  static AbstractRayRuntime cluster(String taskType) {
    return runtime(taskType, false);
  }

  static AbstractRayRuntime runtime(String taskType, boolean isLocal) {
    return new AbstractRayRuntime(
        new WorkerContext("task", "job", "actor", "worker", taskType), isLocal);
  }

  static TaskExecutor executor(String taskType) {
    return new TaskExecutor(cluster(taskType));
  }

  static BaseActorHandle actor(String id) {
    return () -> new ActorId(id);
  }

  static NativeRayObject value(String type) {
    return new NativeRayObject(new byte[3], type.getBytes(US_ASCII));
  }

  static NativeRayObject carrying(String traceparent, long sentAt) {
    NativeRayObject value = value("JAVA");
    value.metadata = new Carried(traceparent, sentAt, null).behind(value.metadata);
    return value;
  }

  static String carriedBy(NativeRayObject value) {
    Carried carried = Carried.of(value.metadata);
    return carried == null ? null : carried.traceparent();
  }

  Recorded onlySpan() {
    assertThat(spans).hasSize(1);
    return spans.get(0);
  }

  Recorded recorded(String name, String kind, String parent, long sentAt) {
    Recorded span = new Recorded(name, kind, parent, sentAt, isRecording, current);
    spans.add(span);
    return span;
  }

  static final class Recorded extends RemoteSpan {

    final String name;
    final String kind;
    final String parent;
    final long sentAt;
    final boolean isRecording;
    final String traceparent;
    final Map<String, Object> attributes = new HashMap<>();
    final List<String> phases = new ArrayList<>();
    Throwable thrown;
    boolean ended;

    Recorded(
        String name,
        String kind,
        String parent,
        long sentAt,
        boolean isRecording,
        String traceparent) {
      this.name = name;
      this.kind = kind;
      this.parent = parent;
      this.sentAt = sentAt;
      this.isRecording = isRecording;
      this.traceparent = traceparent;
    }

    @Override
    public boolean isRecording() {
      return isRecording;
    }

    @Override
    public String traceparent() {
      return traceparent;
    }

    @Override
    public void set(String key, String value) {
      attributes.put(key, value);
    }

    @Override
    public void set(String key, long value) {
      attributes.put(key, value);
    }

    @Override
    public void failed(Throwable failure) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void phase(String name) {
      phases.add(name);
    }

    @Override
    public void end(Throwable failure) {
      assertThat(ended).as("ended twice").isFalse();
      ended = true;
      thrown = failure;
    }
  }
}
