package io.rollotel.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.log.Stderr;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.bytebuddy.jar.asm.ClassReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Classes that are left alone, and loaders whose classes are. */
class WeaverLeftAloneTest extends WeaverFixture {

  @Test
  void classWithoutAnnotations_givesNull() throws Exception {
    Map<String, byte[]> classes =
        Fixtures.compile(
            17,
            """
            package fixtures;
            public abstract class None {
              static final String NAME = "Lio/rollotel/annotations/Register;";
              void work() {}
              @io.rollotel.annotations.Register(trace = true) abstract void withoutBody();
              @io.rollotel.annotations.Dispatch native void elsewhere();
              @Deprecated void old(@io.rollotel.annotations.MetaInfo Object o) {}
            }
            """);
    FixtureLoader loader = FixtureLoader.weaving(classes);
    assertThat(weaver().weave(loader, classes.get("fixtures.None"))).isNull();
  }

  @Test
  void abstractAndNativeMethods_doNotCostTheOthers() throws Exception {
    FixtureLoader loader =
        FixtureLoader.weaving(
            Fixtures.compile(
                17,
                """
                package fixtures;
                import io.rollotel.annotations.*;
                public abstract class Partly {
                  @Register(trace = true) abstract int withoutBody();
                  @Register(trace = true) native int elsewhere();
                  @Register(trace = true) int work() { return withoutBody(); }
                  public static class Whole extends Partly {
                    int withoutBody() { return 3; }
                  }
                }
                """));
    Object whole = newInstance(loader, "fixtures.Partly$Whole");
    assertThat(method(whole.getClass().getSuperclass(), "work").invoke(whole)).isEqualTo(3);
    assertThat(recorder.events).containsExactly("+work", "-work");
  }

  @Test
  void loaderThatHidesTheHook_itsClassesAreLeftAloneAndWork() throws Exception {
    ClassLoader hiding =
        new ClassLoader(WeaverLeftAloneTest.class.getClassLoader()) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("io.rollotel.agent.")) {
              throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
          }
        };
    Map<String, byte[]> classes = kinds(17);
    FixtureLoader loader = new FixtureLoader(hiding, classes, weaver()::weave);

    try (Stderr stderr = new Stderr()) {
      assertThat(holds(loader, "fixtures.Kinds", "privateMethod")).isTrue();
      assertThat(stderr.lines())
          .filteredOn(line -> line.contains("fixtures.Kinds stays untraced"))
          .singleElement()
          .asString()
          .contains("does not see the agent", loader.toString())
          .as("another class of it may see the agent")
          .doesNotContain("as will all else");
    }
    assertThat(loader.transformed).isEmpty();
    assertThat(recorder.events).isEmpty();
  }

  @Test
  void loaderWithAHookOfItsOwn_itsClassesAreLeftAloneAndWork() throws Exception {
    String hook = TraceHook.class.getName();
    Map<String, byte[]> classes = new HashMap<>(kinds(17));
    classes.put(hook, TraceHook.class.getResourceAsStream("TraceHook.class").readAllBytes());
    FixtureLoader loader =
        new FixtureLoader(
            WeaverLeftAloneTest.class.getClassLoader(),
            classes,
            (self, bytes) ->
                new ClassReader(bytes).getClassName().equals(hook.replace('.', '/'))
                    ? null
                    : weaver().weave(self, bytes));
    try (Stderr stderr = new Stderr()) {
      assertThat(holds(loader, "fixtures.Kinds", "privateMethod")).isTrue();
    }
    assertThat(loader.transformed).isEmpty();
  }

  @Test
  void loaderThatHidesTheHook_nothingToWeaveIsNothingToSay() {
    Map<String, byte[]> classes =
        Fixtures.compile(
            17,
            """
            package fixtures;
            public interface Contract {
              @io.rollotel.annotations.Register(trace = true)
              int work();
            }
            """);
    ClassLoader hiding = new ClassLoader(ClassLoader.getPlatformClassLoader()) {};
    try (Stderr stderr = new Stderr()) {
      assertThat(weaver().weave(hiding, classes.get("fixtures.Contract"))).isNull();
      assertThat(stderr.lines()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "java.lang.SecurityManager, checkPermission(java.security.Permission asked), false",
    "fixtures.Between, checkPermission(java.security.Permission asked), false",
    "fixtures.Between, checkPackageAccess(String name), false",
    "fixtures.Between, work(), true",
    "fixtures.Other, checkPermission(java.security.Permission asked), true",
  })
  void classThatTheJvmAsksWhileItLinks_isLeftAloneWithOneLine(
      String above, String method, boolean isWoven) {
    Map<String, byte[]> classes =
        Fixtures.compile(
            17,
            """
            package fixtures;
            @SuppressWarnings("removal")
            public class Between extends SecurityManager {}
            """,
            """
            package fixtures;
            public class Other {}
            """,
            """
            package fixtures;
            @SuppressWarnings("removal")
            public class Asked extends %s {
              @io.rollotel.annotations.Register(trace = true)
              public void %s {}
            }
            """
                .formatted(above, method));
    FixtureLoader loader = FixtureLoader.plain(classes);
    try (Stderr stderr = new Stderr()) {
      byte[] woven = weaver().weave(loader, classes.get("fixtures.Asked"));
      assertThat(woven != null).isEqualTo(isWoven);
      assertThat(stderr.lines())
          .isEqualTo(
              isWoven
                  ? List.of()
                  : List.of(
                      "[roll-otel] fixtures.Asked stays untraced: the JVM calls it for permission"
                          + " checks while it links"));
    }
  }
}
