package io.rollotel.agent.weave;

import java.util.Arrays;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/**
 * The body of a {@code @Register} method: between its start and {@code TraceHook.end}, however it
 * ends. The value returned by the start is stored behind the body's variables, none of which moves.
 * Behind that is the value that the method is about to return or throw. The ending code comes
 * before each return. If it fails, the agent reports that, and the method returns or throws what it
 * would have.
 */
final class TracedBody extends WovenBody {

  private static final String CALL = "java/lang/Object";

  private final boolean givesFuture;
  private final Type returned;

  /** The variable of the start's object. */
  private final int call;

  /** The variable of the method's result. */
  private final int given;

  private final int returns;
  private int written;

  // The ranges between labels: the body's own code, and the ending code before each return.
  private final Label[] bodyFrom;
  private final Label[] endFrom;
  private final Label[] endTo;

  private final Label endFailed = new Label();
  private final Label thrown = new Label();
  private final Label thrownFrom = new Label();
  private final Label thrownTo = new Label();
  private final Label thrownFailed = new Label();

  /**
   * @param givesFuture whether the end receives the method's result
   */
  TracedBody(
      MethodVisitor body,
      String className,
      DeclaredMethod method,
      WovenStart start,
      boolean givesFuture) {
    super(body, className, method, start);
    this.givesFuture = givesFuture;
    returned = Type.getReturnType(method.descriptor);
    call = method.maxLocals();
    given = call + 1;
    returns = method.returns();
    bodyFrom = labels(returns + 1);
    endFrom = labels(returns);
    endTo = labels(returns);
    if (given + 2 > 0xffff) {
      throw new IllegalArgumentException("no room for another variable");
    }
  }

  private static Label[] labels(int count) {
    Label[] labels = new Label[count];
    Arrays.setAll(labels, i -> new Label());
    return labels;
  }

  @Override
  void keep() {
    mv.visitVarInsn(Opcodes.ASTORE, call);
  }

  @Override
  void keepNothing() {
    mv.visitInsn(Opcodes.ACONST_NULL);
    keep();
  }

  /** Before the body's own entries, which may cover its returns. */
  @Override
  void visitBlocks() {
    for (int i = 0; i < returns; i++) {
      mv.visitTryCatchBlock(endFrom[i], endTo[i], endFailed, THROWABLE);
    }
    mv.visitTryCatchBlock(thrownFrom, thrownTo, thrownFailed, THROWABLE);
  }

  @Override
  int blocks() {
    return returns + 1;
  }

  @Override
  public void visitCode() {
    super.visitCode();
    mv.visitLabel(bodyFrom[0]);
  }

  @Override
  public void visitInsn(int opcode) {
    if (!BodyEdges.returns(opcode)) {
      super.visitInsn(opcode);
      return;
    }
    boolean isVoid = opcode == Opcodes.RETURN;
    if (!isVoid) {
      mv.visitVarInsn(returned.getOpcode(Opcodes.ISTORE), given);
    }
    mv.visitLabel(endFrom[written]);
    end(false);
    mv.visitLabel(endTo[written]);
    giveBack();
    written++;
    mv.visitLabel(bodyFrom[written]);
  }

  private void giveBack() {
    if (returned.getSort() != Type.VOID) {
      mv.visitVarInsn(returned.getOpcode(Opcodes.ILOAD), given);
    }
    mv.visitInsn(returned.getOpcode(Opcodes.IRETURN));
  }

  private void end(boolean threw) {
    mv.visitVarInsn(Opcodes.ALOAD, call);
    if (givesFuture) {
      value(!threw);
    }
    value(threw);
    mv.visitMethodInsn(
        Opcodes.INVOKESTATIC,
        HOOK,
        givesFuture ? "endWith" : "end",
        givesFuture
            ? "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Throwable;)V"
            : "(Ljava/lang/Object;Ljava/lang/Throwable;)V",
        false);
  }

  private void value(boolean isGiven) {
    if (isGiven) {
      mv.visitVarInsn(Opcodes.ALOAD, given);
    } else {
      mv.visitInsn(Opcodes.ACONST_NULL);
    }
  }

  /** In the body, the start's object is always known. */
  @Override
  public void visitFrame(int type, int count, Object[] locals, int stackSize, Object[] stack) {
    Object[] all = new Object[call + 1];
    int slots = 0;
    int length = 0;
    for (int i = 0; i < count; i++) {
      all[length++] = locals[i];
      slots += locals[i] == Opcodes.LONG || locals[i] == Opcodes.DOUBLE ? 2 : 1;
    }
    for (; slots < call; slots++) {
      all[length++] = Opcodes.TOP;
    }
    all[length++] = CALL;
    super.visitFrame(type, length, all, stackSize, stack);
  }

  /** Behind the body, the only known variables are the start's value and sometimes one more. */
  private void visitHandler(Label handler, Object... behindCall) {
    mv.visitLabel(handler);
    Object[] locals = new Object[given + behindCall.length];
    Arrays.fill(locals, 0, call, Opcodes.TOP);
    locals[call] = CALL;
    System.arraycopy(behindCall, 0, locals, given, behindCall.length);
    mv.visitFrame(Opcodes.F_NEW, locals.length, locals, 1, new Object[] {THROWABLE});
  }

  @Override
  public void visitMaxs(int maxStack, int maxLocals) {
    visitHandler(thrown);
    for (int i = 0; i <= returns; i++) {
      Label to = i < returns ? endFrom[i] : thrown;
      if (bodyFrom[i].getOffset() < to.getOffset()) {
        mv.visitTryCatchBlock(bodyFrom[i], to, thrown, THROWABLE);
      }
    }
    mv.visitVarInsn(Opcodes.ASTORE, given);
    mv.visitLabel(thrownFrom);
    end(true);
    mv.visitLabel(thrownTo);
    rethrow();
    visitHandler(thrownFailed, THROWABLE);
    failed();
    rethrow();
    if (returns > 0) {
      if (returned.getSort() == Type.VOID) {
        visitHandler(endFailed);
      } else {
        visitHandler(endFailed, local(returned));
      }
      failed();
      giveBack();
    }
    super.visitMaxs(maxStack + 3, given + 2);
  }

  private void rethrow() {
    mv.visitVarInsn(Opcodes.ALOAD, given);
    mv.visitInsn(Opcodes.ATHROW);
  }
}
