package io.rollotel.agent.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TraceHookTest {

  private static final MethodHandles.Lookup HERE = MethodHandles.lookup();

  private final FakeTarget target = new FakeTarget();

  @BeforeEach
  @AfterEach
  void disconnect() {
    TraceHook.connect(null);
  }

  @ParameterizedTest
  @MethodSource("types")
  void noTarget_theInstructionGivesNull(MethodType type) throws Throwable {
    for (CallSite site :
        List.of(
            TraceHook.start(HERE, "start", type, "facts"),
            TraceHook.dispatch(HERE, "dispatch", type, "facts"))) {
      assertThat(site).isInstanceOf(ConstantCallSite.class);
      assertThat(site.type()).isEqualTo(type);
      List<Object> arguments = new ArrayList<>();
      type.parameterList().forEach(parameter -> arguments.add(parameter.isPrimitive() ? 1 : "a"));
      assertThat(site.getTarget().invokeWithArguments(arguments)).isNull();
    }
  }

  static Stream<MethodType> types() {
    return Stream.of(
        MethodType.methodType(Object.class),
        MethodType.methodType(Object.class, Object.class, int.class, double.class),
        MethodType.genericMethodType(64));
  }

  @Test
  void stopOfTheThread_isPassedOnAndNoFailure() {
    TraceHook.connect(target);
    long before = TraceHook.failures();
    ThreadDeath stop = new ThreadDeath();
    assertThatThrownBy(() -> TraceHook.failed(stop)).isSameAs(stop);
    assertThatThrownBy(() -> TraceHook.failed(stop, "a getter", "nothing")).isSameAs(stop);
    assertThat(TraceHook.failures()).isEqualTo(before);
  }

  @Test
  void target_isAskedOnceWithWhatWasWoven() throws Throwable {
    TraceHook.connect(target);
    MethodType type = MethodType.methodType(Object.class, Object.class);

    CallSite start = TraceHook.start(HERE, "start", type, "facts of start");
    CallSite dispatch = TraceHook.dispatch(HERE, "dispatch", type, "facts of dispatch");

    assertThat(start.getTarget().invoke((Object) "a")).isEqualTo("start");
    assertThat(start.getTarget().invoke((Object) "a")).isEqualTo("start");
    assertThat(dispatch.getTarget().invoke((Object) "a")).isEqualTo("dispatch");
    assertThat(target.asked)
        .containsExactly(
            "start " + HERE + type + "facts of start",
            "dispatch " + HERE + type + "facts of dispatch");
  }

  @Test
  void targetWhoseLinkingFails_theInstructionGivesNull() throws Throwable {
    target.failing = new IllegalStateException("linking");
    TraceHook.connect(target);
    MethodType type = MethodType.methodType(Object.class);
    assertThat(TraceHook.start(HERE, "start", type, "").getTarget().invoke()).isNull();
    assertThat(TraceHook.dispatch(HERE, "dispatch", type, "").getTarget().invoke()).isNull();
  }

  @Test
  void linkingThatCallsWhatItLinks_endsThereAndIsOneLine() throws Throwable {
    MethodType type = MethodType.methodType(Object.class);
    List<CallSite> inside = new ArrayList<>();
    target.whileLinking =
        () -> {
          for (int i = 0; i < 2; i++) {
            inside.add(TraceHook.start(HERE, "start", type, "same"));
          }
        };
    TraceHook.connect(target);

    assertThat(TraceHook.start(HERE, "start", type, "same").getTarget().invoke())
        .isEqualTo("start");
    assertThat(inside).hasSize(2);
    assertThat(inside.get(0).getTarget().invoke()).isNull();
    assertThat(target.asked).hasSize(1);
    assertThat(target.warnings).singleElement().asString().contains("stays untraced");

    target.whileLinking = () -> {};
    assertThat(TraceHook.start(HERE, "start", type, "same").getTarget().invoke())
        .as("not for good")
        .isEqualTo("start");
  }

  @Test
  void failures_areLoggedOncePerKind() {
    TraceHook.connect(target);
    for (int i = 0; i < 3; i++) {
      TraceHook.failed(new FirstKind("message " + i));
      TraceHook.failed(new SecondKind());
    }
    assertThat(target.warnings).hasSize(2);
    assertThat(target.warnings.get(0))
        .startsWith(
            "tracing failed; the application continues: "
                + FirstKind.class.getName()
                + " at "
                + getClass().getName()
                + ".failures_areLoggedOncePerKind")
        .as("a message may hold a secret")
        .doesNotContain("message 0");
    assertThat(target.warnings.get(1)).contains("SecondKind");
  }

  @Test
  void failuresOfTheApplicationsCode_areLoggedOncePerMethodAndKind() {
    TraceHook.connect(target);
    for (int i = 0; i < 3; i++) {
      TraceHook.failed(new FirstKind("message " + i), "acme.Batch.metaInfo()", "it is not read");
      TraceHook.failed(new FirstKind("message " + i), "acme.Row.metaInfo()", "it is not read");
    }
    assertThat(target.warnings).hasSize(2);
    assertThat(target.warnings.get(0))
        .startsWith("acme.Batch.metaInfo() threw " + FirstKind.class.getName() + " at ")
        .endsWith("; it is not read")
        .doesNotContain("message 0");
    assertThat(target.warnings.get(1)).startsWith("acme.Row.metaInfo() threw ");
  }

  @Test
  void linkingThatFails_isLoggedWithTheBeginningOfItsCause() {
    target.failing = new LinkingFailure("denied " + "x".repeat(10_000));
    TraceHook.connect(target);
    TraceHook.start(HERE, "start", MethodType.methodType(Object.class), "");
    assertThat(target.warnings)
        .singleElement()
        .asString()
        .contains("tracing failed; the application continues", "denied x")
        .hasSizeLessThan(1_000);
  }

  @Test
  void applicationsStackEnds_noLineStopsInTheMiddle() {
    TraceHook.connect(target);
    TraceHook.failed(new StackOverflowError());
    assertThat(target.warnings).isEmpty();
  }

  @Test
  void whatTelemetryAsks_isTheTargetsAnswerAndNothingWithoutOne() {
    Runnable work = () -> {};
    assertThat(TraceHook.currentTrace()).isNull();
    assertThat(TraceHook.beforeExit(work)).isFalse();
    TraceHook.notBeforeExit(work);

    TraceHook.connect(target);
    assertThat(TraceHook.currentTrace()).containsExactly("trace", "span", "traceparent");
    assertThat(TraceHook.beforeExit(work)).isTrue();
    TraceHook.notBeforeExit(work);
    assertThat(target.asked).containsExactly("beforeExit", "notBeforeExit");

    target.failing = new LinkageError("for this test");
    assertThat(TraceHook.currentTrace()).isNull();
  }

  @Test
  void keys_areOneForEachCopyOfTheApiAndEachUse() {
    Object suppression = TraceHook.suppressionKey(TraceHookTest.class, Object::new);
    Object worker = TraceHook.workerKey(TraceHookTest.class, Object::new);
    assertThat(TraceHook.suppressionKey(TraceHookTest.class, Object::new)).isSameAs(suppression);
    assertThat(TraceHook.workerKey(TraceHookTest.class, Object::new))
        .isSameAs(worker)
        .isNotSameAs(suppression);
    assertThat(TraceHook.workerKey(FakeTarget.class, Object::new)).isNotSameAs(worker);
  }

  @Test
  void failureThatCannotBePrinted_doesNotThrow() {
    TraceHook.connect(target);
    TraceHook.failed(new Unprintable());
    assertThat(target.warnings).singleElement().asString().contains("Unprintable at ");
  }

  @Test
  void failureWithoutTarget_doesNotThrow() {
    TraceHook.failed(new ThirdKind());
  }

  @Test
  void end_isHandedToTheCall() {
    List<Throwable> ended = new ArrayList<>();
    TraceHook.Call call =
        new TraceHook.Call() {
          @Override
          protected void end(Throwable thrown) {
            ended.add(thrown);
          }
        };
    Exception thrown = new Exception();
    TraceHook.end(call, thrown);
    TraceHook.end(call, null);
    TraceHook.end(null, thrown);
    assertThat(ended).containsExactly(thrown, null);
  }

  @Test
  void openTelemetry_failuresGiveNull() {
    assertThat(TraceHook.openTelemetry(Object.class)).isNull();
    TraceHook.connect(target);
    assertThat(TraceHook.openTelemetry(Object.class)).isEqualTo("of java.lang.Object");
    target.failing = new NoClassDefFoundError("sdk");
    assertThat(TraceHook.openTelemetry(Object.class)).isNull();
    TraceHook.openTelemetrySet(Object.class);
  }

  @Test
  void suppressionKey_isOnePerClass() {
    Object ofFirst = TraceHook.suppressionKey(FirstKind.class, Object::new);
    assertThat(TraceHook.suppressionKey(FirstKind.class, Object::new)).isSameAs(ofFirst);
    assertThat(TraceHook.suppressionKey(SecondKind.class, Object::new)).isNotSameAs(ofFirst);
  }

  @Test
  void configureAndShutdown_reachTheTargetIfThereIsOne() {
    assertThat(TraceHook.active()).isFalse();
    assertThat(TraceHook.configure(Map.of("key", "value"))).isFalse();
    TraceHook.shutdown();

    TraceHook.connect(target);

    assertThat(TraceHook.active()).isTrue();
    assertThat(TraceHook.configure(Map.of("key", "value"))).isTrue();
    TraceHook.shutdown();
    assertThat(target.asked).containsExactly("configure {key=value}", "shutdown");
  }

  // The JVM remembers each kind, so each test has its own.
  private static class FirstKind extends RuntimeException {
    private static final long serialVersionUID = 1;

    FirstKind(String message) {
      super(message);
    }
  }

  private static final class LinkingFailure extends FirstKind {
    private static final long serialVersionUID = 1;

    LinkingFailure(String message) {
      super(message);
    }
  }

  private static class SecondKind extends Error {
    private static final long serialVersionUID = 1;
  }

  private static class ThirdKind extends Exception {
    private static final long serialVersionUID = 1;
  }

  private static class Unprintable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String toString() {
      throw new IllegalStateException("unprintable");
    }
  }

  private static final class FakeTarget implements TraceHook.Target {

    final List<String> asked = new ArrayList<>();
    final List<String> warnings = new ArrayList<>();
    Throwable failing;
    Runnable whileLinking = () -> {};

    @Override
    public MethodHandle start(MethodHandles.Lookup caller, MethodType type, String facts)
        throws Exception {
      return answer("start", caller, type, facts);
    }

    @Override
    public MethodHandle dispatch(MethodHandles.Lookup caller, MethodType type, String facts)
        throws Exception {
      return answer("dispatch", caller, type, facts);
    }

    private MethodHandle answer(
        String what, MethodHandles.Lookup caller, MethodType type, String facts) throws Exception {
      fail();
      whileLinking.run();
      asked.add(what + " " + caller + type + facts);
      return MethodHandles.dropArguments(
          MethodHandles.constant(String.class, what), 0, type.parameterList());
    }

    private void fail() throws Exception {
      if (failing instanceof Exception exception) {
        throw exception;
      }
      if (failing instanceof Error error) {
        throw error;
      }
    }

    @Override
    public Object openTelemetry(Class<?> globalOpenTelemetry) {
      openTelemetrySet(globalOpenTelemetry);
      return "of " + globalOpenTelemetry.getName();
    }

    @Override
    public void openTelemetrySet(Class<?> globalOpenTelemetry) {
      if (failing instanceof Error error) {
        throw error;
      }
    }

    @Override
    public boolean configure(Map<String, String> settings) {
      return asked.add("configure " + settings);
    }

    @Override
    public void shutdown() {
      asked.add("shutdown");
    }

    @Override
    public String[] currentTrace() {
      openTelemetrySet(TraceHook.class);
      return new String[] {"trace", "span", "traceparent"};
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
      return asked.add("beforeExit");
    }

    @Override
    public void notBeforeExit(Runnable work) {
      asked.add("notBeforeExit");
    }

    @Override
    public void warn(String line) {
      warnings.add(line);
    }
  }
}
