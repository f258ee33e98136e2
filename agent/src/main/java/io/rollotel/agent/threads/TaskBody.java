package io.rollotel.agent.threads;

import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.jar.asm.AnnotationVisitor;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import net.bytebuddy.jar.asm.TypePath;

/**
 * The bodies of methods that hand work from thread to thread, with calls of {@code TaskHook} in
 * them. By ASM, since these few are needed by every JVM that traces at all: by advice they cost a
 * fifth of the first traced call. The hook throws nothing, so no call of it is caught.
 */
final class TaskBody {

  private static final String TAKES_TASK = "(Ljava/lang/Object;)V";
  private static final String GIVES_TASK = "(Ljava/lang/Runnable;)Ljava/lang/Runnable;";

  private TaskBody() {}

  /** First hands over what lies in a slot. */
  static MethodVisitor handOver(MethodVisitor body, int slot) {
    return new AtStart(body) {
      @Override
      void start() {
        visitVarInsn(Opcodes.ALOAD, slot);
        callHook(mv, "handOver", TAKES_TASK);
      }
    };
  }

  /** First puts what {@code TaskHook.submit} or {@code wrap} makes of the task in its slot. */
  static MethodVisitor replace(MethodVisitor body, String hook, int slot) {
    return new AtStart(body) {
      @Override
      void start() {
        visitVarInsn(Opcodes.ALOAD, slot);
        callHook(mv, hook, GIVES_TASK);
        visitVarInsn(Opcodes.ASTORE, slot);
      }
    };
  }

  /**
   * A constructor that at its end hands over what it has made; if so told, only where its first
   * argument is not null.
   */
  static MethodVisitor handOverNew(MethodVisitor body, boolean onlyWithFirst) {
    return new MethodVisitor(Opcodes.ASM9, body) {
      @Override
      public void visitInsn(int opcode) {
        if (opcode == Opcodes.RETURN) {
          visitVarInsn(Opcodes.ALOAD, 0);
          if (onlyWithFirst) {
            visitVarInsn(Opcodes.ALOAD, 1);
            callHook(mv, "handOverWith", "(Ljava/lang/Object;Ljava/lang/Object;)V");
          } else {
            callHook(mv, "handOver", TAKES_TASK);
          }
        }
        super.visitInsn(opcode);
      }

      @Override
      public void visitMaxs(int maxStack, int maxLocals) {
        super.visitMaxs(maxStack + 2, maxLocals);
      }
    };
  }

  /** Puts {@code TaskHook.run(task)} in the place of {@code task.run()}. */
  static MethodVisitor runByHook(MethodVisitor body) {
    return new MethodVisitor(Opcodes.ASM9, body) {
      @Override
      public void visitMethodInsn(
          int opcode, String owner, String name, String descriptor, boolean isInterface) {
        if (opcode == Opcodes.INVOKEINTERFACE
            && owner.equals("java/lang/Runnable")
            && name.equals("run")) {
          callHook(mv, "run", "(Ljava/lang/Runnable;)V");
        } else {
          super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }
      }
    };
  }

  private static void callHook(MethodVisitor to, String name, String descriptor) {
    to.visitMethodInsn(Opcodes.INVOKESTATIC, TaskHookCopy.NAME, name, descriptor, false);
  }

  private abstract static class AtStart extends MethodVisitor {

    AtStart(MethodVisitor body) {
      super(Opcodes.ASM9, body);
    }

    abstract void start();

    @Override
    public void visitCode() {
      super.visitCode();
      start();
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
      super.visitMaxs(Math.max(maxStack, 1), maxLocals);
    }
  }

  /**
   * Between {@code TaskHook.begin(this)}, or {@code clear()}, and {@code end}, however the body
   * ends. What begin gave lies behind the arguments, and all other variables one further. Frames
   * must come expanded.
   */
  static final class Around extends MethodVisitor {

    private static final String BEGUN = "java/lang/Object";

    private final boolean clears;
    private final boolean hasFrames;
    private final int slot;
    private final Label from = new Label();

    Around(
        MethodVisitor body,
        boolean clears,
        boolean hasFrames,
        boolean isStatic,
        String descriptor) {
      super(Opcodes.ASM9, body);
      this.clears = clears;
      this.hasFrames = hasFrames;
      slot = (Type.getArgumentsAndReturnSizes(descriptor) >> 2) - (isStatic ? 1 : 0);
    }

    @Override
    public void visitCode() {
      super.visitCode();
      if (clears) {
        callHook(mv, "clear", "()Ljava/lang/Object;");
      } else {
        mv.visitVarInsn(Opcodes.ALOAD, 0);
        callHook(mv, "begin", "(Ljava/lang/Object;)Ljava/lang/Object;");
      }
      mv.visitVarInsn(Opcodes.ASTORE, slot);
      mv.visitLabel(from);
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
        end();
      }
      super.visitInsn(opcode);
    }

    private void end() {
      mv.visitVarInsn(Opcodes.ALOAD, slot);
      callHook(mv, "end", TAKES_TASK);
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
      Label to = new Label();
      mv.visitLabel(to);
      // The last, so that the body's own come first.
      mv.visitTryCatchBlock(from, to, to, null);
      if (hasFrames) {
        Object[] locals = behindArguments(0, new Object[0]);
        mv.visitFrame(
            Opcodes.F_NEW, locals.length, locals, 1, new Object[] {"java/lang/Throwable"});
      }
      end();
      mv.visitInsn(Opcodes.ATHROW);
      // What was thrown and what begin gave, even where the body itself has nothing on its stack.
      super.visitMaxs(Math.max(maxStack + 1, 2), maxLocals + 1);
    }

    @Override
    public void visitFrame(int type, int numLocal, Object[] local, int numStack, Object[] stack) {
      Object[] locals = behindArguments(numLocal, local);
      super.visitFrame(type, locals.length, locals, numStack, stack);
    }

    private Object[] behindArguments(int count, Object[] local) {
      List<Object> locals = new ArrayList<>();
      int i = 0;
      for (int slots = 0; slots < slot; slots++) {
        Object type = i < count ? local[i++] : Opcodes.TOP;
        locals.add(type);
        if (type == Opcodes.LONG || type == Opcodes.DOUBLE) {
          slots++;
        }
      }
      locals.add(BEGUN);
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
        String name, String descriptor, String signature, Label start, Label end, int index) {
      super.visitLocalVariable(name, descriptor, signature, start, end, moved(index));
    }

    @Override
    public AnnotationVisitor visitLocalVariableAnnotation(
        int typeRef,
        TypePath typePath,
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
}
