package io.rollotel.processor;

import io.rollotel.processor.AnnotatedMethod.Parameter;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.TypeParameterElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;
import javax.lang.model.type.WildcardType;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import org.jspecify.annotations.Nullable;

/** The rules for parameters that carry the context, or seem meant to. */
final class CarrierRules {

  /** {@code T extends Comparable<T>} would recurse without end. */
  private static final int DEEPEST = 6;

  /** The span that a report takes for a step. */
  private static final String STEP = "pipeline_step";

  private final Types types;
  private final Carriers carriers;
  private final TypeElement map;
  private final TypeMirror string;

  CarrierRules(Types types, Elements elements, Carriers carriers) {
    this.types = types;
    this.carriers = carriers;
    map = elements.getTypeElement("java.util.Map");
    string = elements.getTypeElement("java.lang.String").asType();
  }

  static Stream<Violation> oneMetaInfo(AnnotatedMethod method) {
    return method.parameters().stream()
        .filter(parameter -> parameter.metaInfo() != null)
        .skip(1)
        .map(
            second ->
                Violation.of(
                    Rule.TWO_META_INFO,
                    second.element(),
                    second.metaInfo(),
                    "A second @MetaInfo on "
                        + method.name()
                        + ": a payload has one meta_info. Keep it on the one that carries the"
                        + " sender's context."));
  }

  /** Methods of {@code ROLL_OTEL_METHODS} read it as well: a warning. */
  static Stream<Violation> metaInfoIsUsed(AnnotatedMethod method) {
    return method.register() != null || method.dispatch() != null
        ? Stream.empty()
        : method.parameters().stream()
            .filter(parameter -> parameter.metaInfo() != null)
            .map(
                parameter ->
                    Violation.of(
                        Rule.META_INFO_UNUSED,
                        parameter.element(),
                        parameter.metaInfo(),
                        "@MetaInfo on a parameter of "
                            + method.name()
                            + (method.isConstructor()
                                ? ": constructors neither read nor write a context: remove"
                                    + " @MetaInfo."
                                : ", which neither reads nor writes a context. Put @Register or"
                                    + " @Dispatch on the method, or remove @MetaInfo.")));
  }

  Stream<Violation> metaInfoIsMap(AnnotatedMethod method) {
    return method.parameters().stream()
        .filter(parameter -> parameter.metaInfo() != null && !isMetaInfo(type(parameter), 0))
        .map(
            parameter ->
                Violation.of(
                    Rule.META_INFO_TYPE,
                    parameter.element(),
                    parameter.metaInfo(),
                    "@MetaInfo on "
                        + type(parameter)
                        + ", which is not a Map<String, …>: the context is read from a map. Declare "
                        + parameter.element().getSimpleName()
                        + " as Map<String, Object>; a payload that has such a map needs no"
                        + " annotation."));
  }

  /** A map with string keys, or with keys of unknown type. */
  private boolean isMetaInfo(TypeMirror type, int depth) {
    if (type.getKind() == TypeKind.ERROR) {
      return true;
    }
    if (depth < DEEPEST
        && type instanceof DeclaredType declared
        && declared.asElement().equals(map)) {
      return declared.getTypeArguments().isEmpty()
          || mayBeString(declared.getTypeArguments().get(0));
    }
    return depth < DEEPEST
        && types.directSupertypes(type).stream().anyMatch(above -> isMetaInfo(above, depth + 1));
  }

  private boolean mayBeString(TypeMirror key) {
    if (key instanceof WildcardType wildcard) {
      TypeMirror bound = wildcard.getExtendsBound();
      return bound == null || types.isSubtype(string, bound);
    }
    return key instanceof TypeVariable variable
        ? types.isSubtype(string, types.erasure(variable.getUpperBound()))
        : key.getKind() == TypeKind.ERROR || types.isSameType(key, string);
  }

  /** If another parameter is a carrier, this one was probably not meant to be. */
  Stream<Violation> payloadCanBeRead(AnnotatedMethod method) {
    if (method.hasCarrier() || !wantsCarrier(method)) {
      return Stream.empty();
    }
    return method.parameters().stream()
        .flatMap(
            parameter -> {
              String fault = carriers.fault(type(parameter));
              return fault == null
                  ? Stream.empty()
                  : Stream.of(
                      Violation.of(
                          Rule.PAYLOAD_GETTER,
                          parameter.element(),
                          fault
                              + ": the context of "
                              + parameter.element().getSimpleName()
                              + " cannot be read. Make it a public method of instances that"
                              + " returns Map<String, Object>, or pass the map as a parameter"
                              + " @MetaInfo Map<String, Object>."));
            });
  }

  Stream<Violation> dispatchHasCarrier(AnnotatedMethod method) {
    return method.dispatch() == null
            || method.hasCarrier()
            || payloadCanBeRead(method).findAny().isPresent()
        ? Stream.empty()
        : Stream.of(
            Violation.of(
                Rule.DISPATCH_WITHOUT_CARRIER,
                method.element(),
                method.dispatch(),
                "@Dispatch on "
                    + method.name()
                    + ", which has no carrier parameter: there is nowhere to write the context. "
                    + remedy(
                        method,
                        "Add a payload with a public metaInfo() that returns a Map, or a parameter"
                            + " @MetaInfo Map<String, Object>.")));
  }

  Stream<Violation> carrierIsNotGeneric(AnnotatedMethod method) {
    return perParameter(method, Rule.GENERIC_CARRIER, this::behindGenerics);
  }

  Stream<Violation> carrierIsNotHidden(AnnotatedMethod method) {
    return perParameter(method, Rule.HIDDEN_CARRIER, this::inside);
  }

  /** A step begins in the driver, so nothing sends it a context. */
  Stream<Violation> tracedHasCarrier(AnnotatedMethod method) {
    if (method.spanName().equals(STEP)) {
      return Stream.empty();
    }
    boolean isReported =
        Stream.of(payloadCanBeRead(method), carrierIsNotGeneric(method), carrierIsNotHidden(method))
            .anyMatch(found -> found.findAny().isPresent());
    return !method.isTraced() || method.hasCarrier() || isReported
        ? Stream.empty()
        : Stream.of(
            Violation.of(
                Rule.NO_CARRIER,
                method.element(),
                method.register(),
                "No parameter of "
                    + method.name()
                    + " carries a context: its spans have the current span as their parent, or"
                    + " none, but never the sender's. "
                    + remedy(method, "Add a payload or a parameter @MetaInfo Map<String, Object>.")
                    + " If this is intended, add"
                    + " @SuppressWarnings(\"roll-otel:no-carrier\")."));
  }

  /** What to do about a missing carrier, if no map among the parameters is meant to be one. */
  private String remedy(AnnotatedMethod method, String otherwise) {
    return method.parameters().stream()
        .filter(parameter -> isNamedMetaInfo(parameter) && isMetaInfo(type(parameter), 0))
        .findFirst()
        .map(parameter -> "Put @MetaInfo on " + parameter.element().getSimpleName() + ".")
        .orElse(otherwise);
  }

  private static boolean isNamedMetaInfo(Parameter parameter) {
    String name = parameter.element().getSimpleName().toString();
    return name.replace("_", "").equalsIgnoreCase("metaInfo");
  }

  private static boolean wantsCarrier(AnnotatedMethod method) {
    return method.isTraced() || method.dispatch() != null;
  }

  private Stream<Violation> perParameter(
      AnnotatedMethod method, Rule rule, Function<TypeMirror, String> search) {
    if (method.hasCarrier() || !wantsCarrier(method)) {
      return Stream.empty();
    }
    return method.parameters().stream()
        .filter(parameter -> carriers.fault(type(parameter)) == null)
        .map(
            parameter -> {
              String found = search.apply(type(parameter));
              return found.isEmpty() ? null : Violation.of(rule, parameter.element(), found);
            })
        .flatMap(Stream::ofNullable);
  }

  /** Empty if the type contains no carrier. */
  private String behindGenerics(TypeMirror type) {
    TypeMirror hidden = mentioned(type, 0);
    if (hidden != null) {
      return type
          + " hides the carrier "
          + hidden
          + ": the agent finds a payload, a List or an array of payloads, and the first bound of"
          + " a type variable. Declare the parameter as "
          + hidden
          + " or List<"
          + hidden
          + ">.";
    }
    if (type.getKind() == TypeKind.TYPEVAR && isObject(types.erasure(type))) {
      return type
          + " is Object in the class file, so the agent finds no carrier in it. Bound it by the"
          + " payload's type.";
    }
    if (Carriers.isList(type) && saysNothing(((DeclaredType) type).getTypeArguments())) {
      return type
          + " does not name its element type, so the agent finds no carriers in it. Declare it"
          + " as List<the payload's type>.";
    }
    return "";
  }

  private boolean saysNothing(List<? extends TypeMirror> arguments) {
    if (arguments.isEmpty()) {
      return true;
    }
    TypeMirror argument = arguments.get(0);
    return argument instanceof WildcardType wildcard
        ? wildcard.getExtendsBound() == null
        : argument.getKind() == TypeKind.TYPEVAR && isObject(types.erasure(argument));
  }

  /** A carrier among the type's arguments and bounds. */
  private @Nullable TypeMirror mentioned(TypeMirror type, int depth) {
    if (depth > 0 && type.getKind() == TypeKind.DECLARED && carriers.isPayload(type)) {
      return types.erasure(type);
    }
    return depth > DEEPEST
        ? null
        : parts(type)
            .map(part -> mentioned(part, depth + 1))
            .flatMap(Stream::ofNullable)
            .findFirst()
            .orElse(null);
  }

  private static Stream<? extends TypeMirror> parts(TypeMirror type) {
    if (type instanceof DeclaredType declared) {
      return declared.getTypeArguments().stream();
    }
    if (type instanceof ArrayType array) {
      return Stream.of(array.getComponentType());
    }
    if (type instanceof TypeVariable variable) {
      // ecj's upper bound is only the first one.
      return variable.asElement() instanceof TypeParameterElement parameter
          ? parameter.getBounds().stream()
          : Stream.empty();
    }
    return type instanceof WildcardType wildcard
        ? Stream.ofNullable(
            wildcard.getExtendsBound() == null
                ? wildcard.getSuperBound()
                : wildcard.getExtendsBound())
        : Stream.empty();
  }

  /** Empty if the type has no carrier inside. */
  private String inside(TypeMirror type) {
    if (type.getKind() == TypeKind.DECLARED && isObject(type)) {
      return "An Object has no meta_info, and the agent does not look at the class of the"
          + " argument. Declare the payload's type.";
    }
    TypeMirror erased = types.erasure(type);
    if (erased.getKind() != TypeKind.DECLARED) {
      return "";
    }
    TypeElement declared = Carriers.typeElement((DeclaredType) erased);
    if (Carriers.isOfTheJdk(declared)) {
      return "";
    }
    Optional<String> holder =
        carriers.hierarchy(declared).stream()
            .flatMap(above -> above.getEnclosedElements().stream())
            .flatMap(member -> Stream.ofNullable(holds(member, declared)))
            .findFirst();
    return holder
        .map(
            held ->
                held
                    + " holds a carrier, and the agent does not look into "
                    + declared.getSimpleName()
                    + ": pass what it holds, or give "
                    + declared.getSimpleName()
                    + " a public metaInfo() that returns its Map.")
        .orElse("");
  }

  /** The member's name if its value is a carrier. */
  private @Nullable String holds(Element member, TypeElement holder) {
    boolean ofInstances = !member.getModifiers().contains(Modifier.STATIC);
    String name = holder.getSimpleName() + "." + member.getSimpleName();
    if (ofInstances && member.getKind() == ElementKind.FIELD) {
      return carriers.kind(member.asType()) == null ? null : name;
    }
    return ofInstances
            && member.getKind() == ElementKind.METHOD
            && member instanceof ExecutableElement method
            && method.getParameters().isEmpty()
            && carriers.kind(method.getReturnType()) != null
        ? name + "()"
        : null;
  }

  private static boolean isObject(TypeMirror type) {
    return type instanceof DeclaredType declared
        && Carriers.typeElement(declared).getQualifiedName().contentEquals("java.lang.Object");
  }

  private static TypeMirror type(Parameter parameter) {
    return parameter.element().asType();
  }
}
