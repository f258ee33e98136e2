package io.rollotel.agent.weave;

import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

/**
 * The methods of {@code GlobalOpenTelemetry}. {@code get} and {@code getOrNoop}: while no global is
 * set, the answer is the agent's, and the global stays unset, so that the application's own {@code
 * set} is accepted. {@code set}: where it returns, the agent's spans go there from now on; where it
 * threw, nothing was set.
 */
final class GlobalBody {

  private static final String FIELD = "globalOpenTelemetry";
  private static final String OBJECT = "java/lang/Object";

  private GlobalBody() {}

  static byte[] weave(ClassFile file) {
    Methods woven = new Methods(file);
    file.reader().accept(woven, ClassReader.EXPAND_FRAMES);
    if (woven.field == null) {
      throw new IllegalStateException("no field " + FIELD);
    }
    return woven.writer.toByteArray();
  }

  private static final class Methods extends ClassVisitor {

    final ClassWriter writer;
    private final Type global;
    @Nullable String field;

    Methods(ClassFile file) {
      this(new ClassWriter(file.reader(), 0), Type.getObjectType(file.internalName()));
    }

    private Methods(ClassWriter writer, Type global) {
      super(Opcodes.ASM9, writer);
      this.writer = writer;
      this.global = global;
    }

    /** Fields come before methods. */
    @Override
    public FieldVisitor visitField(
        int access,
        String name,
        String descriptor,
        @Nullable String signature,
        @Nullable Object o) {
      if (name.equals(FIELD)) {
        field = descriptor;
      }
      return super.visitField(access, name, descriptor, signature, o);
    }

    @Override
    public MethodVisitor visitMethod(
        int access,
        String name,
        String descriptor,
        @Nullable String signature,
        String @Nullable [] exceptions) {
      MethodVisitor body = super.visitMethod(access, name, descriptor, signature, exceptions);
      if (name.equals("set")) {
        return new Set(body, global);
      }
      boolean gets = name.equals("get") || name.equals("getOrNoop");
      return gets && descriptor.startsWith("()") && field != null
          ? new Get(body, global, field, Type.getReturnType(descriptor).getInternalName())
          : body;
    }
  }

  private static void callHook(MethodVisitor to, Type global, String name, String descriptor) {
    to.visitLdcInsn(global);
    to.visitMethodInsn(Opcodes.INVOKESTATIC, WovenBody.HOOK, name, descriptor, false);
  }

  private static final class Set extends MethodVisitor {

    private final Type global;

    Set(MethodVisitor body, Type global) {
      super(Opcodes.ASM9, body);
      this.global = global;
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode == Opcodes.RETURN) {
        callHook(mv, global, "openTelemetrySet", "(Ljava/lang/Class;)V");
      }
      super.visitInsn(opcode);
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
      super.visitMaxs(maxStack + 1, maxLocals);
    }
  }

  private static final class Get extends MethodVisitor {

    private static final Object[] NOTHING = {};

    private final Type global;
    private final String field;
    private final String returned;

    Get(MethodVisitor body, Type global, String field, String returned) {
      super(Opcodes.ASM9, body);
      this.global = global;
      this.field = field;
      this.returned = returned;
    }

    @Override
    public void visitCode() {
      super.visitCode();
      Label from = new Label();
      Label none = new Label();
      Label go = new Label();
      mv.visitTryCatchBlock(from, none, none, WovenBody.THROWABLE);
      mv.visitFieldInsn(Opcodes.GETSTATIC, global.getInternalName(), FIELD, field);
      mv.visitJumpInsn(Opcodes.IFNONNULL, go);
      mv.visitLabel(from);
      callHook(mv, global, "openTelemetry", "(Ljava/lang/Class;)Ljava/lang/Object;");
      mv.visitInsn(Opcodes.DUP);
      mv.visitJumpInsn(Opcodes.IFNULL, none);
      mv.visitTypeInsn(Opcodes.CHECKCAST, returned);
      mv.visitInsn(Opcodes.ARETURN);
      mv.visitLabel(none);
      mv.visitFrame(Opcodes.F_NEW, 0, NOTHING, 1, new Object[] {OBJECT});
      mv.visitInsn(Opcodes.POP);
      mv.visitLabel(go);
      mv.visitFrame(Opcodes.F_NEW, 0, NOTHING, 0, NOTHING);
      // Where the body starts with a frame of its own, there must not be two of them.
      mv.visitInsn(Opcodes.NOP);
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
      super.visitMaxs(Math.max(maxStack, 2), maxLocals);
    }
  }
}
