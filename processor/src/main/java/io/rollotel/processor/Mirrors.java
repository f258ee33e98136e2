package io.rollotel.processor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import org.jspecify.annotations.Nullable;

/** Annotations as written in the source, without default values. */
final class Mirrors {

  private Mirrors() {}

  static @Nullable AnnotationMirror find(Element annotated, String annotation) {
    for (AnnotationMirror mirror : annotated.getAnnotationMirrors()) {
      if (((TypeElement) mirror.getAnnotationType().asElement())
          .getQualifiedName()
          .contentEquals(annotation)) {
        return mirror;
      }
    }
    return null;
  }

  static @Nullable AnnotationValue value(@Nullable AnnotationMirror annotation, String member) {
    if (annotation != null) {
      for (Map.Entry<? extends ExecutableElement, ? extends AnnotationValue> written :
          annotation.getElementValues().entrySet()) {
        if (written.getKey().getSimpleName().contentEquals(member)) {
          return written.getValue();
        }
      }
    }
    return null;
  }

  /** Its texts, one or many; empty if the compiler could not resolve them. */
  static List<String> texts(@Nullable AnnotationValue value) {
    List<String> texts = new ArrayList<>();
    if (value != null && value.getValue() instanceof List<?> list) {
      for (Object one : list) {
        texts.addAll(texts((AnnotationValue) one));
      }
    } else if (value != null && value.getValue() instanceof String text) {
      texts.add(text);
    }
    return texts;
  }
}
