package io.rollotel.agent.ray;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.agent.weave.ClassRewriter;
import io.rollotel.agent.weave.FixtureLoader;
import io.rollotel.agent.weave.Fixtures;
import io.rollotel.agent.weave.MethodPlace;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.bytebuddy.jar.asm.ClassReader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is woven into Ray's runtime, without Ray's processes. */
class RayWeaverTest extends RayWeaverFixture {

  /** Ray's own classes, of the version that {@code engines/ray} names. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "AbstractRayRuntime",
        "RayNativeRuntime",
        "config.RayConfig",
        "gcs.GcsClient",
        "object.ObjectStore",
        "task.ArgumentsBuilder",
        "task.LocalModeTaskSubmitter",
        "task.TaskExecutor",
      })
  void classOfRay_hasItsPlacesAndIsVerified(String name) throws Exception {
    byte[] bytes = RayLoader.bytes(PACKAGE + name);
    List<MethodPlace> places = RayWeaver.places(PACKAGE + name);
    assertThat(ClassRewriter.rewrite(new ClassReader(bytes), places).missing()).isEmpty();
    Class<?> type = new RayLoader().loadClass(PACKAGE + name);
    assertThat(type.getClassLoader()).isInstanceOf(RayLoader.class);
    // Links it, which verifies it.
    assertThat(type.getDeclaredFields()).isNotNull();
  }

  @Test
  void functionCalled_isSending_andSent() throws Exception {
    Object runtime = made("AbstractRayRuntime");
    Object ref =
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Class.forName("io.ray.api.ObjectRef")},
            (proxy, method, arguments) -> "ref");
    assertThat(
            call(runtime, "callNormalFunction", null, new Object[] {ref}, Optional.empty(), null))
        .isSameAs(ref);
    call(runtime, "callActorFunction", null, null, new Object[0], Optional.of(String.class));
    call(runtime, "createActorImpl", null, new Object[0]);
    assertThat(told)
        .containsExactly(
            "sending[runtime, null, null, true]",
            "sent[kept, ref, null]",
            "sending[runtime, null, null, false]",
            "sent[kept, null, null]",
            "creating[runtime, null]",
            "sent[kept, null, null]");
  }

  @Test
  void functionThatCannotBeCalled_isSent_andThrowsAsBefore() throws Exception {
    Object runtime = made("AbstractRayRuntime");
    assertThatThrownBy(
            () ->
                call(
                    runtime,
                    "callNormalFunction",
                    null,
                    new Object[0],
                    Optional.of(int.class),
                    "fails"))
        .isInstanceOf(InvocationTargetException.class)
        .hasRootCauseMessage("ray0");
    assertThat(told)
        .containsExactly(
            "sending[runtime, null, null, false]",
            "sent[kept, null, java.lang.IllegalStateException: ray0]");
  }

  @Test
  void noReturnTypeAtAll_isNotTold_andNobodyElseSees() throws Exception {
    call(made("AbstractRayRuntime"), "callNormalFunction", null, new Object[0], null, null);
    assertThat(told).isEmpty();
  }

  @Test
  void objectsUsed_areCounted() throws Exception {
    Object runtime = made("AbstractRayRuntime");
    assertThat(call(runtime, "get", List.of("a", "b"), 2)).isEqualTo(List.of());
    assertThatThrownBy(() -> call(runtime, "get", List.of(), 2)).hasRootCauseMessage("ray");
    call(runtime, "wait", List.of("a"), 1, 1, true);
    assertThat(call(runtime, "put", "value")).isEqualTo("value");
    call(runtime, "get", List.of("the other get"));
    assertThat(told)
        .containsExactly(
            "using[get, runtime, 2]",
            "used[kept, null]",
            "using[get, runtime, 0]",
            "used[kept, java.lang.IllegalStateException: ray]",
            "using[wait, runtime, 1]",
            "used[kept, null]",
            "using[put, runtime, 1]",
            "used[kept, null]");
  }

  @Test
  void executed_saysItsPhases() throws Exception {
    assertThat(call(made("task.TaskExecutor"), "execute", List.of("f"), List.of("a")))
        .isEqualTo(List.of("<a>"));
    assertThat(told)
        .containsExactly(
            "executing[executor, [f], [a]]",
            "phase[prefetch]",
            "phase[]",
            "phase[to_remote]",
            "phase[]",
            "executed[kept, null]");
  }

  @Test
  void caughtByTheExecutor_isToldAndSoIsWhatItThrowsOn() throws Exception {
    Object executor = made("task.TaskExecutor");
    assertThat(call(executor, "execute", List.of("f"), List.of())).isEqualTo(List.of("caught"));
    assertThatThrownBy(() -> call(executor, "execute", List.of(), List.of()))
        .hasRootCauseInstanceOf(ArrayIndexOutOfBoundsException.class);
    String thrown = "java.lang.ArrayIndexOutOfBoundsException: Index 0 out of bounds for length 0";
    assertThat(told)
        .containsExactly(
            "executing[executor, [f], []]",
            "phase[prefetch]",
            "phase[]",
            "caught[" + thrown + "]",
            "executed[kept, null]",
            "executing[executor, [], []]",
            "phase[prefetch]",
            "phase[]",
            "caught[" + thrown + "]",
            "executed[kept, " + thrown + "]");
  }

  @Test
  void valuesSerialised_areShown() throws Exception {
    Object store = made("object.ObjectStore");
    assertThat(call(store, "put", "v")).isEqualTo("<v>");
    assertThat(call(store, "get", List.of("id"))).isEqualTo(List.of("id"));
    Object builder = made("task.ArgumentsBuilder");
    assertThat(call(builder, "wrap", (Object) new Object[] {"a", "b"}))
        .isEqualTo(List.of("<a>", "<b>"));
    assertThat(told).containsExactly("bytes[<v>]", "bytes[[id]]", "carry[<a>]", "carry[<b>]");
  }

  @Test
  void configuration_hasTheHooksOptions_whereverItsConstructorReturns() throws Exception {
    for (String given : List.of("", "-Xmx1g")) {
      Object config = made("config.RayConfig", given);
      assertThat(config.getClass().getField("jvmOptionsForJavaWorker").get(config))
          .isEqualTo(List.of("hook's"));
    }
    assertThat(told).containsExactly("jvmOptions[config, []]", "jvmOptions[config, [-Xmx1g]]");
  }

  @Tag("campaign")
  @Test
  void localTaskAndEndOfWorkers_areTold() throws Exception {
    call(made("task.LocalModeTaskSubmitter"), "submitTaskSpec", (Object) null);
    call(made("RayNativeRuntime"), "shutdown");
    call(made("RayNativeRuntime"), "killActor", "actor", true);
    assertThat(told)
        .containsExactly("submitting[null]", "ending[runtime, true]", "ending[runtime, false]");
  }

  @Test
  void nodeOfTheDriver_isTold() throws Exception {
    assertThat(call(made("gcs.GcsClient"), "getNodeToConnectForDriver", "ip")).isEqualTo("of ip");
    assertThat(told).containsExactly("connected[of ip]");
  }

  @Test
  void hookThatFails_isNotSeenByRay() throws Exception {
    hookFails = true;
    Object runtime = made("AbstractRayRuntime");
    call(runtime, "callNormalFunction", null, new Object[0], Optional.empty(), null);
    assertThat(call(runtime, "put", "value")).isEqualTo("value");
    assertThat(call(made("task.TaskExecutor"), "execute", List.of("f"), List.of("a")))
        .isEqualTo(List.of("<a>"));
    Object config = made("config.RayConfig", "-Xmx1g");
    assertThat(config.getClass().getField("jvmOptionsForJavaWorker").get(config))
        .isEqualTo(List.of("-Xmx1g"));
    assertThat(told).hasSizeGreaterThan(4).noneMatch(line -> line.startsWith("used"));
  }

  @Test
  void placeThatAnotherVersionHasNot_costsNoOther() throws Exception {
    String without = RUNTIME.replace("callActorFunction", "callActorMethod");
    Map<String, byte[]> classes = new HashMap<>(Fixtures.compile(17, without));
    Object runtime =
        new FixtureLoader(getClass().getClassLoader(), classes, (loader, bytes) -> woven(bytes))
            .loadClass(PACKAGE + "AbstractRayRuntime")
            .getConstructor()
            .newInstance();
    call(runtime, "callActorMethod", null, null, new Object[0], Optional.empty());
    call(runtime, "put", "value");
    assertThat(told).containsExactly("using[put, runtime, 1]", "used[kept, null]");
  }

  @Test
  void fieldThatAnotherVersionHasNot_leavesTheClassAsItIs() {
    byte[] bytes =
        Fixtures.compile(17, CONFIG.replace("jvmOptionsForJavaWorker", "jvmOptions"))
            .get(PACKAGE + "config.RayConfig");
    assertThatThrownBy(() -> woven(bytes)).hasMessageContaining("jvmOptionsForJavaWorker");
  }
}
