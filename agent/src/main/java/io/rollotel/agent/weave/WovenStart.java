package io.rollotel.agent.weave;

import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.weave.WovenMethod.Argument;
import io.rollotel.agent.weave.WovenMethod.Use;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/**
 * The instruction at the start of a woven method: an invokedynamic that is linked once per method,
 * by a bootstrap method of {@link TraceHook}. It takes the arguments that may matter, without an
 * array and without boxing, and loads no class of a parameter's type.
 */
final class WovenStart {

  private static final String BOOTSTRAP =
      "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;"
          + "Ljava/lang/String;)Ljava/lang/invoke/CallSite;";

  /** More than enough, and far below the 255 that a call can have. */
  private static final int MOST_ARGUMENTS = 64;

  private record Passed(Type type, int slot) {}

  private final String bootstrap;
  private final List<Passed> passed = new ArrayList<>();
  private final String facts;

  /**
   * @param bootstrap the name of {@code TraceHook}'s method
   */
  WovenStart(ClassFile file, DeclaredMethod method, String bootstrap) {
    this.bootstrap = bootstrap;
    List<Argument> arguments = new ArrayList<>();
    int slot = method.isStatic() ? 0 : 1;
    for (int i = 0; i < method.parameters.length; i++) {
      for (Argument argument : uses(file, method, i)) {
        if (arguments.size() < MOST_ARGUMENTS) {
          arguments.add(argument);
          passed.add(new Passed(method.parameters[i], slot));
        }
      }
      slot += method.parameters[i].getSize();
    }
    facts = facts(file, method, arguments).format();
  }

  /** The start of a {@code @Phase} method, whose arguments do not matter. */
  WovenStart(ClassFile file, DeclaredMethod method) {
    bootstrap = "start";
    facts =
        new WovenMethod(
                file.name(),
                method.name,
                method.descriptor,
                nameOf(Type.getReturnType(method.descriptor)),
                true,
                method.phase(),
                WovenMethod.PHASE,
                List.of(),
                List.of())
            .format();
  }

  /** Leaves the result of the call on the stack. */
  void write(MethodVisitor to) {
    StringBuilder descriptor = new StringBuilder("(");
    for (Passed argument : passed) {
      to.visitVarInsn(argument.type.getOpcode(Opcodes.ILOAD), argument.slot);
      // Erased to Object, so that linking does not resolve the type, which may be missing.
      descriptor.append(
          isPrimitive(argument.type) ? argument.type.getDescriptor() : "Ljava/lang/Object;");
    }
    to.visitInvokeDynamicInsn(
        bootstrap,
        descriptor.append(")Ljava/lang/Object;").toString(),
        new Handle(Opcodes.H_INVOKESTATIC, WovenBody.HOOK, bootstrap, BOOTSTRAP, false),
        facts);
  }

  int maxStack() {
    int size = 0;
    for (Passed argument : passed) {
      size += argument.type.getSize();
    }
    return Math.max(size, 1);
  }

  private static WovenMethod facts(
      ClassFile file, DeclaredMethod method, List<Argument> arguments) {
    String spanName = method.spanName();
    return new WovenMethod(
        file.name(),
        method.name,
        method.descriptor,
        nameOf(Type.getReturnType(method.descriptor)),
        method.traced(),
        spanName.isBlank() ? "worker." + method.name : spanName,
        method.kind(),
        method.expected(),
        arguments);
  }

  /** The possible use of the argument; empty if tracing does not need it. */
  private static List<Argument> uses(ClassFile file, DeclaredMethod method, int parameter) {
    List<Argument> uses = new ArrayList<>(1);
    Type type = method.parameters[parameter];
    if (method.isMetaInfo(parameter)) {
      uses.add(new Argument(Use.META_INFO, nameOf(type), ""));
    } else if (mayCarry(type)) {
      uses.add(new Argument(Use.CANDIDATE, nameOf(type), ""));
    } else {
      Type element = element(file, method, parameter);
      if (mayCarry(element)) {
        uses.add(new Argument(Use.CANDIDATES, nameOf(element), ""));
      }
    }
    String key = method.attribute(parameter);
    if (key != null) {
      uses.add(new Argument(Use.ATTRIBUTE, nameOf(type), key));
    }
    return uses;
  }

  /** The JDK's own types carry no meta_info; linking finds out whether others do. */
  private static boolean mayCarry(Type type) {
    return type.getSort() == Type.OBJECT && !type.getInternalName().startsWith("java/");
  }

  /** The declared element type of an array or a list; void for anything else. */
  private static Type element(ClassFile file, DeclaredMethod method, int parameter) {
    Type type = method.parameters[parameter];
    if (type.getSort() == Type.ARRAY) {
      return Type.getType(type.getDescriptor().substring(1));
    }
    String held = ListElements.of(file, method, parameter);
    return held == null ? Type.VOID_TYPE : Type.getObjectType(held);
  }

  private static boolean isPrimitive(Type type) {
    return type.getSort() < Type.ARRAY;
  }

  /** As in {@link Class#getName()}. */
  private static String nameOf(Type type) {
    return type.getSort() == Type.ARRAY
        ? type.getInternalName().replace('/', '.')
        : type.getClassName();
  }
}
