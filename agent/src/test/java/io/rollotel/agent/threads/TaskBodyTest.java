package io.rollotel.agent.threads;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.weave.LibraryLoader;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever a body is like, the JVM's verifier takes what is made of it. */
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

  @ParameterizedTest
  @EnumSource
  void everyBodyOfALibrary_isVerified(Change change) throws Exception {
    LibraryLoader.Verified verified =
        LibraryLoader.verify(
            bytes -> changed(bytes, change), Assertions.class, "org/assertj/core/", Nothing.class);
    assertThat(verified.refused()).isEmpty();
    assertThat(verified.count()).isGreaterThan(500);
  }

  private static byte[] changed(byte[] bytes, Change change) {
    ClassReader reader = new ClassReader(bytes);
    ClassWriter writer = new ClassWriter(reader, 0);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access,
              String name,
              String descriptor,
              @Nullable String signature,
              String @Nullable [] thrown) {
            MethodVisitor body = super.visitMethod(access, name, descriptor, signature, thrown);
            boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
            return name.startsWith("<") ? body : changed(body, change, isStatic, descriptor);
          }
        },
        ClassReader.EXPAND_FRAMES);
    return writer.toByteArray();
  }

  private static MethodVisitor changed(
      MethodVisitor body, Change change, boolean isStatic, String descriptor) {
    return switch (change) {
      case BEGIN -> isStatic ? body : new TaskBody.Around(body, false, true, false, descriptor);
      case CLEAR -> new TaskBody.Around(body, true, true, isStatic, descriptor);
      case HAND_OVER -> {
        Type[] types = Type.getArgumentTypes(descriptor);
        boolean takesTask = types.length > 0 && types[0].getSort() == Type.OBJECT;
        yield isStatic && !takesTask ? body : TaskBody.handOver(body, 0);
      }
      case RUN_BY_HOOK -> TaskBody.runByHook(body);
    };
  }
}
