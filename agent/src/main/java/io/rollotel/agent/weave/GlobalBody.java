package io.rollotel.agent.weave;

import java.util.List;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/**
 * The methods of {@code GlobalOpenTelemetry}. {@code get} and {@code getOrNoop}: while no global is
 * set, the answer is the agent's, and the global stays unset, so that the application's own {@code
 * set} is accepted. {@code set}: if it returns, the agent's spans go to that global from now on; if
 * it throws, nothing was set.
 */
final class GlobalBody implements BodyChange {

  static final String GLOBAL = "io.opentelemetry.api.GlobalOpenTelemetry";

  private static final String FIELD = "globalOpenTelemetry";
  private static final Object[] NOTHING = {};

  /** Old versions have no {@code getOrNoop}. */
  static List<MethodPlace> places() {
    GlobalBody change = new GlobalBody();
    return List.of(
        new MethodPlace(GLOBAL, "set", "(..)", change),
        new MethodPlace(GLOBAL, "get", "()", change),
        new MethodPlace(GLOBAL, "getOrNoop", "()", change));
  }

  @Override
  public MethodVisitor change(MethodVisitor body, MethodHead method) {
    Type global = Type.getObjectType(method.className());
    return method.name().equals("set") ? new Set(body, global) : new Get(body, global, method);
  }

  private static final class Set extends BodyEdges {

    private final Type global;

    Set(MethodVisitor body, Type global) {
      super(body, 1);
      this.global = global;
    }

    @Override
    protected void beforeReturn() {
      mv.visitLdcInsn(global);
      call(WovenBody.HOOK, "openTelemetrySet", "(Ljava/lang/Class;)V");
    }
  }

  private static final class Get extends BodyEdges {

    private final Type global;
    private final String field;
    private final String returned;

    Get(MethodVisitor body, Type global, MethodHead method) {
      super(body, 2);
      this.global = global;
      field = method.field(FIELD);
      returned = Type.getReturnType(method.descriptor()).getInternalName();
    }

    @Override
    protected void atStart() {
      Label from = new Label();
      Label none = new Label();
      Label go = new Label();
      mv.visitTryCatchBlock(from, none, none, WovenBody.THROWABLE);
      mv.visitFieldInsn(Opcodes.GETSTATIC, global.getInternalName(), FIELD, field);
      mv.visitJumpInsn(Opcodes.IFNONNULL, go);
      mv.visitLabel(from);
      mv.visitLdcInsn(global);
      call(WovenBody.HOOK, "openTelemetry", "(Ljava/lang/Class;)Ljava/lang/Object;");
      mv.visitInsn(Opcodes.DUP);
      mv.visitJumpInsn(Opcodes.IFNULL, none);
      mv.visitTypeInsn(Opcodes.CHECKCAST, returned);
      mv.visitInsn(Opcodes.ARETURN);
      mv.visitLabel(none);
      mv.visitFrame(Opcodes.F_NEW, 0, NOTHING, 1, new Object[] {"java/lang/Object"});
      mv.visitInsn(Opcodes.POP);
      mv.visitLabel(go);
      mv.visitFrame(Opcodes.F_NEW, 0, NOTHING, 0, NOTHING);
      // If the body starts with its own frame, there must not be a second one.
      mv.visitInsn(Opcodes.NOP);
    }
  }
}
