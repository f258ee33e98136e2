package io.rollotel.agent.weave;

import io.rollotel.agent.Account;
import io.rollotel.agent.WovenMethod;
import io.rollotel.agent.WovenMethod.Argument;
import io.rollotel.agent.WovenMethod.Use;
import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.annotation.AnnotationSource;
import net.bytebuddy.description.enumeration.EnumerationDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.method.ParameterDescription;
import net.bytebuddy.description.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/**
 * What our annotations say of a method, read from its class file. They are compared by name: the
 * application's copy of them is not the agent's.
 */
final class Annotations {

  private Annotations() {}

  static boolean isRegister(MethodDescription method) {
    return find(method, Register.class) != null && isWeavable(method);
  }

  static boolean isDispatch(MethodDescription method) {
    return find(method, Dispatch.class) != null && isWeavable(method);
  }

  /** Whether it is either. */
  static boolean isAnnotated(MethodDescription method) {
    return isRegister(method) || isDispatch(method);
  }

  /** What a worker's method is woven for, by its annotation or as one that the list names. */
  static Account.Use use(MethodDescription method) {
    AnnotationDescription register = find(method, Register.class);
    return register == null || register.getValue("trace").resolve(Boolean.class)
        ? Account.Use.TRACE
        : Account.Use.SUPPRESS;
  }

  /**
   * Bridges carry copies of the annotations of the method that they lead to: woven as well, one
   * call would make two spans. Methods without a body have nothing to weave.
   */
  static boolean isWeavable(MethodDescription method) {
    return method.isMethod()
        && !method.isBridge()
        && !method.isSynthetic()
        && !method.isAbstract()
        && !method.isNative();
  }

  /** What weaving knows of the method. */
  static WovenMethod facts(
      TypeDescription type, MethodDescription method, List<Argument> arguments) {
    AnnotationDescription register = find(method, Register.class);
    String spanName = "";
    boolean traced = true; // named by ROLL_OTEL_METHODS
    String kind = "INTERNAL";
    List<String> expected = new ArrayList<>();
    if (register != null) {
      traced = register.getValue("trace").resolve(Boolean.class);
      spanName = register.getValue("name").resolve(String.class);
      kind = register.getValue("kind").resolve(EnumerationDescription.class).getValue();
      for (TypeDescription exception :
          register.getValue("expected").resolve(TypeDescription[].class)) {
        expected.add(exception.getName());
      }
    }
    return new WovenMethod(
        type.getName(),
        method.getInternalName(),
        method.getDescriptor(),
        method.getReturnType().asErasure().getName(),
        traced,
        spanName.isBlank() ? "worker." + method.getName() : spanName,
        kind,
        expected,
        arguments);
  }

  /** What the argument may be good for; empty where it is nothing to tracing. */
  static List<Argument> uses(ParameterDescription parameter) {
    List<Argument> uses = new ArrayList<>(1);
    TypeDescription type = parameter.getType().asErasure();
    if (find(parameter, MetaInfo.class) != null) {
      uses.add(new Argument(Use.META_INFO, type.getName(), ""));
    } else if (mayCarry(type)) {
      uses.add(new Argument(Use.CANDIDATE, type.getName(), ""));
    } else {
      TypeDescription element = element(parameter.getType());
      if (element != null && mayCarry(element)) {
        uses.add(new Argument(Use.CANDIDATES, element.getName(), ""));
      }
    }
    AnnotationDescription attribute = find(parameter, SpanAttribute.class);
    if (attribute != null) {
      String key = attribute.getValue("value").resolve(String.class);
      uses.add(new Argument(Use.ATTRIBUTE, type.getName(), key));
    }
    return uses;
  }

  /** The JDK's own types carry no meta_info; whether another does is found out at linking. */
  private static boolean mayCarry(TypeDescription type) {
    return !type.isPrimitive() && !type.isArray() && !type.getName().startsWith("java.");
  }

  /** What an array or a list is declared to hold; null for everything else. */
  private static @Nullable TypeDescription element(TypeDescription.Generic type) {
    if (type.isArray()) {
      return type.asErasure().getComponentType();
    }
    if (!type.asErasure().represents(List.class) || !type.getSort().isParameterized()) {
      return null;
    }
    TypeDescription.Generic argument = type.getTypeArguments().getOnly();
    if (argument.getSort().isWildcard()) {
      argument = argument.getUpperBounds().getOnly();
    }
    return argument.asErasure();
  }

  private static @Nullable AnnotationDescription find(
      AnnotationSource annotated, Class<? extends Annotation> wanted) {
    for (AnnotationDescription annotation : annotated.getDeclaredAnnotations()) {
      if (annotation.getAnnotationType().getName().equals(wanted.getName())) {
        return annotation;
      }
    }
    return null;
  }
}
