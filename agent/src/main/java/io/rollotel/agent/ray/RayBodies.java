package io.rollotel.agent.ray;

import io.rollotel.agent.weave.AroundBody;
import io.rollotel.agent.weave.BodyEdges;
import io.rollotel.agent.weave.MethodHead;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * The bodies of Ray's methods with calls of {@code RayHook} in them, and without logic of their
 * own. The hook catches its own failures, so no call of it is guarded. A stack overflow at such a
 * call would also have happened at Ray's own next call.
 */
final class RayBodies {

  private static final String HOOK = "io/rollotel/agent/hook/RayHook";
  private static final String OBJECT = "Ljava/lang/Object;";
  private static final String LIST = "Ljava/util/List;";

  private RayBodies() {}

  static void callHook(MethodVisitor to, String name, String descriptor) {
    to.visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, name, descriptor, false);
  }

  /**
   * Between a call of the hook that returns an object, and one that takes this object and the
   * thrown exception.
   */
  private abstract static class Around extends AroundBody {

    private final MethodHead method;
    private final String end;

    Around(MethodVisitor body, MethodHead method, String end) {
      super(body, method, 4);
      this.method = method;
      this.end = end;
      if (method.isStatic()) {
        throw new IllegalStateException(method.name() + " is static");
      }
    }

    final void loadThis() {
      mv.visitVarInsn(Opcodes.ALOAD, 0);
    }

    final void load(int argument) {
      mv.visitVarInsn(Opcodes.ALOAD, method.slot(argument));
    }

    @Override
    protected void beforeReturn() {
      loadKept();
      mv.visitInsn(Opcodes.ACONST_NULL);
      call(HOOK, end, "(Ljava/lang/Object;Ljava/lang/Throwable;)V");
    }

    @Override
    protected void beforeThrow() {
      mv.visitInsn(Opcodes.DUP);
      loadKept();
      mv.visitInsn(Opcodes.SWAP);
      call(HOOK, end, "(Ljava/lang/Object;Ljava/lang/Throwable;)V");
    }
  }

  /** {@code callNormalFunction}, {@code callActorFunction}, {@code createActorImpl}. */
  static final class Sending extends Around {

    private static final String SENT =
        "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Throwable;)V";

    private final int function;
    private final int actor;
    private final int returned;

    /**
     * All but the first by the index of the argument.
     *
     * @param actor -1 if no actor is called
     * @param returned the optional type of the result; -1 for a new actor
     */
    Sending(MethodVisitor body, MethodHead method, int function, int actor, int returned) {
      super(body, method, "sent");
      this.function = function;
      this.actor = actor;
      this.returned = returned;
    }

    @Override
    protected void start() {
      loadThis();
      load(function);
      if (returned < 0) {
        call(HOOK, "creating", "(" + OBJECT.repeat(2) + ")" + OBJECT);
        return;
      }
      if (actor < 0) {
        mv.visitInsn(Opcodes.ACONST_NULL);
      } else {
        load(actor);
      }
      load(returned);
      call(HOOK, "sending", "(" + OBJECT.repeat(3) + "Ljava/util/Optional;)" + OBJECT);
    }

    @Override
    protected void beforeReturn() {
      mv.visitInsn(Opcodes.DUP);
      loadKept();
      mv.visitInsn(Opcodes.SWAP);
      mv.visitInsn(Opcodes.ACONST_NULL);
      call(HOOK, "sent", SENT);
    }

    @Override
    protected void beforeThrow() {
      mv.visitInsn(Opcodes.DUP);
      loadKept();
      mv.visitInsn(Opcodes.SWAP);
      mv.visitInsn(Opcodes.ACONST_NULL);
      mv.visitInsn(Opcodes.SWAP);
      call(HOOK, "sent", SENT);
    }
  }

  /** {@code TaskExecutor.execute}. */
  static final class Executing extends Around {

    Executing(MethodVisitor body, MethodHead method) {
      super(body, method, "executed");
    }

    @Override
    protected void start() {
      loadThis();
      load(0);
      load(1);
      call(HOOK, "executing", "(" + OBJECT + LIST + LIST + ")" + OBJECT);
    }
  }

  /** {@code get} and {@code wait} of many, and {@code put} of one object. */
  static final class Using extends Around {

    private final String name;
    private final boolean isOfMany;

    Using(MethodVisitor body, MethodHead method) {
      super(body, method, "used");
      name = method.name();
      isOfMany = method.descriptor().startsWith("(" + LIST);
    }

    @Override
    protected void start() {
      mv.visitLdcInsn(name);
      loadThis();
      if (isOfMany) {
        load(0);
      } else {
        mv.visitInsn(Opcodes.ACONST_NULL);
      }
      call(HOOK, "using", "(Ljava/lang/String;" + OBJECT + LIST + ")" + OBJECT);
    }
  }

  /** {@code LocalModeTaskSubmitter.submitTaskSpec}. */
  static final class Submitting extends BodyEdges {

    private final int task;

    Submitting(MethodVisitor body, MethodHead method) {
      super(body, 1);
      task = method.slot(0);
    }

    @Override
    protected void atStart() {
      mv.visitVarInsn(Opcodes.ALOAD, task);
      call(HOOK, "submitting", "(Ljava/lang/Object;)V");
    }
  }

  /** What ends workers. */
  static final class Ending extends BodyEdges {

    private final boolean isAll;

    Ending(MethodVisitor body, MethodHead method) {
      super(body, 2);
      isAll = method.name().equals("shutdown");
    }

    @Override
    protected void atStart() {
      mv.visitVarInsn(Opcodes.ALOAD, 0);
      mv.visitInsn(isAll ? Opcodes.ICONST_1 : Opcodes.ICONST_0);
      call(HOOK, "ending", "(Ljava/lang/Object;Z)V");
    }
  }

  /** {@code RayConfig}'s constructor: the hook completes the JVM options of workers. */
  static final class Configuring extends BodyEdges {

    private static final String FIELD = "jvmOptionsForJavaWorker";

    private final String className;

    Configuring(MethodVisitor body, MethodHead method) {
      super(body, 3);
      className = method.className();
      if (!method.field(FIELD).equals(LIST)) {
        throw new IllegalStateException(FIELD + " is " + method.field(FIELD));
      }
    }

    @Override
    protected void beforeReturn() {
      mv.visitVarInsn(Opcodes.ALOAD, 0);
      mv.visitInsn(Opcodes.DUP);
      mv.visitInsn(Opcodes.DUP);
      mv.visitFieldInsn(Opcodes.GETFIELD, className, FIELD, LIST);
      call(HOOK, "jvmOptions", "(Ljava/lang/Object;Ljava/util/List;)Ljava/util/List;");
      mv.visitFieldInsn(Opcodes.PUTFIELD, className, FIELD, LIST);
    }
  }

  /** {@code GcsClient.getNodeToConnectForDriver}: reports the driver's node. */
  static final class Connecting extends BodyEdges {

    Connecting(MethodVisitor body, MethodHead method) {
      super(body, 1);
    }

    @Override
    protected void beforeReturn() {
      mv.visitInsn(Opcodes.DUP);
      call(HOOK, "connected", "(Ljava/lang/Object;)V");
    }
  }

  /** {@code ArgumentsBuilder.wrap}: reports each serialised argument. */
  static final class Carrying extends AfterCalls {

    Carrying(MethodVisitor body, MethodHead method) {
      super(body, "carry");
    }

    @Override
    boolean isOne(int opcode, String called) {
      return opcode == Opcodes.INVOKESTATIC && called.equals("serialize");
    }
  }

  /** {@code ObjectStore.get} and {@code put}: report the values stored and fetched. */
  static final class Storing extends AfterCalls {

    Storing(MethodVisitor body, MethodHead method) {
      super(body, "bytes");
    }

    @Override
    boolean isOne(int opcode, String called) {
      return called.equals("serialize") || called.equals("getRaw");
    }
  }

  /** Passes the results of some of the body's calls to the hook. */
  private abstract static class AfterCalls extends MethodVisitor {

    private final String hook;

    AfterCalls(MethodVisitor body, String hook) {
      super(Opcodes.ASM9, body);
      this.hook = hook;
    }

    abstract boolean isOne(int opcode, String called);

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      if (isOne(opcode, name)) {
        super.visitInsn(Opcodes.DUP);
        callHook(mv, hook, "(Ljava/lang/Object;)V");
      }
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
      super.visitMaxs(maxStack + 1, maxLocals);
    }
  }
}
