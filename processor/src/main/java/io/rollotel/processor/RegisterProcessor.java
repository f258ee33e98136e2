package io.rollotel.processor;

import com.google.auto.service.AutoService;
import io.rollotel.annotations.Register;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.Processor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.ModuleElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.Diagnostic;

/**
 * Rejects annotations that the agent could not honour: a compiler error with a fix instead of a
 * missing span weeks later. Also writes an index of the declared methods for the agent. Runs
 * whether or not tracing is ever on.
 *
 * <p>Works in the last round and looks the classes up again by name, so that it sees what other
 * processors have added to them.
 */
@AutoService(Processor.class)
public final class RegisterProcessor extends AbstractProcessor {

  /**
   * Top-level classes in the compiler's order, with their modules: without its module, a name would
   * be searched in all modules.
   */
  private final Map<String, ModuleElement> topLevels = new LinkedHashMap<>();

  /** For the compiler. */
  public RegisterProcessor() {}

  /** All classes: an override without an annotation may be in a class without any. */
  @Override
  public Set<String> getSupportedAnnotationTypes() {
    return Set.of("*");
  }

  @Override
  public Set<String> getSupportedOptions() {
    return Set.of(Strictness.OPTION, SwitchedOff.OPTION);
  }

  @Override
  public SourceVersion getSupportedSourceVersion() {
    return SourceVersion.latestSupported();
  }

  @Override
  public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
    Elements elements = processingEnv.getElementUtils();
    for (TypeElement type : ElementFilter.typesIn(round.getRootElements())) {
      topLevels.put(type.getQualifiedName().toString(), elements.getModuleOf(type));
    }
    if (round.processingOver()
        && hasAnnotations()
        && elements.getTypeElement(Register.class.getName()) != null) {
      new Check(elements, processingEnv.getTypeUtils()).all(round.errorRaised());
    }
    return false; // other processors may process the annotations as well
  }

  /** Whether the processor's own path has them; that of the sources may have them without it. */
  private boolean hasAnnotations() {
    try {
      return !Register.class.getName().isEmpty();
    } catch (NoClassDefFoundError missing) {
      processingEnv
          .getMessager()
          .printMessage(
              Diagnostic.Kind.ERROR,
              "roll-otel's processor does not find the annotations: put the jar of"
                  + " roll-otel-annotations on the processor path, too.");
      return false;
    }
  }

  /** The rules that an annotation here turns off. */
  private static Stream<String> suppressed(Element element) {
    AnnotationMirror java = Mirrors.find(element, SuppressWarnings.class.getName());
    AnnotationMirror kotlin = Mirrors.find(element, "kotlin.Suppress");
    return Stream.of(Mirrors.value(java, "value"), Mirrors.value(kotlin, "names"))
        .flatMap(written -> Mirrors.texts(written).stream());
  }

  /** One compilation's. */
  private final class Check {

    private final Strictness strictness;
    private final SwitchedOff switchedOff;
    private final Elements elements;
    private final Types types;
    private final Carriers carriers;
    private final Rules rules;
    private final ClassRules classRules;
    private boolean refused;

    Check(Elements elements, Types types) {
      this.elements = elements;
      this.types = types;
      strictness = Strictness.of(processingEnv.getOptions());
      switchedOff = new SwitchedOff(processingEnv.getOptions().get(SwitchedOff.OPTION));
      carriers = new Carriers(types, elements);
      rules = new Rules(types, elements, carriers);
      classRules = new ClassRules(elements, carriers);
    }

    void all(boolean errorRaised) {
      Stream.concat(
              Stream.of(strictness.complaint()).filter(line -> !line.isEmpty()),
              switchedOff.complaints().stream())
          .forEach(line -> processingEnv.getMessager().printMessage(Diagnostic.Kind.WARNING, line));
      List<Index> indexes = new ArrayList<>();
      for (Map.Entry<String, ModuleElement> known : topLevels.entrySet()) {
        ModuleElement module = known.getValue(); // none in sources of Java 8
        TypeElement topLevel =
            module == null
                ? elements.getTypeElement(known.getKey())
                : elements.getTypeElement(module, known.getKey());
        if (topLevel != null) {
          Index index = new Index(types, elements, topLevel);
          try {
            check(topLevel, index);
            indexes.add(index);
          } catch (RuntimeException e) {
            note("could not check this class: " + e, topLevel);
          }
        }
      }
      // A compilation with errors writes no class files: existing ones are older.
      if (!refused && !errorRaised) {
        indexes.forEach(this::write);
      }
    }

    private void check(TypeElement type, Index index) {
      List<AnnotatedMethod> methods = new ArrayList<>();
      List<TypeElement> nested = new ArrayList<>();
      for (Element member : type.getEnclosedElements()) {
        if (member instanceof TypeElement inner) {
          nested.add(inner);
        } else if (member.getKind() == ElementKind.METHOD
            || member.getKind() == ElementKind.CONSTRUCTOR) {
          Stream.ofNullable(AnnotatedMethod.of((ExecutableElement) member, carriers))
              .forEach(methods::add);
        }
      }
      Stream.of(
              methods.stream().flatMap(rules::violations),
              ClassRules.spanNamesDiffer(methods),
              classRules.overridesAreAnnotated(type))
          .flatMap(found -> found)
          .filter(violation -> !isSuppressed(violation))
          .forEach(this::say);
      index.add(type, methods);
      nested.forEach(inner -> check(inner, index));
    }

    private void say(Violation violation) {
      refused |= violation.isError(strictness.isStrict());
      violation.printTo(processingEnv.getMessager(), strictness.isStrict());
    }

    /** For the project, or on the parameter, the method, its class, or an enclosing class. */
    private boolean isSuppressed(Violation violation) {
      if (!violation.rule().isWarning()) {
        return false;
      }
      return switchedOff.contains(violation.rule())
          || Stream.<Element>iterate(
                  violation.element(), Objects::nonNull, Element::getEnclosingElement)
              .flatMap(RegisterProcessor::suppressed)
              .anyMatch(violation.rule().code()::equals);
    }

    private void write(Index index) {
      try {
        index.write(processingEnv.getFiler());
      } catch (IOException | RuntimeException e) {
        note("could not write what the class declares: " + e, index.topLevel());
      }
    }

    /**
     * A defect of the processor must not look like a mistake of the user, nor break a build with
     * -Werror.
     */
    private void note(String message, Element element) {
      processingEnv
          .getMessager()
          .printMessage(Diagnostic.Kind.NOTE, "roll-otel " + message, element);
    }
  }
}
