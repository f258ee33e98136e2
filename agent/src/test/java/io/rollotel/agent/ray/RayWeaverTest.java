package io.rollotel.agent.ray;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.agent.hook.RayHook;
import io.rollotel.agent.weave.ClassRewriter;
import io.rollotel.agent.weave.FixtureLoader;
import io.rollotel.agent.weave.Fixtures;
import io.rollotel.agent.weave.MethodPlace;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Opcodes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is woven into Ray's runtime, without Ray's processes. */
class RayWeaverTest {

  private static final String PACKAGE = "io.ray.runtime.";

  private final List<String> told = new ArrayList<>();
  private boolean hookFails;

  @BeforeEach
  void connect() {
    RayHook.connect(
        (RayHook.Target)
            Proxy.newProxyInstance(
                RayHook.Target.class.getClassLoader(),
                new Class<?>[] {RayHook.Target.class},
                (proxy, method, arguments) -> {
                  told.add(method.getName() + (arguments == null ? "" : Arrays.asList(arguments)));
                  if (hookFails) {
                    throw new LinkageError("for this test");
                  }
                  return switch (method.getName()) {
                    case "sending", "creating", "executing", "using" -> "kept";
                    case "jvmOptions" -> List.of("hook's");
                    default -> null;
                  };
                }));
  }

  @AfterEach
  void disconnect() {
    RayHook.connect(null);
  }

  // ---- the real one

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

  /**
   * Has Ray's classes, woven. Classes that they refer to and that are missing here are empty
   * stand-ins.
   */
  private static final class RayLoader extends ClassLoader {

    RayLoader() {
      super(RayWeaverTest.class.getClassLoader());
    }

    /** From Ray's jar: {@link RayCallsTest} has classes of some of these names. */
    static byte[] bytes(String name) throws IOException {
      String path = name.replace('.', '/') + ".class";
      for (URL url : Collections.list(RayWeaverTest.class.getClassLoader().getResources(path))) {
        if (url.getProtocol().equals("jar")) {
          try (InputStream in = url.openStream()) {
            return in.readAllBytes();
          }
        }
      }
      throw new FileNotFoundException(path + " in Ray's jar");
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        if (loaded != null || !name.startsWith("io.ray.")) {
          return loaded != null ? loaded : super.loadClass(name, resolve);
        }
        try {
          byte[] woven = woven(bytes(name));
          return defineClass(name, woven, 0, woven.length);
        } catch (IOException e) {
          throw new ClassNotFoundException(name, e);
        }
      }
    }

    @Override
    protected Class<?> findClass(String name) {
      boolean thrown = name.contains("Exception");
      ClassWriter stub = new ClassWriter(0);
      stub.visit(
          Opcodes.V17,
          Opcodes.ACC_PUBLIC + Opcodes.ACC_ABSTRACT + (thrown ? 0 : Opcodes.ACC_INTERFACE),
          name.replace('.', '/'),
          null,
          thrown ? "java/lang/RuntimeException" : "java/lang/Object",
          null);
      byte[] bytes = stub.toByteArray();
      return defineClass(name, bytes, 0, bytes.length);
    }
  }

  private static byte[] woven(byte[] bytes) {
    String name = new ClassReader(bytes).getClassName().replace('/', '.');
    List<MethodPlace> places = RayWeaver.places(name);
    return places.isEmpty() ? bytes : RayWeaver.weave(bytes, places);
  }

  // ---- stand-ins of its shape

  private static final String RUNTIME =
      """
      package io.ray.runtime;
      import io.ray.api.*;
      import io.ray.runtime.functionmanager.FunctionDescriptor;
      import java.util.*;
      public class AbstractRayRuntime {
        public ObjectRef callNormalFunction(
            FunctionDescriptor f, Object[] args, Optional<Class<?>> type, Object options) {
          int more = args.length;
          if (options != null) {
            throw new IllegalStateException("ray" + more);
          }
          return more == 0 ? null : (ObjectRef) args[0];
        }
        public ObjectRef callActorFunction(
            BaseActorHandle a, FunctionDescriptor f, Object[] args, Optional<Class<?>> type) {
          return null;
        }
        public BaseActorHandle createActorImpl(FunctionDescriptor f, Object[] args) {
          return null;
        }
        public <T> List<T> get(List<ObjectRef<T>> refs, long millis) {
          for (long i = 0; i < millis; i++) {
            if (refs.size() > i) {
              return new ArrayList<>();
            }
          }
          throw new IllegalStateException("ray");
        }
        public <T> List<T> get(List<ObjectRef<T>> refs) {
          return null;
        }
        public WaitResult wait(List refs, int count, int millis, boolean fetch) {
          return null;
        }
        public Object put(Object value) {
          return value;
        }
        @Override
        public String toString() {
          return "runtime";
        }
      }
      """;

  private static final String EXECUTOR =
      """
      package io.ray.runtime.task;
      import java.util.*;
      public class TaskExecutor {
        public List<Object> execute(List<String> function, List<Object> arguments) {
          List<Object> results = new ArrayList<>();
          try {
            Object[] args = unwrap(arguments);
            results.add(serialize(args[0]));
          } catch (Throwable t) {
            if (function.isEmpty()) {
              throw t;
            }
            results.add("caught");
          }
          return results;
        }
        static Object[] unwrap(List<Object> arguments) {
          return arguments.toArray();
        }
        static Object serialize(Object value) {
          return "<" + value + ">";
        }
        @Override
        public String toString() {
          return "executor";
        }
      }
      """;

  private static final String BUILDER =
      """
      package io.ray.runtime.task;
      import java.util.*;
      public class ArgumentsBuilder {
        public static List<Object> wrap(Object[] args) {
          List<Object> wrapped = new ArrayList<>();
          for (Object arg : args) {
            wrapped.add(TaskExecutor.serialize(arg));
          }
          return wrapped;
        }
      }
      """;

  private static final String STORE =
      """
      package io.ray.runtime.object;
      import java.util.*;
      public class ObjectStore {
        public Object put(Object value) {
          return serialize(value);
        }
        public List<Object> get(List<Object> ids) {
          List<Object> results = getRaw(ids);
          return results;
        }
        Object serialize(Object value) {
          return "<" + value + ">";
        }
        List<Object> getRaw(List<Object> ids) {
          return ids;
        }
      }
      """;

  private static final String CONFIG =
      """
      package io.ray.runtime.config;
      import java.util.*;
      public class RayConfig {
        public final List<String> jvmOptionsForJavaWorker;
        public RayConfig(String given) {
          if (given.isEmpty()) {
            jvmOptionsForJavaWorker = List.of();
            return;
          }
          jvmOptionsForJavaWorker = List.of(given);
        }
        @Override
        public String toString() {
          return "config";
        }
      }
      """;

  private static final String NATIVE =
      """
      package io.ray.runtime;
      public class RayNativeRuntime {
        public void shutdown() {}
        public void killActor(Object actor, boolean noRestart) {}
        public String toString() {
          return "runtime";
        }
      }
      """;

  private static final String GCS =
      """
      package io.ray.runtime.gcs;
      public class GcsClient {
        public Object getNodeToConnectForDriver(String nodeIp) {
          return "of " + nodeIp;
        }
      }
      """;

  private static final String SUBMITTER =
      """
      package io.ray.runtime.task;
      import io.ray.runtime.generated.Common.TaskSpec;
      public class LocalModeTaskSubmitter {
        public void submitTaskSpec(TaskSpec task) {}
      }
      """;

  private static FixtureLoader standIns() {
    Map<String, byte[]> classes =
        Fixtures.compile(17, RUNTIME, EXECUTOR, BUILDER, STORE, CONFIG, GCS, NATIVE, SUBMITTER);
    return new FixtureLoader(
        RayWeaverTest.class.getClassLoader(), classes, (loader, bytes) -> woven(bytes));
  }

  private static Object made(String name, Object... arguments) throws Exception {
    return standIns().loadClass(PACKAGE + name).getConstructors()[0].newInstance(arguments);
  }

  private static Object call(Object on, String name, Object... arguments) throws Exception {
    for (Method method : on.getClass().getMethods()) {
      if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
        return method.invoke(on, arguments);
      }
    }
    throw new NoSuchMethodException(name);
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
