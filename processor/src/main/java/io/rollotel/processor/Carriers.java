package io.rollotel.processor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.ExecutableType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.WildcardType;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import org.jspecify.annotations.Nullable;

/**
 * Which types carry meta_info: the same rules as the agent's {@code Carrier} and {@code
 * Annotations}.
 */
final class Carriers {

  /** How a parameter carries meta_info, by its name in the index. */
  enum Kind {
    /** It is the map. */
    META_INFO,
    /** Its type has a getter. */
    PAYLOAD,
    /** A list or an array of payloads. */
    PAYLOADS
  }

  /** In the order in which the agent tries them. */
  static final List<String> META_INFO_GETTERS =
      List.of("metaInfo", "getMetaInfo", "getMeta_info", "meta_info");

  private final Types types;
  private final TypeMirror map;

  /** Empty if the getters carry. */
  private final Map<TypeElement, Optional<String>> faults = new HashMap<>();

  private final Map<TypeElement, List<ExecutableElement>> getters = new HashMap<>();

  Carriers(Types types, Elements elements) {
    this.types = types;
    map = types.erasure(elements.getTypeElement("java.util.Map").asType());
  }

  /** Null if it carries nothing. */
  @Nullable Kind kind(TypeMirror type) {
    // Types that the compiler does not know either are not checked.
    if (type.getKind() == TypeKind.ERROR || isPayload(type)) {
      return Kind.PAYLOAD;
    }
    TypeMirror element = element(type);
    return element != null && isPayload(element) ? Kind.PAYLOADS : null;
  }

  /** Uses the erasure, since the agent sees only that in the class file. */
  boolean isPayload(TypeMirror type) {
    TypeElement payload = candidate(type);
    return payload != null && getters(payload).stream().anyMatch(this::reads);
  }

  /** The map that a payload, or each payload of a list or an array, returns; null for others. */
  @Nullable TypeMirror mapOf(TypeMirror type) {
    TypeMirror one = isPayload(type) ? type : element(type);
    TypeElement payload = one == null ? null : candidate(one);
    if (payload == null) {
      return null;
    }
    ExecutableElement getter =
        getters(payload).stream().filter(this::reads).findFirst().orElse(null);
    if (getter == null) {
      return null;
    }
    return one instanceof DeclaredType declared
            && types.asMemberOf(declared, getter) instanceof ExecutableType member
        ? member.getReturnType()
        : getter.getReturnType();
  }

  /** The problem with the type's only getters; null if it has none, or a valid one. */
  @Nullable String fault(TypeMirror type) {
    TypeElement payload = candidate(type);
    if (payload == null) {
      TypeMirror element = element(type);
      payload = element == null ? null : candidate(element);
    }
    return payload == null ? null : faults.computeIfAbsent(payload, this::findFault).orElse(null);
  }

  private Optional<String> findFault(TypeElement payload) {
    List<ExecutableElement> found = getters(payload);
    if (found.isEmpty() || found.stream().anyMatch(this::reads)) {
      return Optional.empty();
    }
    ExecutableElement getter = found.get(0);
    String name = payload.getSimpleName() + "." + getter.getSimpleName() + "()";
    if (getter.getModifiers().contains(Modifier.STATIC)) {
      return Optional.of(name + " is static");
    }
    return Optional.of(isPublic(getter) ? name + " returns no Map" : name + " is not public");
  }

  /** The declared element type of an array or a list; null for anything else. */
  private @Nullable TypeMirror element(TypeMirror type) {
    if (type.getKind() == TypeKind.ARRAY) {
      return ((ArrayType) type).getComponentType();
    }
    if (!isList(type) || ((DeclaredType) type).getTypeArguments().isEmpty()) {
      return null;
    }
    TypeMirror argument = ((DeclaredType) type).getTypeArguments().get(0);
    return argument instanceof WildcardType wildcard ? wildcard.getExtendsBound() : argument;
  }

  /** {@code java.util.List} itself: the agent takes no other collection. */
  static boolean isList(TypeMirror type) {
    return type.getKind() == TypeKind.DECLARED
        && typeElement((DeclaredType) type).getQualifiedName().contentEquals("java.util.List");
  }

  /** The JDK's own types carry no meta_info. */
  private @Nullable TypeElement candidate(TypeMirror type) {
    TypeMirror erased = types.erasure(type);
    if (erased.getKind() != TypeKind.DECLARED) {
      return null;
    }
    TypeElement candidate = typeElement((DeclaredType) erased);
    return isOfTheJdk(candidate) ? null : candidate;
  }

  static boolean isOfTheJdk(TypeElement type) {
    return type.getQualifiedName().toString().startsWith("java.");
  }

  static TypeElement typeElement(DeclaredType type) {
    return (TypeElement) type.asElement();
  }

  private List<ExecutableElement> getters(TypeElement payload) {
    List<ExecutableElement> known = getters.get(payload);
    if (known == null) {
      known = new ArrayList<>();
      List<TypeElement> hierarchy = hierarchy(payload);
      for (String name : META_INFO_GETTERS) {
        for (TypeElement type : hierarchy) {
          for (ExecutableElement method : ElementFilter.methodsIn(type.getEnclosedElements())) {
            if (method.getSimpleName().contentEquals(name)
                && method.getParameters().isEmpty()
                && (type.equals(payload) || isInherited(method, type))) {
              known.add(method);
            }
          }
        }
      }
      getters.put(payload, known);
    }
    return known;
  }

  private static boolean isInherited(ExecutableElement method, TypeElement declaring) {
    return !method.getModifiers().contains(Modifier.PRIVATE)
        && !(declaring.getKind().isInterface() && method.getModifiers().contains(Modifier.STATIC));
  }

  /** The type itself, then its supertypes except for the JDK's. */
  List<TypeElement> hierarchy(TypeElement type) {
    List<TypeElement> hierarchy = new ArrayList<>();
    hierarchy.add(type);
    for (int i = 0; i < hierarchy.size(); i++) {
      for (TypeMirror above : types.directSupertypes(hierarchy.get(i).asType())) {
        if (above.getKind() == TypeKind.DECLARED) {
          TypeElement next = typeElement((DeclaredType) above);
          if (!isOfTheJdk(next) && !hierarchy.contains(next)) {
            hierarchy.add(next);
          }
        }
      }
    }
    return hierarchy;
  }

  private boolean reads(ExecutableElement getter) {
    TypeMirror returned = types.erasure(getter.getReturnType());
    return isPublic(getter)
        && !getter.getModifiers().contains(Modifier.STATIC)
        && (returned.getKind() == TypeKind.ERROR // checked by the compiler, or not generated yet
            || (returned.getKind() == TypeKind.DECLARED && types.isAssignable(returned, map)));
  }

  private static boolean isPublic(ExecutableElement method) {
    Element declaring = method.getEnclosingElement();
    return method.getModifiers().contains(Modifier.PUBLIC)
        || (declaring != null
            && declaring.getKind().isInterface()
            && !method.getModifiers().contains(Modifier.PRIVATE));
  }
}
