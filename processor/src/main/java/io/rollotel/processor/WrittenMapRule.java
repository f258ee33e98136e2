package io.rollotel.processor;

import io.rollotel.processor.AnnotatedMethod.Parameter;
import java.util.List;
import java.util.stream.Stream;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;
import javax.lang.model.type.WildcardType;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import org.jspecify.annotations.Nullable;

/**
 * The rule for what {@code @Dispatch} writes: the key {@code _otel_ctx}, a string, and a map. In a
 * map of other types it is heap pollution, and code that reads the map throws a {@code
 * ClassCastException} only while tracing is enabled.
 */
final class WrittenMapRule {

  private final Types types;
  private final Carriers carriers;
  private final TypeMirror map;
  private final TypeMirror string;
  private final TypeMirror written;

  WrittenMapRule(Types types, Elements elements, Carriers carriers) {
    this.types = types;
    this.carriers = carriers;
    map = types.erasure(elements.getTypeElement("java.util.Map").asType());
    string = elements.getTypeElement("java.lang.String").asType();
    TypeElement hashMap = elements.getTypeElement("java.util.HashMap");
    written = types.erasure(hashMap.asType());
  }

  Stream<Violation> mapTakesTheContext(AnnotatedMethod method) {
    return method.dispatch() == null
        ? Stream.empty()
        : method.parameters().stream().flatMap(parameter -> check(method, parameter));
  }

  private Stream<Violation> check(AnnotatedMethod method, Parameter parameter) {
    TypeMirror type = parameter.element().asType();
    TypeMirror declared = parameter.metaInfo() == null ? carriers.mapOf(type) : type;
    List<? extends TypeMirror> arguments = declared == null ? List.of() : arguments(declared);
    if (arguments.size() != 2
        || (takes(arguments.get(0), string) && takes(arguments.get(1), written))) {
      return Stream.empty();
    }
    return Stream.of(
        Violation.of(
            Rule.DISPATCH_MAP,
            parameter.element(),
            "@Dispatch on "
                + method.name()
                + " puts a String key with a Map as its value into a "
                + declared
                + ": code that iterates over this map throws a ClassCastException while tracing is on."
                + " Declare it as Map<String, Object>."));
  }

  /** The type arguments that a type has as a {@code Map}; none if it is raw, or no map. */
  private List<? extends TypeMirror> arguments(TypeMirror type) {
    if (!(type instanceof DeclaredType declared)) {
      return List.of();
    }
    if (types.isSameType(types.erasure(type), map)) {
      return declared.getTypeArguments();
    }
    return types.directSupertypes(type).stream()
        .filter(above -> types.isAssignable(types.erasure(above), map))
        .findFirst()
        .<List<? extends TypeMirror>>map(this::arguments)
        .orElse(List.of());
  }

  private boolean takes(TypeMirror argument, TypeMirror value) {
    TypeMirror bound = bound(argument);
    return bound == null
        || bound.getKind() == TypeKind.ERROR
        || types.isAssignable(value, types.erasure(bound));
  }

  /** What is known of the elements; null if that is nothing. */
  private static @Nullable TypeMirror bound(TypeMirror argument) {
    if (argument instanceof WildcardType wildcard) {
      return wildcard.getExtendsBound();
    }
    return argument instanceof TypeVariable variable ? variable.getUpperBound() : argument;
  }
}
