package io.rollotel.processor;

import javax.annotation.processing.Messager;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.tools.Diagnostic;

/** A broken rule: what to write instead, and where. */
record Violation(String message, Element element, AnnotationMirror annotation) {

  void printTo(Messager messager) {
    messager.printMessage(Diagnostic.Kind.ERROR, message, element, annotation);
  }
}
