package io.rollotel.agent.weave;

import java.util.HashMap;
import java.util.Map;
import net.bytebuddy.jar.asm.Attribute;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.jspecify.annotations.Nullable;

/**
 * The methods of a class that Kotlin's and Scala's compilers generate to forward to another, with a
 * copy of its annotations but without the flags of a bridge. If they were woven as well, one call
 * would have two spans.
 *
 * <ul>
 *   <li>Scala: a class's method for that of a trait, and a class's static one for that of its
 *       object;
 *   <li>Kotlin: {@code @JvmStatic} of a companion, {@code @JvmOverloads}, {@code DefaultImpls}.
 * </ul>
 *
 * <p>They are recognised by the name of the method that they call, and by doing nothing else.
 */
final class Forwarders {

  /** A method that only calls another one. */
  record Worker(String className, String name) {}

  private final Map<String, Worker> workers = new HashMap<>();
  private boolean ofScala;

  private final String type;

  /**
   * @param type the class's internal name
   */
  Forwarders(String type) {
    this.type = type;
  }

  /** The method that this one forwards to; null if it does its own work. */
  @Nullable Worker behind(DeclaredMethod method) {
    return workers.get(method.name + method.descriptor);
  }

  /** Whether the class was compiled by Scala's compiler, which leaves a mark. */
  boolean areOfScala() {
    return ofScala;
  }

  /** Visits the compiler's marks beside the code. */
  void visitAttribute(Attribute attribute) {
    ofScala |= attribute.type.startsWith("Scala") || attribute.type.equals("TASTY");
  }

  /** Visits a method's code. */
  MethodVisitor body(boolean ofClass, String name, String descriptor) {
    return new Body(ofClass, name, descriptor);
  }

  /** Reads on until an instruction does anything but load, call and return. */
  private final class Body extends MethodVisitor {

    private final boolean ofClass;
    private final String name;
    private final String descriptor;

    /**
     * The class of Scala's object or Kotlin's companion, once it has been loaded; otherwise empty.
     */
    private String singleton = "";

    private @Nullable Worker called;
    private boolean worksItself;

    Body(boolean ofClass, String name, String descriptor) {
      super(Opcodes.ASM9);
      this.ofClass = ofClass;
      this.name = name;
      this.descriptor = descriptor;
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String method, String methodType, boolean ofInterface) {
      if (owner.equals("kotlin/jvm/internal/Intrinsics") && method.startsWith("check")) {
        return; // the check of a parameter that must not be null
      }
      worksItself |= called != null || !isWorker(opcode, owner, method, ofInterface);
      called = new Worker(owner.replace('/', '.'), name);
    }

    private boolean isWorker(int opcode, String owner, String method, boolean ofInterface) {
      if (opcode == Opcodes.INVOKESTATIC) {
        return (ofInterface && method.equals(name + "$"))
            || (owner.equals(type) && method.equals(name + "$default"))
            || (type.equals(owner + "$DefaultImpls") && method.equals("access$" + name + "$jd"));
      }
      return ofClass && method.equals(name) && owner.equals(singleton);
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String field, String fieldType) {
      worksItself |= opcode != Opcodes.GETSTATIC;
      String declared = field.equals("MODULE$") ? type + "$" : type + "$" + field;
      singleton = fieldType.equals("L" + declared + ";") ? declared : "";
    }

    @Override
    public void visitInsn(int opcode) {
      boolean constant = opcode <= Opcodes.DCONST_1;
      worksItself |= !constant && (opcode < Opcodes.IRETURN || opcode > Opcodes.RETURN);
    }

    @Override
    public void visitVarInsn(int opcode, int variable) {
      worksItself |= opcode > Opcodes.ALOAD; // a store
    }

    @Override
    public void visitTypeInsn(int opcode, String operand) {
      worksItself |= opcode != Opcodes.CHECKCAST;
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
      worksItself = true;
    }

    @Override
    public void visitIincInsn(int variable, int increment) {
      worksItself = true;
    }

    @Override
    public void visitInvokeDynamicInsn(
        String method, String methodType, Handle bootstrap, Object... arguments) {
      worksItself = true;
    }

    @Override
    public void visitEnd() {
      if (called != null && !worksItself) {
        workers.put(name + descriptor, called);
      }
    }
  }
}
