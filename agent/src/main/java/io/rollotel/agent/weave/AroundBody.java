package io.rollotel.agent.weave;

import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.jar.asm.AnnotationVisitor;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.TypePath;
import org.jspecify.annotations.Nullable;

/**
 * A body between a start that returns an object and an end that takes it, however the body ends.
 * The object is stored behind the arguments, and all other variables move by one, so one pass over
 * the class is enough. ({@link TracedBody} knows the class from an earlier pass, and moves no
 * variables of an application's method.)
 */
public abstract class AroundBody extends BodyEdges {

  private final boolean hasFrames;
  private final int slot;
  private final Label from = new Label();

  protected AroundBody(MethodVisitor body, MethodHead method, int stack) {
    super(body, stack + 1); // the thrown object is below it
    hasFrames = method.hasFrames();
    slot = method.slotBehindArguments();
  }

  /** Writes code that leaves the object on the stack. */
  protected abstract void start();

  /**
   * Writes the exception handler. The exception is on top of the stack before this code, and must
   * be after it.
   */
  protected abstract void beforeThrow();

  /** Pushes the start's object. */
  protected final void loadKept() {
    mv.visitVarInsn(Opcodes.ALOAD, slot);
  }

  /**
   * Marks a jump target with one object on the stack. Of the local variables only that of {@link
   * #loadKept} is known there: for woven code that the method's own code does not follow.
   */
  protected final void visitLabel(Label label, String onStack) {
    mv.visitLabel(label);
    if (hasFrames) {
      Object[] locals = withKept(0, new Object[0]);
      mv.visitFrame(Opcodes.F_NEW, locals.length, locals, 1, new Object[] {onStack});
    }
  }

  @Override
  protected final void atStart() {
    start();
    mv.visitVarInsn(Opcodes.ASTORE, slot);
    mv.visitLabel(from);
  }

  @Override
  public void visitMaxs(int maxStack, int maxLocals) {
    Label to = new Label();
    // Comes last, so that the body's own entries come first.
    mv.visitTryCatchBlock(from, to, to, null);
    visitLabel(to, WovenBody.THROWABLE);
    beforeThrow();
    mv.visitInsn(Opcodes.ATHROW);
    super.visitMaxs(maxStack, maxLocals + 1);
  }

  @Override
  public void visitFrame(int type, int numLocal, Object[] local, int numStack, Object[] stack) {
    Object[] locals = withKept(numLocal, local);
    super.visitFrame(type, locals.length, locals, numStack, stack);
  }

  private Object[] withKept(int count, Object[] local) {
    List<Object> locals = new ArrayList<>();
    int i = 0;
    for (int slots = 0; slots < slot; slots++) {
      Object type = i < count ? local[i++] : Opcodes.TOP;
      locals.add(type);
      if (type == Opcodes.LONG || type == Opcodes.DOUBLE) {
        slots++;
      }
    }
    locals.add("java/lang/Object");
    while (i < count) {
      locals.add(local[i++]);
    }
    return locals.toArray();
  }

  private int moved(int variable) {
    return variable < slot ? variable : variable + 1;
  }

  @Override
  public void visitVarInsn(int opcode, int variable) {
    super.visitVarInsn(opcode, moved(variable));
  }

  @Override
  public void visitIincInsn(int variable, int increment) {
    super.visitIincInsn(moved(variable), increment);
  }

  @Override
  public void visitLocalVariable(
      String name,
      String descriptor,
      @Nullable String signature,
      Label start,
      Label end,
      int index) {
    super.visitLocalVariable(name, descriptor, signature, start, end, moved(index));
  }

  @Override
  public AnnotationVisitor visitLocalVariableAnnotation(
      int typeRef,
      @Nullable TypePath typePath,
      Label[] start,
      Label[] end,
      int[] index,
      String descriptor,
      boolean visible) {
    int[] moved = new int[index.length];
    for (int i = 0; i < index.length; i++) {
      moved[i] = moved(index[i]);
    }
    return super.visitLocalVariableAnnotation(
        typeRef, typePath, start, end, moved, descriptor, visible);
  }
}
