package io.rollotel.processor;

import io.rollotel.processor.AnnotatedMethod.Parameter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.IntersectionType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;
import javax.lang.model.type.WildcardType;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import org.jspecify.annotations.Nullable;

/** The rules for {@code @SpanAttribute}, which the agent's {@code CapturedAttribute} records. */
final class AttributeRules {

  /** Keys that the project sets itself, on the span or on its resource. */
  static final Set<String> RESERVED =
      Set.of(
          "code.function.name", "service.name", "service.instance.id", "host.name", "process.pid");

  static final String RESERVED_PREFIX = "roll.";

  private final Types types;

  /** Text, numbers, booleans, enums. */
  private final List<TypeMirror> simple;

  private final TypeElement list;
  private final TypeMirror listType;

  AttributeRules(Types types, Elements elements) {
    this.types = types;
    simple =
        Stream.of("CharSequence", "Number", "Boolean", "Character", "Enum", "String", "Long")
            .map(name -> types.erasure(elements.getTypeElement("java.lang." + name).asType()))
            .toList();
    list = elements.getTypeElement("java.util.List");
    listType = types.erasure(list.asType());
  }

  static Stream<Violation> keyIsOne(AnnotatedMethod method) {
    Set<String> before = new HashSet<>();
    return method.parameters().stream()
        .flatMap(
            parameter -> {
              AnnotationValue written = Mirrors.value(parameter.attribute(), "value");
              return Mirrors.texts(written).stream()
                  .map(key -> faultOf(key, before.add(key)))
                  .filter(fault -> !fault.isEmpty())
                  .map(
                      fault ->
                          new Violation(
                              Rule.ATTRIBUTE_KEY,
                              fault,
                              parameter.element(),
                              parameter.attribute(),
                              written));
            });
  }

  /** Empty for a valid key. */
  private static String faultOf(String key, boolean isFirst) {
    if (key.isBlank()) {
      return "An attribute without a key is not recorded. Name it, for example @SpanAttribute(\""
          + "batch.size\").";
    }
    if (key.startsWith(RESERVED_PREFIX) || RESERVED.contains(key)) {
      return "The key "
          + key
          + " is reserved by roll-otel, and one value would overwrite the other. Use another"
          + " key, for example app."
          + key
          + ".";
    }
    return isFirst
        ? ""
        : "The key " + key + " is used already: only the last value is kept. Use another key.";
  }

  /** Only if no value of the type could be recorded. */
  Stream<Violation> typeCanBeRecorded(AnnotatedMethod method) {
    return method.parameters().stream()
        .filter(parameter -> parameter.attribute() != null && !canBeRecorded(type(parameter)))
        .map(
            parameter ->
                Violation.of(
                    Rule.ATTRIBUTE_TYPE,
                    parameter.element(),
                    parameter.attribute(),
                    "@SpanAttribute on "
                        + type(parameter)
                        + ", which cannot be recorded: an attribute is text, a number, a boolean,"
                        + " an enum, or an array or a List of these. Pass such a part of "
                        + parameter.element().getSimpleName()
                        + " as a parameter of its own."));
  }

  private boolean canBeRecorded(TypeMirror type) {
    if (type instanceof ArrayType array) {
      return isSimple(array.getComponentType());
    }
    if (type.getKind() == TypeKind.ERROR) {
      return true; // the compiler reports it
    }
    if (types.isSubtype(types.erasure(type), listType)) {
      return isSimple(elementOf(type));
    }
    // A Collection or an Iterable may be a list at run time.
    return isSimple(type) || types.isSubtype(listType, types.erasure(type));
  }

  /** The element type of a list; null if it is no list, or has no type argument. */
  private @Nullable TypeMirror elementOf(TypeMirror type) {
    if (type instanceof DeclaredType declared) {
      if (declared.asElement().equals(list)) {
        return declared.getTypeArguments().isEmpty()
            ? null
            : upperBound(declared.getTypeArguments().get(0));
      }
      for (TypeMirror above : types.directSupertypes(declared)) {
        TypeMirror element = elementOf(above);
        if (element != null) {
          return element;
        }
      }
    }
    return type instanceof TypeVariable variable ? elementOf(variable.getUpperBound()) : null;
  }

  private static @Nullable TypeMirror upperBound(TypeMirror argument) {
    return argument instanceof WildcardType wildcard ? wildcard.getExtendsBound() : argument;
  }

  /**
   * A single value: of such a type, of a supertype, or of an interface that an enum may implement.
   */
  private boolean isSimple(@Nullable TypeMirror type) {
    if (type == null || type.getKind().isPrimitive() || type.getKind() == TypeKind.ERROR) {
      return true;
    }
    if (type instanceof TypeVariable variable) {
      return isSimple(variable.getUpperBound());
    }
    if (type instanceof IntersectionType intersection) {
      return intersection.getBounds().stream().allMatch(this::isSimple);
    }
    TypeMirror erased = types.erasure(type);
    if (!(erased instanceof DeclaredType declared)) {
      return false;
    }
    TypeElement element = Carriers.typeElement(declared);
    return (element.getKind().isInterface() && !Carriers.isOfTheJdk(element))
        || simple.stream()
            .anyMatch(one -> types.isSubtype(erased, one) || types.isSubtype(one, erased));
  }

  /** Methods of {@code ROLL_OTEL_METHODS} record attributes as well: a warning. */
  static Stream<Violation> methodIsTraced(AnnotatedMethod method) {
    return method.isTraced()
        ? Stream.empty()
        : method.parameters().stream()
            .filter(parameter -> parameter.attribute() != null)
            .map(
                parameter ->
                    Violation.of(
                        Rule.ATTRIBUTE_UNTRACED,
                        parameter.element(),
                        parameter.attribute(),
                        "@SpanAttribute on a parameter of "
                            + method.name()
                            + (method.isConstructor()
                                ? ": constructors have no span: remove @SpanAttribute."
                                : ", which has no span to record it on. Put @Register(trace ="
                                    + " true) on the method, or remove @SpanAttribute.")));
  }

  private static TypeMirror type(Parameter parameter) {
    return parameter.element().asType();
  }
}
