package io.rollotel.agent.weave;

import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.settings.MethodList;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A recorder in the place of the agent, and fixtures to weave. */
abstract class WeaverFixture {

  private static final Map<Integer, Map<String, byte[]>> KINDS = compileKinds();

  final RecordingTarget recorder = new RecordingTarget();

  @BeforeEach
  void connect() {
    TraceHook.connect(recorder);
  }

  @AfterEach
  void disconnect() {
    TraceHook.connect(null);
  }

  static Weaver weaver() {
    return new Weaver(MethodList.none(), new Ledger());
  }

  /** The class files of the fixtures {@code Kinds} and, for Java 17, {@code NewerKinds}. */
  static Map<String, byte[]> kinds(int release) {
    return KINDS.get(release);
  }

  private static Map<Integer, Map<String, byte[]>> compileKinds() {
    try {
      String kinds = Fixtures.resource("Kinds");
      return Map.of(
          8, Fixtures.compile(8, kinds),
          17, Fixtures.compile(17, kinds, Fixtures.resource("NewerKinds")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether a situation in a fixture has the expected result. */
  static boolean holds(FixtureLoader loader, String className, String situation) throws Exception {
    return (boolean) loader.loadClass(className).getMethod(situation).invoke(null);
  }

  static Object newInstance(FixtureLoader loader, String className) throws Exception {
    return loader.loadClass(className).getConstructor().newInstance();
  }

  static Method method(Class<?> type, String name) {
    for (Method method : type.getDeclaredMethods()) {
      if (method.getName().equals(name)) {
        method.setAccessible(true);
        return method;
      }
    }
    throw new AssertionError("no " + name + " in " + type);
  }
}
