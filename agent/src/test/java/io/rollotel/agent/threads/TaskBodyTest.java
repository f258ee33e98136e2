package io.rollotel.agent.threads;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.weave.ClassRewriter;
import io.rollotel.agent.weave.LibraryLoader;
import io.rollotel.agent.weave.MethodHead;
import io.rollotel.agent.weave.MethodPlace;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The JVM's verifier accepts the woven form of any body. */
class TaskBodyTest {

  private enum Change {
    BEGIN,
    CLEAR,
    HAND_OVER,
    RUN_BY_HOOK
  }

  /** Bodies with nothing in them, which few libraries have. */
  static class Nothing extends Thread {
    @Override
    public void run() {}

    static void ofItsOwn() {}

    long sum(long first, double second) {
      return first + (long) second;
    }
  }

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource
  void everyBodyOfALibrary_isVerified(Change change) throws Exception {
    LibraryLoader.Verified verified =
        LibraryLoader.verify(
            bytes -> changed(bytes, change), Assertions.class, "org/assertj/core/", Nothing.class);
    assertThat(verified.refused()).isEmpty();
    assertThat(verified.count()).isGreaterThan(500);
  }

  /** Each class names its methods in its own way, so all names are looked up one by one. */
  private static byte[] changed(byte[] bytes, Change change) {
    ClassReader reader = new ClassReader(bytes);
    List<MethodPlace> places = new ArrayList<>();
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public @Nullable MethodVisitor visitMethod(
              int access,
              String name,
              String descriptor,
              @Nullable String signature,
              String @Nullable [] thrown) {
            if (!name.startsWith("<")) {
              places.add(
                  new MethodPlace(
                      "", name, descriptor, (body, method) -> changed(body, change, method)));
            }
            return null;
          }
        },
        ClassReader.SKIP_CODE);
    byte[] changed = ClassRewriter.rewrite(reader, places).bytes();
    return changed == null ? bytes : changed;
  }

  private static MethodVisitor changed(MethodVisitor body, Change change, MethodHead method) {
    return switch (change) {
      case BEGIN -> TaskChange.RUN.change(body, method);
      case CLEAR -> TaskChange.CLEAR.change(body, method);
      case HAND_OVER -> {
        Type[] types = Type.getArgumentTypes(method.descriptor());
        boolean takesTask = types.length > 0 && types[0].getSort() == Type.OBJECT;
        yield (takesTask ? TaskChange.HAND_OVER_FIRST : TaskChange.HAND_OVER).change(body, method);
      }
      case RUN_BY_HOOK -> TaskChange.RUN_IN_POOL.change(body, method);
    };
  }
}
