package io.rollotel.processor;

import static java.util.Objects.requireNonNull;

import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.MetaInfo;
import io.rollotel.annotations.Phase;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.VariableElement;
import org.jspecify.annotations.Nullable;

/**
 * A method, or a constructor, with at least one of our annotations on it or on a parameter.
 *
 * @param register null without {@code @Register}
 * @param dispatch null without {@code @Dispatch}
 * @param phase null without {@code @Phase}
 */
record AnnotatedMethod(
    ExecutableElement element,
    @Nullable AnnotationMirror register,
    @Nullable AnnotationMirror dispatch,
    @Nullable AnnotationMirror phase,
    List<Parameter> parameters) {

  /**
   * A parameter.
   *
   * @param carries null if it carries nothing
   */
  record Parameter(
      VariableElement element,
      @Nullable AnnotationMirror metaInfo,
      @Nullable AnnotationMirror attribute,
      Carriers.@Nullable Kind carries) {}

  /** Null for a method without any of our annotations. */
  static @Nullable AnnotatedMethod of(ExecutableElement element, Carriers carriers) {
    // The compiler checks them on constructors.
    boolean isMethod = element.getKind() == ElementKind.METHOD;
    AnnotationMirror register = isMethod ? Mirrors.find(element, Register.class.getName()) : null;
    AnnotationMirror dispatch = isMethod ? Mirrors.find(element, Dispatch.class.getName()) : null;
    AnnotationMirror phase = isMethod ? Mirrors.find(element, Phase.class.getName()) : null;
    boolean annotated = register != null || dispatch != null || phase != null;
    List<Parameter> parameters = new ArrayList<>();
    for (VariableElement parameter : element.getParameters()) {
      AnnotationMirror metaInfo = Mirrors.find(parameter, MetaInfo.class.getName());
      AnnotationMirror attribute = Mirrors.find(parameter, SpanAttribute.class.getName());
      annotated |= metaInfo != null || attribute != null;
      Carriers.Kind carries =
          metaInfo != null ? Carriers.Kind.META_INFO : carriers.kind(parameter.asType());
      parameters.add(new Parameter(parameter, metaInfo, attribute, carries));
    }
    return annotated ? new AnnotatedMethod(element, register, dispatch, phase, parameters) : null;
  }

  /** Whether it has an annotation because of which it is woven. */
  boolean isWoven() {
    return register != null || dispatch != null || phase != null;
  }

  boolean isTraced() {
    AnnotationValue trace = Mirrors.value(register, "trace");
    return trace != null && Boolean.TRUE.equals(trace.getValue());
  }

  boolean hasCode() {
    return !element.getModifiers().contains(Modifier.ABSTRACT)
        && !element.getModifiers().contains(Modifier.NATIVE);
  }

  boolean hasCarrier() {
    return parameters.stream().anyMatch(parameter -> parameter.carries != null);
  }

  boolean isConstructor() {
    return element.getKind() == ElementKind.CONSTRUCTOR;
  }

  /** A constructor's is that of its class. */
  String name() {
    Element named = isConstructor() ? element.getEnclosingElement() : element;
    return requireNonNull(named).getSimpleName().toString();
  }

  /** For messages that must distinguish overloads. */
  String signature() {
    return parameters.stream()
        .map(parameter -> parameter.element.asType().toString())
        .collect(Collectors.joining(", ", name() + "(", ")"));
  }

  String spanName() {
    return Mirrors.texts(Mirrors.value(register, "name")).stream()
        .filter(name -> !name.isBlank())
        .findFirst()
        .orElse("worker." + name());
  }

  /** The annotations because of which it is woven, for a rule that applies to all of them. */
  Stream<AnnotationMirror> annotations() {
    return Stream.of(register, dispatch, phase)
        .flatMap(annotation -> annotation == null ? Stream.empty() : Stream.of(annotation));
  }
}
