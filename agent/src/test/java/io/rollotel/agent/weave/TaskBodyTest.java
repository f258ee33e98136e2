package io.rollotel.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
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
    List<String> refused = new ArrayList<>();
    int woven = 0;
    try (JarFile library = new JarFile(path(Assertions.class))) {
      Loader loader = new Loader(bytes -> changed(bytes, change), library);
      for (String name : names(library)) {
        try {
          Class<?> type = loader.loadClass(name);
          assertThat(type.getClassLoader()).isSameAs(loader);
          type.getDeclaredMethods(); // links it, which verifies it
          woven++;
        } catch (NoClassDefFoundError optional) {
          // what the library uses if it is there
        } catch (VerifyError e) {
          refused.add(name + ": " + e.getMessage());
        }
      }
    }
    assertThat(refused).isEmpty();
    assertThat(woven).isGreaterThan(500);
  }

  private static List<String> names(JarFile library) {
    return Stream.concat(
            Stream.of(Nothing.class.getName()),
            library.stream()
                .map(JarEntry::getName)
                .filter(name -> name.startsWith("org/assertj/core/") && name.endsWith(".class"))
                .map(name -> name.substring(0, name.length() - 6).replace('/', '.')))
        .toList();
  }

  private static String path(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().getPath();
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

  /** Its own classes and the library's first, woven. */
  private static final class Loader extends ClassLoader {

    private final UnaryOperator<byte[]> weaver;
    private final JarFile library;

    Loader(UnaryOperator<byte[]> weaver, JarFile library) {
      super(TaskBodyTest.class.getClassLoader());
      this.weaver = weaver;
      this.library = library;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        String path = name.replace('.', '/') + ".class";
        if (loaded != null) {
          return loaded;
        }
        if (!name.equals(Nothing.class.getName()) && library.getEntry(path) == null) {
          return super.loadClass(name, resolve);
        }
        try (InputStream in = getParent().getResourceAsStream(path)) {
          byte[] woven = weaver.apply(in.readAllBytes());
          return defineClass(name, woven, 0, woven.length);
        } catch (IOException e) {
          throw new ClassNotFoundException(name, e);
        }
      }
    }
  }
}
