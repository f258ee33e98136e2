package io.rollotel.processor;

import com.google.auto.service.AutoService;
import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.Register;
import java.lang.annotation.Annotation;
import java.util.List;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.Processor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;
import javax.tools.Diagnostic;

/**
 * Refuses annotations that the agent could not keep: a compiler error with the mend in it, instead
 * of a span that is missing weeks later. Runs whether or not tracing is ever on.
 */
@AutoService(Processor.class)
public final class RegisterProcessor extends AbstractProcessor {

  private static final List<Class<? extends Annotation>> ANNOTATIONS =
      List.of(Register.class, Dispatch.class);

  /** For the compiler. */
  public RegisterProcessor() {}

  @Override
  public Set<String> getSupportedAnnotationTypes() {
    return Set.of(Register.class.getName(), Dispatch.class.getName());
  }

  @Override
  public SourceVersion getSupportedSourceVersion() {
    return SourceVersion.latestSupported();
  }

  @Override
  public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
    for (Class<? extends Annotation> annotation : ANNOTATIONS) {
      Set<? extends Element> annotated = round.getElementsAnnotatedWith(annotation);
      for (ExecutableElement method : ElementFilter.methodsIn(annotated)) {
        check(method, annotation);
      }
    }
    return false; // other processors may look at the annotations as well
  }

  private void check(ExecutableElement method, Class<? extends Annotation> annotation) {
    try {
      for (Violation violation : Rules.violations(method, annotation)) {
        violation.printTo(processingEnv.getMessager());
      }
    } catch (RuntimeException e) {
      // A fault of ours must not look like one of the user's: a warning, and the build goes on.
      processingEnv
          .getMessager()
          .printMessage(
              Diagnostic.Kind.WARNING, "roll-otel could not check this method: " + e, method);
    }
  }

  /** The annotation as it stands in the source, for the position of a message. */
  static AnnotationMirror mirror(Element annotated, Class<? extends Annotation> annotation) {
    return annotated.getAnnotationMirrors().stream()
        .filter(mirror -> isOf(mirror, annotation))
        .findFirst()
        .orElseThrow();
  }

  private static boolean isOf(AnnotationMirror mirror, Class<? extends Annotation> annotation) {
    TypeElement type = (TypeElement) mirror.getAnnotationType().asElement();
    return type.getQualifiedName().contentEquals(annotation.getName());
  }
}
