package io.rollotel.processor;

import javax.annotation.processing.Messager;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.tools.Diagnostic;
import org.jspecify.annotations.Nullable;

/** A violation of a rule: what to write instead, and where. */
record Violation(
    Rule rule,
    String message,
    Element element,
    @Nullable AnnotationMirror annotation,
    @Nullable AnnotationValue value) {

  static Violation of(Rule rule, Element element, String message) {
    return new Violation(rule, message, element, null, null);
  }

  static Violation of(
      Rule rule, Element element, @Nullable AnnotationMirror annotation, String message) {
    return new Violation(rule, message, element, annotation, null);
  }

  /** True if the build must fail. */
  boolean isError(boolean strict) {
    return strict || !rule.isWarning();
  }

  /** Not a mandatory warning, so that {@code -nowarn} silences it, also under {@code -Werror}. */
  void printTo(Messager messager, boolean strict) {
    Diagnostic.Kind kind = isError(strict) ? Diagnostic.Kind.ERROR : Diagnostic.Kind.WARNING;
    messager.printMessage(kind, message + " [" + rule.code() + "]", element, annotation, value);
  }
}
