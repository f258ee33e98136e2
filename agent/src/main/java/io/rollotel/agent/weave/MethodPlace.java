package io.rollotel.agent.weave;

import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.jar.asm.Type;

/**
 * A place where a library, the JDK or the application is woven: a method, or several with one name,
 * and the change of the body.
 *
 * @param className the class, as in {@link Class#getName()}
 * @param method the method's name
 * @param descriptor a pattern for its descriptor: {@code *} stands for any parameter, {@code ..}
 *     behind the last one for any further ones; without a return type, any matches
 * @param change the change of the body
 */
public record MethodPlace(String className, String method, String descriptor, BodyChange change) {

  private static final String ANY_MORE = "..";

  /** Those of a class. */
  public static List<MethodPlace> ofClass(String className, List<MethodPlace> places) {
    List<MethodPlace> found = new ArrayList<>();
    for (MethodPlace place : places) {
      if (place.className.equals(className)) {
        found.add(place);
      }
    }
    return found;
  }

  boolean matches(String name, String itsDescriptor) {
    if (!name.equals(method)) {
      return false;
    }
    int at = 1;
    for (Type parameter : Type.getArgumentTypes(itsDescriptor)) {
      if (descriptor.startsWith(ANY_MORE, at)) {
        break;
      }
      String type = parameter.getDescriptor();
      if (descriptor.charAt(at) == '*') {
        at++;
      } else if (descriptor.startsWith(type, at)) {
        at += type.length();
      } else {
        return false;
      }
    }
    if (descriptor.startsWith(ANY_MORE, at)) {
      at += ANY_MORE.length();
    }
    String rest = descriptor.substring(at);
    return rest.equals(")") || (rest.startsWith(")") && itsDescriptor.endsWith(rest));
  }

  @Override
  public String toString() {
    return className + "." + method + descriptor;
  }
}
