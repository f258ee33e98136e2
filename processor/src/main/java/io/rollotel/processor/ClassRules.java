package io.rollotel.processor;

import static java.util.Objects.requireNonNull;

import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.Phase;
import io.rollotel.annotations.Register;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import org.jspecify.annotations.Nullable;

/** The rules for the methods of a class together, including those without an annotation. */
final class ClassRules {

  private final Elements elements;
  private final Carriers carriers;

  /** By the class that declares them. */
  private final Map<TypeElement, List<ExecutableElement>> annotated = new HashMap<>();

  ClassRules(Elements elements, Carriers carriers) {
    this.elements = elements;
    this.carriers = carriers;
  }

  static Stream<Violation> spanNamesDiffer(List<AnnotatedMethod> methods) {
    Map<String, AnnotatedMethod> byName = new HashMap<>();
    List<Violation> violations = new ArrayList<>();
    for (AnnotatedMethod method : methods) {
      if (method.isTraced() && method.hasCode()) {
        AnnotatedMethod first = byName.putIfAbsent(method.spanName(), method);
        if (first != null && !isOverloadByKotlin(first, method)) {
          AnnotationValue name = Mirrors.value(method.register(), "name");
          violations.add(
              new Violation(
                  Rule.SAME_SPAN_NAME,
                  "The spans of "
                      + method.signature()
                      + " and "
                      + first.signature()
                      + " are both named "
                      + method.spanName()
                      + ": a report cannot tell them apart. Name one of them by"
                      + " @Register(name).",
                  method.element(),
                  method.register(),
                  name));
        }
      }
    }
    return violations.stream();
  }

  /** The overloads that {@code @JvmOverloads} generates call one method, which has the span. */
  private static boolean isOverloadByKotlin(AnnotatedMethod first, AnnotatedMethod second) {
    return Stream.of(first, second)
        .allMatch(method -> Mirrors.find(method.element(), "kotlin.jvm.JvmOverloads") != null);
  }

  Stream<Violation> overridesAreAnnotated(TypeElement type) {
    List<TypeElement> above = carriers.hierarchy(type);
    if (above.subList(1, above.size()).stream().allMatch(one -> annotated(one).isEmpty())) {
      return Stream.empty(); // nearly always
    }
    return ElementFilter.methodsIn(type.getEnclosedElements()).stream()
        .filter(method -> hasCode(method) && ofOurs(method) == null)
        .flatMap(
            method ->
                above.subList(1, above.size()).stream()
                    .flatMap(one -> annotated(one).stream())
                    .filter(one -> elements.overrides(method, one, type))
                    .limit(1)
                    .map(overridden -> unannotated(method, overridden)));
  }

  private static Violation unannotated(ExecutableElement method, ExecutableElement overridden) {
    String annotation =
        "@" + requireNonNull(ofOurs(overridden)).getAnnotationType().asElement().getSimpleName();
    Element declaring = requireNonNull(overridden.getEnclosingElement());
    return Violation.of(
        Rule.OVERRIDE,
        method,
        method.getSimpleName()
            + " overrides a method of "
            + declaring.getSimpleName()
            + " that has "
            + annotation
            + ", and does not inherit it: its own code is not woven. Repeat "
            + annotation
            + " here.");
  }

  private List<ExecutableElement> annotated(TypeElement type) {
    return annotated.computeIfAbsent(
        type,
        declaring ->
            ElementFilter.methodsIn(declaring.getEnclosedElements()).stream()
                .filter(method -> ofOurs(method) != null)
                .toList());
  }

  /** The first annotation that makes a method woven; null for none. */
  private static @Nullable AnnotationMirror ofOurs(ExecutableElement method) {
    for (Class<?> annotation : List.of(Register.class, Dispatch.class, Phase.class)) {
      AnnotationMirror found = Mirrors.find(method, annotation.getName());
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private static boolean hasCode(ExecutableElement method) {
    return !method.getModifiers().contains(Modifier.ABSTRACT)
        && !method.getModifiers().contains(Modifier.NATIVE);
  }
}
