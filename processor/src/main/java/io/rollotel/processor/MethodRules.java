package io.rollotel.processor;

import static java.util.Objects.requireNonNull;

import java.util.stream.Stream;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.lang.model.element.Modifier;
import javax.lang.model.util.ElementFilter;

/** The rules for the method itself. */
final class MethodRules {

  /** Longer names are rejected: back ends cut them, and no table has room for them. */
  static final int LONGEST_NAME = 255;

  private MethodRules() {}

  /** Annotations on methods are not inherited, and there is no body to weave. */
  static Stream<Violation> hasBody(AnnotatedMethod method) {
    Element declaring = requireNonNull(method.element().getEnclosingElement());
    if (!method.element().getModifiers().contains(Modifier.ABSTRACT)
        || isInDefaultImpls(method, declaring)) {
      return Stream.empty();
    }
    boolean ofInterface = declaring.getKind().isInterface();
    return onEachAnnotation(
        method,
        Rule.NO_BODY,
        "on "
            + (ofInterface ? "an interface method without a body" : "an abstract method")
            + " traces nothing: "
            + method.name()
            + " has no code to weave, and its implementations do not inherit the annotation."
            + " Put it on each method that implements "
            + method.name()
            + " instead.");
  }

  /** Kotlin's {@code -jvm-default=disable} puts the body and the annotations there. */
  private static boolean isInDefaultImpls(AnnotatedMethod method, Element declaring) {
    return ElementFilter.typesIn(declaring.getEnclosedElements()).stream()
        .filter(nested -> nested.getSimpleName().contentEquals("DefaultImpls"))
        .flatMap(nested -> ElementFilter.methodsIn(nested.getEnclosedElements()).stream())
        .anyMatch(
            body ->
                body.getSimpleName().contentEquals(method.name())
                    && body.getParameters().size() == method.parameters().size() + 1);
  }

  /** Of the two, the agent would take {@code @Register} alone. */
  static Stream<Violation> isNoPhaseOfItself(AnnotatedMethod method) {
    return method.register() == null || method.phase() == null
        ? Stream.empty()
        : Stream.of(
            Violation.of(
                Rule.PHASE_OF_ITSELF,
                method.element(),
                method.phase(),
                "@Phase on "
                    + method.name()
                    + ", which is a worker method itself: a phase is part of a worker's call."
                    + " Move the code that fetches or stores into a separate method, and put"
                    + " @Phase on that."));
  }

  /** An explicit {@code trace = false} is intended. */
  static Stream<Violation> optionsHaveASpan(AnnotatedMethod method) {
    AnnotationMirror register = method.register();
    if (Mirrors.value(register, "trace") != null) {
      return Stream.empty();
    }
    return Stream.of("name", "kind", "expected")
        .filter(option -> Mirrors.value(register, option) != null)
        .limit(1)
        .map(
            option ->
                new Violation(
                    Rule.REGISTER_UNTRACED,
                    "@Register("
                        + option
                        + ") has no effect: "
                        + method.name()
                        + " has no span, and nothing inside it is traced. Write @Register(trace ="
                        + " true, "
                        + option
                        + " = …), or trace = false if this is intended.",
                    method.element(),
                    register,
                    Mirrors.value(register, option)));
  }

  static Stream<Violation> isNotNative(AnnotatedMethod method) {
    return method.element().getModifiers().contains(Modifier.NATIVE)
        ? onEachAnnotation(
            method,
            Rule.NATIVE,
            "on a native method traces nothing: "
                + method.name()
                + " has no byte code to weave. Put it on a Java method that calls "
                + method.name()
                + " instead.")
        : Stream.empty();
  }

  static Stream<Violation> spanNameIsOne(AnnotatedMethod method) {
    AnnotationValue written = Mirrors.value(method.register(), "name");
    return Mirrors.texts(written).stream()
        .filter(name -> !faultOf(name).isEmpty())
        .map(
            name ->
                new Violation(
                    Rule.SPAN_NAME,
                    "A span cannot have this name: "
                        + faultOf(name)
                        + ". Write one of 1 to "
                        + LONGEST_NAME
                        + " characters, or leave name out for worker."
                        + method.name()
                        + ".",
                    method.element(),
                    method.register(),
                    written));
  }

  /** Empty for a valid name. */
  private static String faultOf(String name) {
    if (name.isBlank()) {
      return "it is blank";
    }
    if (name.codePoints().anyMatch(MethodRules::breaksLines)) {
      return "it has a control character or a line break";
    }
    return name.length() > LONGEST_NAME ? "it has " + name.length() + " characters" : "";
  }

  private static boolean breaksLines(int character) {
    int type = Character.getType(character);
    return type == Character.CONTROL
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR;
  }

  private static Stream<Violation> onEachAnnotation(
      AnnotatedMethod method, Rule rule, String message) {
    return method
        .annotations()
        .map(
            annotation ->
                Violation.of(
                    rule,
                    method.element(),
                    annotation,
                    "@"
                        + annotation.getAnnotationType().asElement().getSimpleName()
                        + " "
                        + message));
  }
}
