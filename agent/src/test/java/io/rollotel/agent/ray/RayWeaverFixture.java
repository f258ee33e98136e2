package io.rollotel.agent.ray;

import io.rollotel.agent.hook.RayHook;
import io.rollotel.agent.weave.FixtureLoader;
import io.rollotel.agent.weave.Fixtures;
import io.rollotel.agent.weave.MethodPlace;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Opcodes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Stand-ins for the classes of Ray's runtime, and a loader that has them woven. */
abstract class RayWeaverFixture {

  static final String PACKAGE = "io.ray.runtime.";

  final List<String> told = new ArrayList<>();
  boolean hookFails;

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

  /**
   * Has Ray's classes, woven. Classes that they refer to and that are missing here are empty
   * stand-ins.
   */
  static final class RayLoader extends ClassLoader {

    RayLoader() {
      super(RayWeaverFixture.class.getClassLoader());
    }

    /** From Ray's jar: {@link RayCallsTest} has classes of some of these names. */
    static byte[] bytes(String name) throws IOException {
      String path = name.replace('.', '/') + ".class";
      for (URL url : Collections.list(RayWeaverFixture.class.getClassLoader().getResources(path))) {
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

  static byte[] woven(byte[] bytes) {
    String name = new ClassReader(bytes).getClassName().replace('/', '.');
    List<MethodPlace> places = RayWeaver.places(name);
    return places.isEmpty() ? bytes : RayWeaver.weave(bytes, places);
  }

  // ---- stand-ins of its shape

  static final String RUNTIME =
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

  static final String EXECUTOR =
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

  static final String BUILDER =
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

  static final String STORE =
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

  static final String CONFIG =
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

  static final String NATIVE =
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

  static final String GCS =
      """
      package io.ray.runtime.gcs;
      public class GcsClient {
        public Object getNodeToConnectForDriver(String nodeIp) {
          return "of " + nodeIp;
        }
      }
      """;

  static final String SUBMITTER =
      """
      package io.ray.runtime.task;
      import io.ray.runtime.generated.Common.TaskSpec;
      public class LocalModeTaskSubmitter {
        public void submitTaskSpec(TaskSpec task) {}
      }
      """;

  static FixtureLoader standIns() {
    Map<String, byte[]> classes =
        Fixtures.compile(17, RUNTIME, EXECUTOR, BUILDER, STORE, CONFIG, GCS, NATIVE, SUBMITTER);
    return new FixtureLoader(
        RayWeaverFixture.class.getClassLoader(), classes, (loader, bytes) -> woven(bytes));
  }

  static Object made(String name, Object... arguments) throws Exception {
    return standIns().loadClass(PACKAGE + name).getConstructors()[0].newInstance(arguments);
  }

  static Object call(Object on, String name, Object... arguments) throws Exception {
    for (Method method : on.getClass().getMethods()) {
      if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
        return method.invoke(on, arguments);
      }
    }
    throw new NoSuchMethodException(name);
  }
}
