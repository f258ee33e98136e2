package io.rollotel.agent.weave;

import io.rollotel.agent.WovenMethod;
import io.rollotel.agent.WovenMethod.Argument;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.method.ParameterDescription;
import net.bytebuddy.description.method.ParameterDescription.InDefinedShape;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.implementation.bytecode.StackManipulation;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import net.bytebuddy.implementation.bytecode.member.MethodVariableAccess;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Stands in advice for the value of an invokedynamic instruction that is linked once per method, by
 * a bootstrap method of {@code TraceHook}. The instruction takes those of the method's arguments
 * that may matter, each as it is: no array, no boxing, and no class of a parameter's type is
 * loaded.
 */
@Retention(RetentionPolicy.RUNTIME)
@java.lang.annotation.Target(ElementType.PARAMETER)
@interface LinkedStart {

  /** Puts the instruction in the place of the annotated parameter of the advice. */
  final class Binding implements Advice.OffsetMapping {

    /** More than enough, and far below the 255 that a call can have. */
    private static final int MOST_ARGUMENTS = 64;

    private final MethodDescription.InDefinedShape bootstrap;

    private Binding(MethodDescription.InDefinedShape bootstrap) {
      this.bootstrap = bootstrap;
    }

    /** A factory for advice that is linked by {@code TraceHook}'s method of this name. */
    static Advice.OffsetMapping.Factory<LinkedStart> to(MethodDescription.InDefinedShape method) {
      return new Factory<>() {
        @Override
        public Class<LinkedStart> getAnnotationType() {
          return LinkedStart.class;
        }

        @Override
        public Advice.OffsetMapping make(
            InDefinedShape target,
            AnnotationDescription.Loadable<LinkedStart> annotation,
            AdviceType adviceType) {
          return new Binding(method);
        }
      };
    }

    @Override
    public Advice.OffsetMapping.Target resolve(
        TypeDescription instrumentedType,
        MethodDescription instrumentedMethod,
        Assigner assigner,
        Advice.ArgumentHandler argumentHandler,
        Sort sort) {
      List<StackManipulation> code = new ArrayList<>();
      List<TypeDescription> types = new ArrayList<>();
      List<Argument> arguments = new ArrayList<>();
      for (ParameterDescription parameter : instrumentedMethod.getParameters()) {
        TypeDescription type = parameter.getType().asErasure();
        for (Argument argument : Annotations.uses(parameter)) {
          if (arguments.size() == MOST_ARGUMENTS) {
            break;
          }
          // Erased to Object, so that linking does not resolve the type: it may not be there.
          TypeDescription passed =
              type.isPrimitive() ? type : TypeDescription.ForLoadedType.of(Object.class);
          code.add(
              MethodVariableAccess.of(type)
                  .loadFrom(argumentHandler.argument(parameter.getOffset())));
          types.add(passed);
          arguments.add(argument);
        }
      }
      WovenMethod facts = Annotations.facts(instrumentedType, instrumentedMethod, arguments);
      code.add(new Linked(bootstrap, types, facts.format()));
      return new Advice.OffsetMapping.Target.ForStackManipulation(
          new StackManipulation.Compound(code));
    }
  }

  /**
   * The instruction. Not Byte Buddy's own, which makes proxies of {@code java.lang.constant} to
   * write a text: two dozen classes in the first call's way.
   */
  record Linked(MethodDescription bootstrap, List<TypeDescription> types, String facts)
      implements StackManipulation {

    @Override
    public boolean isValid() {
      return true;
    }

    @Override
    public Size apply(MethodVisitor methodVisitor, Implementation.Context context) {
      StringBuilder descriptor = new StringBuilder("(");
      int taken = 0;
      for (TypeDescription type : types) {
        descriptor.append(type.getDescriptor());
        taken += type.getStackSize().getSize();
      }
      methodVisitor.visitInvokeDynamicInsn(
          bootstrap.getInternalName(),
          descriptor.append(")Ljava/lang/Object;").toString(),
          new Handle(
              Opcodes.H_INVOKESTATIC,
              bootstrap.getDeclaringType().asErasure().getInternalName(),
              bootstrap.getInternalName(),
              bootstrap.getDescriptor(),
              false),
          facts);
      return new Size(1 - taken, Math.max(0, 1 - taken));
    }
  }
}
