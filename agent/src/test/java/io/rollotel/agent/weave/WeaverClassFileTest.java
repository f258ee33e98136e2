package io.rollotel.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.settings.MethodList;
import io.rollotel.agent.settings.Settings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Class files that are old, too large, or name types that are missing. */
class WeaverClassFileTest extends WeaverFixture {

  private static final String REGISTER = "Lio/rollotel/annotations/Register;";

  @Test
  void typesMissingOnTheClassPath_doNotMatterUntilTheyAreTouched() throws Exception {
    Map<String, byte[]> classes =
        new HashMap<>(
            Fixtures.compile(
                17,
                """
                package fixtures;
                public class Missing extends RuntimeException {
                  public @interface Mark { Class<?> value() default Missing.class; }
                }
                """,
                """
                package fixtures;
                import io.rollotel.annotations.*;
                @Missing.Mark
                public class Incomplete {
                  Missing field;
                  @Missing.Mark
                  @Register(trace = true)
                  public static String one(@Missing.Mark Missing a, int b, Missing[] c, String d) {
                    return d;
                  }
                  @Dispatch
                  public static Missing two(Missing a) {
                    return a;
                  }
                  @Register(trace = true, expected = {Missing.class, Error.class})
                  public static Missing[] three(boolean yes) throws Missing {
                    Missing local = null;
                    if (yes) {
                      local = new Missing();
                    }
                    return null;
                  }
                }
                """,
                // Reflection would resolve the types of all methods at once.
                """
                package fixtures;
                public class Caller {
                  public static String call() {
                    Incomplete.two(null);
                    Incomplete.three(false);
                    return Incomplete.one(null, 1, null, "text");
                  }
                }
                """));
    classes.keySet().removeIf(name -> name.contains("Missing"));
    FixtureLoader loader = FixtureLoader.weaving(classes);

    assertThat(loader.loadClass("fixtures.Caller").getMethod("call").invoke(null))
        .isEqualTo("text");

    assertThat(loader.transformed).containsExactly("fixtures.Incomplete");
    assertThat(recorder.events).containsExactly(">two", "+three", "-three", "+one", "-one");
    assertThat(recorder.linked.get(1).expected())
        .containsExactly("fixtures.Missing", "java.lang.Error");
  }

  @Test
  void methodTooLargeToBeWoven_doesNotCostTheOthers() throws Exception {
    ClassWriter writer = classWriter(Opcodes.V17, "fixtures/Large");
    method(
        writer,
        "large",
        code -> {
          for (int i = 0; i < 65_530; i++) {
            code.visitInsn(Opcodes.NOP);
          }
        });
    method(writer, "small", code -> {});
    FixtureLoader loader = FixtureLoader.weaving(Map.of("fixtures.Large", writer.toByteArray()));
    Class<?> large;
    try (Stderr stderr = new Stderr()) {
      large = loader.loadClass("fixtures.Large");
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("fixtures.Large.large stays untraced", "too large");
    }

    method(large, "large").invoke(null);
    method(large, "small").invoke(null);

    assertThat(recorder.events).containsExactly("+small", "-small");
  }

  @Test
  void onlyMethodTooLargeToBeWoven_givesNull() {
    ClassWriter writer = classWriter(Opcodes.V17, "fixtures/Large");
    method(
        writer,
        "large",
        code -> {
          for (int i = 0; i < 65_530; i++) {
            code.visitInsn(Opcodes.NOP);
          }
        });
    FixtureLoader loader = FixtureLoader.plain(Map.of());
    try (Stderr stderr = new Stderr()) {
      assertThat(weaver().weave(loader, writer.toByteArray())).isNull();
      assertThat(stderr.lines()).hasSize(1);
    }
  }

  @Test
  void classFileOfJava6_isLeftAlone() {
    ClassWriter writer = classWriter(Opcodes.V1_6, "fixtures/Old");
    method(writer, "work", code -> {});
    FixtureLoader loader = FixtureLoader.plain(Map.of());
    try (Stderr stderr = new Stderr()) {
      assertThat(weaver().weave(loader, writer.toByteArray())).isNull();
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("fixtures.Old stays untraced", "Java 6");
    }
  }

  @Test
  void furtherClassFilesOfJava6_areCountedAndNotSaid() {
    Ledger ledger = new Ledger();
    Weaver weaver = new Weaver(MethodList.none(), ledger);
    FixtureLoader loader = FixtureLoader.plain(Map.of());
    try (Stderr stderr = new Stderr()) {
      for (int i = 0; i < 3; i++) {
        ClassWriter writer = classWriter(Opcodes.V1_6, "fixtures/Old" + i);
        method(writer, "work", code -> {});
        assertThat(weaver.weave(loader, writer.toByteArray())).isNull();
      }
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("fixtures.Old0 stays untraced: compiled for Java 6 or older");
    }
    assertThat(ledger.methods())
        .hasSize(3)
        .allMatch(entry -> Ledger.TOO_OLD.equals(entry.failure()));
  }

  @ParameterizedTest(name = "{0} {1}: {2}")
  @CsvSource({
    "getMetaInfo, ()Ljava/util/Map;, 0",
    "metaInfo, ()Ljava/util/HashMap;, 0",
    "metaInfo, (I)Ljava/util/Map;, 1",
    "metaInfo, ()Ljava/lang/String;, 1",
    "work, ()Ljava/util/Map;, 1"
  })
  void listThatNamesTheGetterOfAPayload_leavesItAlone(
      String name, String descriptor, int wovenMethods) {
    ClassWriter writer = classWriter(Opcodes.V17, "fixtures/Payload");
    MethodVisitor code = writer.visitMethod(Opcodes.ACC_PUBLIC, name, descriptor, null, null);
    code.visitCode();
    code.visitInsn(Opcodes.ACONST_NULL);
    code.visitInsn(Opcodes.ARETURN);
    code.visitMaxs(1, 2);
    code.visitEnd();
    Ledger ledger = new Ledger();
    MethodList list = Settings.attached(List.of("methods=fixtures.*[*]"), Map.of()).methods();
    new Weaver(list, ledger).weave(FixtureLoader.plain(Map.of()), writer.toByteArray());
    assertThat(ledger.methods()).hasSize(wovenMethods);
  }

  @Test
  void classFileOfJava7_isWoven() throws Exception {
    ClassWriter writer = classWriter(Opcodes.V1_7, "fixtures/Old");
    method(writer, "work", code -> {});
    FixtureLoader loader = FixtureLoader.weaving(Map.of("fixtures.Old", writer.toByteArray()));
    method(loader.loadClass("fixtures.Old"), "work").invoke(null);
    assertThat(recorder.events).containsExactly("+work", "-work");
  }

  private static ClassWriter classWriter(int version, String name) {
    ClassWriter writer = new ClassWriter(0);
    writer.visit(version, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
    return writer;
  }

  private static void method(ClassWriter writer, String name, Consumer<MethodVisitor> body) {
    MethodVisitor code =
        writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, name, "()V", null, null);
    var annotation = code.visitAnnotation(REGISTER, true);
    annotation.visit("trace", true);
    annotation.visitEnd();
    code.visitCode();
    body.accept(code);
    code.visitInsn(Opcodes.RETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }
}
