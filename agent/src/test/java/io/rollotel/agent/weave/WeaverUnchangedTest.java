package io.rollotel.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ObjectStreamClass;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What weaving leaves as it was. */
class WeaverUnchangedTest extends WeaverFixture {

  @ParameterizedTest
  @ValueSource(ints = {8, 17})
  void wovenClass_hasTheSameMembersAndVersion(int release) throws Exception {
    Map<String, byte[]> classes = kinds(release);
    FixtureLoader woven = FixtureLoader.weaving(classes);
    FixtureLoader plain = FixtureLoader.plain(classes);
    for (String name : classes.keySet()) {
      assertThat(shape(woven.loadClass(name))).isEqualTo(shape(plain.loadClass(name)));
    }
    for (String name : woven.transformed) {
      byte[] after = weaver().weave(woven, classes.get(name));
      assertThat(Arrays.copyOf(after, 8)).isEqualTo(Arrays.copyOf(classes.get(name), 8));
    }
    assertThat(woven.transformed).hasSizeGreaterThan(10);
  }

  /** All that reflection tells of a class. */
  private static List<String> shape(Class<?> type) {
    List<String> shape = new ArrayList<>();
    shape.add(type.toGenericString() + Arrays.toString(type.getAnnotations()));
    shape.add(type.getGenericSuperclass() + Arrays.toString(type.getGenericInterfaces()));
    shape.add(Arrays.toString(type.getDeclaredClasses()) + type.getNestHost());
    for (Field field : type.getDeclaredFields()) {
      shape.add(field.toGenericString());
    }
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      shape.add(constructor.toGenericString());
    }
    for (Method method : type.getDeclaredMethods()) {
      shape.add(
          method.toGenericString()
              + method.getModifiers()
              + Arrays.toString(method.getAnnotations())
              + Arrays.toString(method.getParameters())
              + Arrays.deepToString(method.getParameterAnnotations()));
    }
    shape.sort(null);
    return shape;
  }

  @Test
  void wovenClass_keepsItsSerialVersionUid() throws Exception {
    Map<String, byte[]> classes =
        Fixtures.compile(
            17,
            """
            package fixtures;
            public class Sent implements java.io.Serializable {
              static final Object CONSTANT = new Object();
              private String field;
              @io.rollotel.annotations.Register(trace = true)
              public String work(String a) {
                Runnable lambda = () -> field = a;
                lambda.run();
                return field;
              }
            }
            """);
    FixtureLoader woven = FixtureLoader.weaving(classes);
    long after = ObjectStreamClass.lookup(woven.loadClass("fixtures.Sent")).getSerialVersionUID();
    long before =
        ObjectStreamClass.lookup(FixtureLoader.plain(classes).loadClass("fixtures.Sent"))
            .getSerialVersionUID();
    assertThat(woven.transformed).containsExactly("fixtures.Sent");
    assertThat(after).isEqualTo(before);
  }

  @Test
  void exceptionOfAWovenMethod_hasTheStackTraceOfTheUnwovenOne() throws Exception {
    assertThat(stackTrace(FixtureLoader.weaving(kinds(17))))
        .isEqualTo(stackTrace(FixtureLoader.plain(kinds(17))))
        .hasSize(1);
  }

  private static List<StackTraceElement> stackTrace(FixtureLoader loader) throws Exception {
    Object kinds = newInstance(loader, "fixtures.Kinds");
    try {
      method(kinds.getClass(), "lockedAndThrows").invoke(kinds);
      throw new AssertionError("it throws");
    } catch (InvocationTargetException e) {
      return Arrays.stream(e.getCause().getStackTrace())
          .takeWhile(frame -> !frame.getClassName().contains("reflect"))
          .toList();
    }
  }
}
