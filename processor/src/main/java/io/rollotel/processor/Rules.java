package io.rollotel.processor;

import static java.util.Objects.requireNonNull;

import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;

/**
 * What may not be annotated, one method a rule. To add one: write it here, list it in {@link #ALL},
 * and add fixtures that break it and that keep it.
 */
final class Rules {

  private static final List<Function<ExecutableElement, Optional<String>>> ALL =
      List.of(Rules::hasBody, Rules::isNotNative);

  private Rules() {}

  static List<Violation> violations(
      ExecutableElement method, Class<? extends Annotation> annotation) {
    List<Violation> violations = new ArrayList<>();
    for (Function<ExecutableElement, Optional<String>> rule : ALL) {
      rule.apply(method)
          .ifPresent(
              message ->
                  violations.add(
                      new Violation(
                          "@" + annotation.getSimpleName() + " " + message,
                          method,
                          RegisterProcessor.mirror(method, annotation))));
    }
    return violations;
  }

  /** Annotations on methods are not inherited, and there is no body to weave. */
  private static Optional<String> hasBody(ExecutableElement method) {
    if (!method.getModifiers().contains(Modifier.ABSTRACT)) {
      return Optional.empty();
    }
    boolean ofInterface = requireNonNull(method.getEnclosingElement()).getKind().isInterface();
    return Optional.of(
        "on "
            + (ofInterface ? "an interface method without a body" : "an abstract method")
            + " traces nothing: "
            + method.getSimpleName()
            + " has no code to weave, and its implementations do not inherit the annotation."
            + " Put it on each method that implements "
            + method.getSimpleName()
            + " instead.");
  }

  private static Optional<String> isNotNative(ExecutableElement method) {
    return method.getModifiers().contains(Modifier.NATIVE)
        ? Optional.of(
            "on a native method traces nothing: "
                + method.getSimpleName()
                + " has no byte code to weave. Put it on a Java method that calls "
                + method.getSimpleName()
                + " instead.")
        : Optional.empty();
  }
}
