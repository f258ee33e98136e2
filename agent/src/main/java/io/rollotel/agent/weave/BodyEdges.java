package io.rollotel.agent.weave;

import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * A body with more instructions at its start and before each of its returns. What they call must
 * not throw: nothing here catches it. Only errors that the JVM may throw at any call remain, such
 * as a stack overflow.
 */
public abstract class BodyEdges extends MethodVisitor {

  private final int stack;

  /**
   * The visitor of one body.
   *
   * @param stack the maximum stack size of the added instructions
   */
  protected BodyEdges(MethodVisitor body, int stack) {
    super(Opcodes.ASM9, body);
    this.stack = stack;
  }

  static boolean returns(int opcode) {
    return opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN;
  }

  /** Writes the code at the start of the body; leaves the stack empty. */
  protected void atStart() {}

  /**
   * Writes the code before a return. The returned value is on top of the stack before it, and must
   * be after it.
   */
  protected void beforeReturn() {}

  /** Writes the call of a static method. */
  protected final void call(String owner, String name, String descriptor) {
    mv.visitMethodInsn(Opcodes.INVOKESTATIC, owner, name, descriptor, false);
  }

  @Override
  public void visitCode() {
    super.visitCode();
    atStart();
  }

  @Override
  public void visitInsn(int opcode) {
    if (returns(opcode)) {
      beforeReturn();
    }
    super.visitInsn(opcode);
  }

  @Override
  public void visitMaxs(int maxStack, int maxLocals) {
    super.visitMaxs(maxStack + stack, maxLocals);
  }
}
