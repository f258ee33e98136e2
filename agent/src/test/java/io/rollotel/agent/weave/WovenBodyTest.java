package io.rollotel.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rollotel.agent.hook.TraceHook;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.bytebuddy.jar.asm.AnnotationVisitor;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import net.bytebuddy.jar.asm.TypePath;
import net.bytebuddy.jar.asm.TypeReference;
import org.apache.logging.log4j.core.LoggerContext;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class WovenBodyTest {

  private enum Use {
    REGISTER,
    REGISTER_FUTURE,
    DISPATCH,
    BOTH
  }

  /** Bodies of which few libraries have one. */
  static class Odd {
    void nothing() {}

    static long sum(long first, double second) {
      return first + (long) second;
    }

    static void endless(int[] count) {
      while (true) {
        count[0]++;
      }
    }

    synchronized Object locked(Object with) {
      synchronized (with) {
        return with;
      }
    }
  }

  @AfterEach
  void disconnect() {
    TraceHook.connect(null);
  }

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource
  void everyBodyOfAssertj_isVerified(Use use) throws Exception {
    LibraryLoader.Verified verified =
        LibraryLoader.verify(
            bytes -> woven(bytes, use), Assertions.class, "org/assertj/core/", Odd.class);
    assertThat(verified.refused()).isEmpty();
    assertThat(verified.count()).isGreaterThan(500);
  }

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource
  void everyBodyOfLog4j_isVerified(Use use) throws Exception {
    LibraryLoader.Verified verified =
        LibraryLoader.verify(
            bytes -> woven(bytes, use), LoggerContext.class, "org/apache/logging/log4j/core/");
    assertThat(verified.refused()).isEmpty();
    assertThat(verified.count()).isGreaterThan(100);
  }

  private static byte[] woven(byte[] bytes, Use use) {
    ClassFile file = new ClassFile(ClassLoader.getSystemClassLoader(), bytes);
    ClassWriter writer = new ClassWriter(file.reader(), 0);
    file.reader()
        .accept(
            new ClassVisitor(Opcodes.ASM9, writer) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String descriptor, String signature, String[] thrown) {
                MethodVisitor body = super.visitMethod(access, name, descriptor, signature, thrown);
                for (DeclaredMethod method : file.methods()) {
                  if (method.name.equals(name) && method.descriptor.equals(descriptor)) {
                    return method.isWeavable() ? woven(body, file, method, use) : body;
                  }
                }
                throw new AssertionError(name);
              }
            },
            ClassReader.EXPAND_FRAMES);
    return writer.toByteArray();
  }

  private static MethodVisitor woven(
      MethodVisitor body, ClassFile file, DeclaredMethod method, Use use) {
    String type = file.internalName();
    MethodVisitor made = body;
    if (use != Use.DISPATCH) {
      boolean future =
          use == Use.REGISTER_FUTURE
              && Type.getReturnType(method.descriptor).getSort() == Type.OBJECT;
      made = new TracedBody(made, type, method, new WovenStart(file, method, "start"), future);
    }
    return use == Use.DISPATCH || use == Use.BOTH
        ? new WovenBody(made, type, method, new WovenStart(file, method, "dispatch"))
        : made;
  }

  // ---- the end, whatever it does

  private static final String CAUGHT =
      """
      package fixtures;
      import io.rollotel.annotations.*;
      public class Caught {
        static int times;

        @Register(trace = true)
        public static String inTry() {
          try {
            return "own";
          } catch (Throwable t) {
            return "caught " + t;
          }
        }

        @Register(trace = true)
        public static String inFinally() {
          try {
            return "own";
          } finally {
            times++;
          }
        }

        @Register(trace = true)
        public static String inLock() {
          synchronized (Caught.class) {
            return "own";
          }
        }

        @Register(trace = true)
        public static java.util.concurrent.CompletionStage<String> inFuture() {
          try {
            return null;
          } catch (Throwable t) {
            throw new IllegalStateException("caught", t);
          }
        }

        @Register(trace = true)
        public static void throwing(RuntimeException own) {
          try {
            throw own;
          } finally {
            times++;
          }
        }
      }
      """;

  @ParameterizedTest
  @ValueSource(strings = {"inTry", "inFinally", "inLock", "inFuture"})
  void endThatThrows_isNotSeenByTheBodyThatReturns(String name) throws Exception {
    List<Throwable> ends = endsThatThrow();
    Class<?> caught = FixtureLoader.weaving(Fixtures.compile(17, CAUGHT)).loadClass(CAUGHT_CLASS);
    assertThat(caught.getMethod(name).invoke(null))
        .isEqualTo(name.equals("inFuture") ? null : "own");
    assertThat(ends).as("one end").hasSize(1).containsOnlyNulls();
  }

  @Test
  void endThatThrows_isNotSeenByTheCallerOfABodyThatThrows() throws Exception {
    List<Throwable> ends = endsThatThrow();
    Class<?> caught = FixtureLoader.weaving(Fixtures.compile(17, CAUGHT)).loadClass(CAUGHT_CLASS);
    RuntimeException own = new RuntimeException("own");
    assertThatThrownBy(() -> caught.getMethod("throwing", RuntimeException.class).invoke(null, own))
        .isInstanceOf(InvocationTargetException.class)
        .cause()
        .isSameAs(own);
    assertThat(ends).containsExactly(own);
  }

  private static final String CAUGHT_CLASS = "fixtures.Caught";

  private static List<Throwable> endsThatThrow() {
    List<Throwable> ends = new ArrayList<>();
    TraceHook.Call call =
        new TraceHook.Call() {
          @Override
          protected void end(Throwable thrown) {
            ends.add(thrown);
            throw new AssertionError("of the end");
          }
        };
    TraceHook.connect(
        new RecordingTarget() {
          @Override
          public MethodHandle start(MethodHandles.Lookup caller, MethodType type, String facts) {
            return MethodHandles.dropArguments(
                MethodHandles.constant(Object.class, call), 0, type.parameterList());
          }
        });
    return ends;
  }

  // ---- what lies beside the code

  @Test
  void annotationOnACatchParameter_staysWithItsHandler() {
    String source =
        """
        package fixtures;
        import java.lang.annotation.*;
        public class Beside {
          @Target(ElementType.TYPE_USE) public @interface Mark { String value(); }
          @io.rollotel.annotations.Register(trace = true)
          @io.rollotel.annotations.Dispatch
          public static int caught(int n) {
            try {
              return 10 / n;
            } catch (@Mark("arithmetic") ArithmeticException e) {
              if (n > 5) {
                return 1;
              }
              return 0;
            } catch (@Mark("state") IllegalStateException e) {
              return 2;
            }
          }
        }
        """;
    Map<String, byte[]> classes = Fixtures.compile(17, source);
    byte[] original = classes.get("fixtures.Beside");
    assertThat(marks(woven(original, Use.BOTH)))
        .isEqualTo(marks(original))
        .containsEntry("arithmetic", "java/lang/ArithmeticException")
        .containsEntry("state", "java/lang/IllegalStateException");
  }

  /** The type that each marked handler catches. */
  private static Map<String, String> marks(byte[] bytes) {
    Map<String, String> marks = new HashMap<>();
    new ClassReader(bytes)
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String descriptor, String signature, String[] thrown) {
                return new Handlers(marks);
              }
            },
            0);
    return marks;
  }

  private static final class Handlers extends MethodVisitor {

    private final List<String> types = new ArrayList<>();
    private final Map<Integer, String> indexes = new HashMap<>();
    private final Map<String, String> marks;

    Handlers(Map<String, String> marks) {
      super(Opcodes.ASM9);
      this.marks = marks;
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
      types.add(type);
    }

    @Override
    public AnnotationVisitor visitTryCatchAnnotation(
        int typeRef, TypePath path, String descriptor, boolean visible) {
      int index = new TypeReference(typeRef).getTryCatchBlockIndex();
      return new AnnotationVisitor(Opcodes.ASM9) {
        @Override
        public void visit(String name, Object value) {
          indexes.put(index, (String) value);
        }
      };
    }

    @Override
    public void visitEnd() {
      indexes.forEach((index, mark) -> marks.put(mark, types.get(index)));
    }
  }

  // ---- what is read of a method

  private static final String LISTS =
      """
      package fixtures;
      import java.util.*;
      public class Lists<C extends Lists.Payload> {
        public static class Payload {}
        public static class Other<T> { public class Inner {} }
        public void plain(List<Payload> list) {}
        public void raw(List list) {}
        public void ofAny(List<?> list) {}
        public void ofSome(List<? extends Payload> list) {}
        public void ofSuper(List<? super Payload> list) {}
        public void ofArrays(List<Payload[]> list) {}
        public void ofLists(List<List<Payload>> list) {}
        public void ofInner(List<Other<String>.Inner> list) {}
        public <T extends Payload> void ofMethods(List<T> list) {}
        public <T extends Payload & Runnable, U extends T> void ofSecond(List<U> list) {}
        public <T extends Runnable> void ofInterface(List<T> list) {}
        public <T> void ofUnbounded(List<T> list) {}
        public void ofClass(List<C> list) {}
        public void noList(ArrayList<Payload> list) {}
        public class Member { public void ofOuter(List<C> list) {} }
        public static <M extends Payload> Object local() {
          class Local { public void ofLocal(List<M> list) {} }
          return new Local();
        }
      }
      """;

  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({
    "Lists, plain, fixtures/Lists$Payload",
    "Lists, raw,",
    "Lists, ofAny, java/lang/Object",
    "Lists, ofSome, fixtures/Lists$Payload",
    "Lists, ofSuper, java/lang/Object",
    "Lists, ofArrays,",
    "Lists, ofLists, java/util/List",
    "Lists, ofInner, fixtures/Lists$Other$Inner",
    "Lists, ofMethods, fixtures/Lists$Payload",
    "Lists, ofSecond, fixtures/Lists$Payload",
    "Lists, ofInterface, java/lang/Runnable",
    "Lists, ofUnbounded, java/lang/Object",
    "Lists, ofClass, fixtures/Lists$Payload",
    "Lists, noList,",
    "Lists$Member, ofOuter, fixtures/Lists$Payload",
    "Lists$1Local, ofLocal, fixtures/Lists$Payload",
  })
  void listParameter_holdsWhatItsTypeIsErasedTo(String type, String name, String expected) {
    Map<String, byte[]> classes = Fixtures.compile(17, LISTS);
    ClassFile file = new ClassFile(FixtureLoader.plain(classes), classes.get("fixtures." + type));
    DeclaredMethod method =
        file.methods().stream().filter(one -> one.name.equals(name)).findFirst().orElseThrow();
    assertThat(ListElements.of(file, method, 0)).isEqualTo(expected);
  }

  @Test
  void annotationWithoutValues_meansItsDefaults() throws Exception {
    String source =
        """
        package fixtures;
        public class Defaults {
          @io.rollotel.annotations.Register
          public static void registered(@io.rollotel.annotations.SpanAttribute("key") int size) {}
        }
        """;
    byte[] bytes = Fixtures.compile(17, source).get("fixtures.Defaults");
    ClassFile file = new ClassFile(ClassLoader.getSystemClassLoader(), bytes);
    DeclaredMethod method =
        file.methods().stream()
            .filter(one -> one.name.equals("registered"))
            .findFirst()
            .orElseThrow();
    Class<?> register = io.rollotel.annotations.Register.class;
    assertThat(method.traced()).isEqualTo(register.getMethod("trace").getDefaultValue());
    assertThat(method.spanName()).isEqualTo(register.getMethod("name").getDefaultValue());
    assertThat(method.kind()).isEqualTo(register.getMethod("kind").getDefaultValue().toString());
    assertThat(method.expected()).isEmpty();
    assertThat((Class<?>[]) register.getMethod("expected").getDefaultValue()).isEmpty();
    assertThat(register.getDeclaredMethods()).as("all that there are").hasSize(4);
    assertThat(method.attribute(0)).isEqualTo("key");
  }
}
