package io.rollotel.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.rollotel.agent.hook.TraceHook;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Failures of tracing never reach the caller; those of the method always do. */
class WeaverFailureTest extends WeaverFixture {

  @ParameterizedTest(name = "{0}")
  @MethodSource("brokenTargets")
  void targetThatFails_neverReachesTheCaller(String what, TraceHook.Target broken)
      throws Exception {
    TraceHook.connect(broken);
    FixtureLoader loader = FixtureLoader.weaving(kinds(17));
    for (Arguments row :
        WeaverMethodKindsTest.situations().filter(row -> row.get()[0].equals(17)).toList()) {
      String className = (String) row.get()[1];
      String situation = (String) row.get()[2];
      assertThat(holds(loader, className, situation)).as(situation).isTrue();
    }
    assertThat(loader.transformed).contains("fixtures.Kinds");
  }

  static Stream<Arguments> brokenTargets() {
    return Stream.of(
        broken("start throws", (type) -> sneaky(new IllegalStateException("linking"))),
        broken("start throws an Error", (type) -> sneaky(new NoClassDefFoundError("sdk"))),
        broken("start gives no handle", (type) -> null),
        broken("handle of another type", (type) -> MethodHandles.constant(int.class, 1)),
        broken("call throws", (type) -> throwing(type, IllegalStateException::new)),
        broken("call throws a checked exception", (type) -> throwing(type, Exception::new)),
        broken("call throws an Error", (type) -> throwing(type, StackOverflowError::new)),
        broken("call is no Call", (type) -> constant(type, "no Call")),
        broken("call is null", (type) -> constant(type, null)),
        broken("end throws", (type) -> constant(type, endThrowing(IllegalStateException::new))),
        broken("end throws checked", (type) -> constant(type, endThrowing(Exception::new))),
        broken("end throws an Error", (type) -> constant(type, endThrowing(Error::new))));
  }

  private static Arguments broken(String what, BrokenStart start) {
    return arguments(
        what,
        new RecordingTarget() {
          @Override
          public MethodHandle start(MethodHandles.Lookup caller, MethodType type, String facts) {
            return start.start(type);
          }
        });
  }

  private interface BrokenStart {
    MethodHandle start(MethodType type);
  }

  private static MethodHandle throwing(MethodType type, Supplier<Throwable> thrown) {
    try {
      MethodHandle make =
          MethodHandles.publicLookup()
              .findVirtual(Supplier.class, "get", MethodType.methodType(Object.class))
              .bindTo(thrown)
              .asType(MethodType.methodType(Throwable.class));
      MethodHandle thrower =
          MethodHandles.filterReturnValue(
              make, MethodHandles.throwException(Object.class, Throwable.class));
      return MethodHandles.dropArguments(thrower, 0, type.parameterList());
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static MethodHandle constant(MethodType type, Object value) {
    return MethodHandles.dropArguments(
        MethodHandles.constant(Object.class, value), 0, type.parameterList());
  }

  private static TraceHook.Call endThrowing(Supplier<Throwable> supplier) {
    return new TraceHook.Call() {
      @Override
      protected void end(Throwable thrown) {
        sneaky(supplier.get());
      }
    };
  }

  private static MethodHandle sneaky(Throwable thrown) {
    throw WeaverFailureTest.<RuntimeException>cast(thrown);
  }

  @SuppressWarnings("unchecked") // the compiler need not know
  private static <T extends Throwable> T cast(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Test
  void dispatchThatFails_neverReachesTheCaller() throws Exception {
    TraceHook.connect(
        new RecordingTarget() {
          @Override
          Object dispatched(WovenMethod method, Object[] passed) {
            throw new IllegalStateException("dispatch");
          }
        });
    FixtureLoader loader = FixtureLoader.weaving(Fixtures.compile(17, WeaverArgumentsTest.FACTS));
    assertThat(method(loader.loadClass("fixtures.Facts"), "send").invoke(null, null, 1, null))
        .isEqualTo("sent");
  }

  @Test
  void methodThatThrows_handsItsOwnThrowableToTheEnd() throws Exception {
    Object kinds = newInstance(FixtureLoader.weaving(kinds(17)), "fixtures.Kinds");
    Throwable thrown = new Exception("mine");
    Method method = method(kinds.getClass(), "throwsIt");

    assertThatThrownBy(() -> method.invoke(kinds, thrown))
        .hasCause(thrown)
        .cause()
        .isSameAs(thrown);
    assertThat(recorder.thrown).singleElement().isSameAs(thrown);
  }

  @Test
  void methodThatOverflowsTheStack_throwsJustThatAndWorksAgain() throws Exception {
    Object kinds = newInstance(FixtureLoader.weaving(kinds(17)), "fixtures.Kinds");
    Method endless = method(kinds.getClass(), "endless");
    Method inner = method(kinds.getClass(), "inner");
    assertThat(inner.invoke(kinds, 1)).isEqualTo(1);

    assertThatThrownBy(() -> endless.invoke(kinds, 0))
        .isInstanceOf(InvocationTargetException.class)
        .hasCauseExactlyInstanceOf(StackOverflowError.class);

    recorder.events.clear();
    assertThat(inner.invoke(kinds, 2)).isEqualTo(2);
    assertThat(recorder.events).containsExactly("+inner", "-inner");
  }
}
