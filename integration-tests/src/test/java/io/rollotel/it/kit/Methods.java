package io.rollotel.it.kit;

import java.util.SortedMap;
import java.util.TreeMap;
import net.bytebuddy.jar.asm.AnnotationVisitor;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.TypePath;
import org.jspecify.annotations.Nullable;

/**
 * A class by its methods, each with a hash of its code. A JVM that is asked for a loaded class
 * writes a new class file: it has the same methods, but their order and the constant pool vary, and
 * annotations that the JVM does not keep are missing.
 */
public final class Methods {

  private Methods() {}

  public static SortedMap<String, String> of(byte[] bytes) {
    SortedMap<String, String> methods = new TreeMap<>();
    ClassVisitor each =
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] exceptions) {
            // A class with only this method, whose constant pool holds just what the method needs.
            ClassWriter alone = new ClassWriter(0);
            alone.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, "Alone", null, "java/lang/Object", null);
            return new MethodVisitor(
                Opcodes.ASM9,
                alone.visitMethod(
                    access & ~Opcodes.ACC_DEPRECATED, name, descriptor, signature, exceptions)) {
              @Override
              public @Nullable AnnotationVisitor visitAnnotation(
                  String annotation, boolean visible) {
                return null;
              }

              @Override
              public void visitAnnotableParameterCount(int count, boolean visible) {}

              @Override
              public @Nullable AnnotationVisitor visitParameterAnnotation(
                  int parameter, String annotation, boolean visible) {
                return null;
              }

              @Override
              public @Nullable AnnotationVisitor visitTypeAnnotation(
                  int type, TypePath path, String annotation, boolean visible) {
                return null;
              }

              @Override
              public void visitEnd() {
                super.visitEnd();
                methods.put(name + descriptor, ClassBytesObserver.hash(alone.toByteArray()));
              }
            };
          }
        };
    new ClassReader(bytes).accept(each, ClassReader.SKIP_DEBUG);
    return methods;
  }
}
