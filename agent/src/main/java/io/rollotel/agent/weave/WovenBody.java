package io.rollotel.agent.weave;

import net.bytebuddy.jar.asm.AnnotationVisitor;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import net.bytebuddy.jar.asm.TypePath;
import org.jspecify.annotations.Nullable;

/**
 * A body with the {@link WovenStart} of a {@code @Dispatch} method before it. An exception of the
 * start goes to {@code TraceHook.failed}, and the body continues. Frames must come expanded.
 */
class WovenBody extends MethodVisitor {

  static final String HOOK = "io/rollotel/agent/hook/TraceHook";

  static final String THROWABLE = "java/lang/Throwable";

  private final WovenStart start;
  private final Object[] arguments;

  WovenBody(MethodVisitor body, String className, DeclaredMethod method, WovenStart start) {
    super(Opcodes.ASM9, body);
    this.start = start;
    arguments = locals(className, method);
  }

  /** The types of the variables at the start of the method, as frames describe them. */
  private static Object[] locals(String className, DeclaredMethod method) {
    int receiver = method.isStatic() ? 0 : 1;
    Object[] locals = new Object[receiver + method.parameters.length];
    if (receiver == 1) {
      locals[0] = className;
    }
    for (int i = 0; i < method.parameters.length; i++) {
      locals[receiver + i] = local(method.parameters[i]);
    }
    return locals;
  }

  /** A type as frames describe it. */
  static Object local(Type type) {
    return switch (type.getSort()) {
      case Type.ARRAY, Type.OBJECT -> type.getInternalName();
      case Type.LONG -> Opcodes.LONG;
      case Type.FLOAT -> Opcodes.FLOAT;
      case Type.DOUBLE -> Opcodes.DOUBLE;
      default -> Opcodes.INTEGER;
    };
  }

  /** Stores the start's object, which is on the stack. */
  void keep() {
    mv.visitInsn(Opcodes.POP);
  }

  /** Stores that there is nothing to end. */
  void keepNothing() {}

  /** The entries of the exception table before those of the body, or of the start. */
  void visitBlocks() {}

  /** How many entries {@link #visitBlocks} writes. */
  int blocks() {
    return 0;
  }

  @Override
  public void visitCode() {
    super.visitCode();
    Label from = new Label();
    Label to = new Label();
    Label failed = new Label();
    Label go = new Label();
    visitBlocks();
    mv.visitTryCatchBlock(from, to, failed, THROWABLE);
    mv.visitLabel(from);
    start.write(mv);
    mv.visitLabel(to);
    keep();
    mv.visitJumpInsn(Opcodes.GOTO, go);
    mv.visitLabel(failed);
    mv.visitFrame(Opcodes.F_NEW, arguments.length, arguments, 1, new Object[] {THROWABLE});
    failed();
    keepNothing();
    mv.visitLabel(go);
    visitFrame(Opcodes.F_NEW, arguments.length, arguments, 0, new Object[0]);
    // If the body starts with its own frame, there must not be a second one.
    mv.visitInsn(Opcodes.NOP);
  }

  final void failed() {
    mv.visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, "failed", "(Ljava/lang/Throwable;)V", false);
  }

  /** The body's own entries of the table come after ours. */
  @Override
  public AnnotationVisitor visitTryCatchAnnotation(
      int typeRef, @Nullable TypePath path, String descriptor, boolean visible) {
    return super.visitTryCatchAnnotation(
        typeRef + ((blocks() + 1) << 8), path, descriptor, visible);
  }

  @Override
  public void visitMaxs(int maxStack, int maxLocals) {
    super.visitMaxs(Math.max(maxStack, start.maxStack()), maxLocals);
  }
}
