package io.rollotel.agent.weave;

import io.rollotel.agent.hook.TraceHook;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An agent that only writes down what woven code tells it. */
class RecordingTarget implements TraceHook.Target {

  /** {@code +name} a start, {@code -name} an end, {@code !name} one by exception. */
  final List<String> events = new ArrayList<>();

  final List<WovenMethod> linked = new ArrayList<>();
  final List<List<Object>> arguments = new ArrayList<>();
  final List<Throwable> thrown = new ArrayList<>();
  final List<Object> futures = new ArrayList<>();
  final List<String> warnings = new ArrayList<>();

  /** What {@code GlobalOpenTelemetry} is told. */
  Object openTelemetry;

  final List<Class<?>> set = new ArrayList<>();

  @Override
  public MethodHandle start(MethodHandles.Lookup caller, MethodType type, String facts)
      throws Exception {
    return handle("started", type, facts);
  }

  @Override
  public MethodHandle dispatch(MethodHandles.Lookup caller, MethodType type, String facts)
      throws Exception {
    return handle("dispatched", type, facts);
  }

  private MethodHandle handle(String name, MethodType type, String facts) throws Exception {
    WovenMethod method = WovenMethod.parse(facts);
    linked.add(method);
    return MethodHandles.lookup()
        .findVirtual(
            RecordingTarget.class,
            name,
            MethodType.methodType(Object.class, WovenMethod.class, Object[].class))
        .bindTo(this)
        .bindTo(method)
        .asCollector(Object[].class, type.parameterCount())
        .asType(type);
  }

  Object started(WovenMethod method, Object[] passed) {
    String name = shortName(method) + (method.traced() ? "" : "(untraced)");
    events.add("+" + name);
    arguments.add(new ArrayList<>(Arrays.asList(passed)));
    return new TraceHook.Call() {
      @Override
      protected void end(Throwable by) {
        events.add((by == null ? "-" : "!") + name);
        if (by != null) {
          thrown.add(by);
        }
      }

      @Override
      protected void endWith(Object future, Throwable by) {
        futures.add(future);
        end(by);
      }
    };
  }

  Object dispatched(WovenMethod method, Object[] passed) {
    events.add(">" + method.name());
    arguments.add(new ArrayList<>(Arrays.asList(passed)));
    return null;
  }

  private static String shortName(WovenMethod method) {
    return method.spanName().replaceFirst("^worker\\.", "");
  }

  @Override
  public Object openTelemetry(Class<?> globalOpenTelemetry) {
    return openTelemetry;
  }

  @Override
  public void openTelemetrySet(Class<?> globalOpenTelemetry) {
    set.add(globalOpenTelemetry);
  }

  @Override
  public boolean configure(Map<String, String> settings) {
    return true;
  }

  @Override
  public void shutdown() {}

  /** What is current, for loggers. */
  String[] currentTrace;

  @Override
  public String[] currentTrace() {
    return currentTrace;
  }

  @Override
  public Map<String, String> workerEnvironment() {
    return Map.of();
  }

  @Override
  public @Nullable String runId() {
    return null;
  }

  @Override
  public boolean receivedFrom(@Nullable String runId) {
    return true;
  }

  @Override
  public boolean beforeExit(Runnable work) {
    return false;
  }

  @Override
  public void notBeforeExit(Runnable work) {}

  @Override
  public void warn(String line) {
    warnings.add(line);
  }
}
