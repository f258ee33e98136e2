package io.rollotel.agent.threads;

import io.rollotel.agent.weave.AroundBody;
import io.rollotel.agent.weave.BodyEdges;
import io.rollotel.agent.weave.MethodHead;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * The bodies of methods that hand work from thread to thread, with calls of {@code TaskHook} in
 * them. The hook throws nothing, so no call of it is caught.
 */
final class TaskBody {

  private static final String HOOK = TaskHookCopy.NAME;
  private static final String TAKES_TASK = "(Ljava/lang/Object;)V";
  private static final String GIVES_TASK = "(Ljava/lang/Runnable;)Ljava/lang/Runnable;";

  private TaskBody() {}

  /**
   * First hands over the object in a variable, or replaces it by the result of {@code
   * TaskHook.submit} or {@code wrap}.
   */
  static final class AtStart extends BodyEdges {

    private final String hook;
    private final int slot;

    AtStart(MethodVisitor body, String hook, int slot) {
      super(body, 1);
      this.hook = hook;
      this.slot = slot;
    }

    @Override
    protected void atStart() {
      mv.visitVarInsn(Opcodes.ALOAD, slot);
      if (hook.equals("handOver")) {
        call(HOOK, hook, TAKES_TASK);
      } else {
        call(HOOK, hook, GIVES_TASK);
        mv.visitVarInsn(Opcodes.ASTORE, slot);
      }
    }
  }

  /**
   * A constructor at whose end the new object is handed over; optionally only if its first argument
   * is not null.
   */
  static final class AtEnd extends BodyEdges {

    private final boolean onlyWithFirst;

    AtEnd(MethodVisitor body, boolean onlyWithFirst) {
      super(body, 2);
      this.onlyWithFirst = onlyWithFirst;
    }

    @Override
    protected void beforeReturn() {
      mv.visitVarInsn(Opcodes.ALOAD, 0);
      if (onlyWithFirst) {
        mv.visitVarInsn(Opcodes.ALOAD, 1);
        call(HOOK, "handOverWith", "(Ljava/lang/Object;Ljava/lang/Object;)V");
      } else {
        call(HOOK, "handOver", TAKES_TASK);
      }
    }
  }

  /** Replaces {@code task.run()} by {@code TaskHook.run(task)}. */
  static final class RunByHook extends MethodVisitor {

    RunByHook(MethodVisitor body) {
      super(Opcodes.ASM9, body);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      if (opcode == Opcodes.INVOKEINTERFACE
          && owner.equals("java/lang/Runnable")
          && name.equals("run")) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, "run", "(Ljava/lang/Runnable;)V", false);
      } else {
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      }
    }
  }

  /** Between {@code TaskHook.begin(this)}, or {@code clear()}, and {@code end}. */
  static final class Around extends AroundBody {

    private final boolean clears;

    Around(MethodVisitor body, MethodHead method, boolean clears) {
      super(body, method, 1);
      this.clears = clears;
    }

    @Override
    protected void start() {
      if (clears) {
        call(HOOK, "clear", "()Ljava/lang/Object;");
      } else {
        mv.visitVarInsn(Opcodes.ALOAD, 0);
        call(HOOK, "begin", "(Ljava/lang/Object;)Ljava/lang/Object;");
      }
    }

    @Override
    protected void beforeReturn() {
      loadKept();
      call(HOOK, "end", TAKES_TASK);
    }

    @Override
    protected void beforeThrow() {
      beforeReturn();
    }
  }
}
