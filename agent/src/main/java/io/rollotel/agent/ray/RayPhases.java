package io.rollotel.agent.ray;

import io.rollotel.agent.weave.MethodHead;
import java.util.HashSet;
import java.util.Set;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.jspecify.annotations.Nullable;

/**
 * {@code TaskExecutor.execute} reports the phases around the method, and the exception that it
 * catches.
 */
final class RayPhases extends MethodVisitor {

  private final Set<Label> handlers = new HashSet<>();
  private boolean atHandler;

  RayPhases(MethodVisitor body, MethodHead method) {
    super(Opcodes.ASM9, body);
  }

  @Override
  public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
    if ("java/lang/Throwable".equals(type)) {
      handlers.add(handler);
    }
    super.visitTryCatchBlock(start, end, handler, type);
  }

  @Override
  public void visitLabel(Label label) {
    super.visitLabel(label);
    atHandler |= handlers.contains(label);
  }

  @Override
  public void visitVarInsn(int opcode, int index) {
    if (atHandler && opcode == Opcodes.ASTORE) {
      atHandler = false;
      super.visitInsn(Opcodes.DUP);
      RayBodies.callHook(mv, "caught", "(Ljava/lang/Throwable;)V");
    }
    super.visitVarInsn(opcode, index);
  }

  @Override
  public void visitMethodInsn(
      int opcode, String owner, String name, String descriptor, boolean isInterface) {
    String phase = opcode == Opcodes.INVOKESTATIC ? phase(name) : "";
    if (!phase.isEmpty()) {
      say(phase);
    }
    super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
    if (!phase.isEmpty()) {
      say("");
    }
  }

  private void say(String phase) {
    super.visitLdcInsn(phase);
    RayBodies.callHook(mv, "phase", "(Ljava/lang/String;)V");
  }

  private static String phase(String called) {
    return switch (called) {
      case "unwrap" -> "prefetch";
      case "serialize" -> "to_remote";
      default -> "";
    };
  }

  @Override
  public void visitMaxs(int maxStack, int maxLocals) {
    super.visitMaxs(maxStack + 1, maxLocals);
  }
}
