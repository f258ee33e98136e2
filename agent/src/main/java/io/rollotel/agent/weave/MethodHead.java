package io.rollotel.agent.weave;

import java.util.Map;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/**
 * The facts about a method that a {@link BodyChange} gets.
 *
 * @param className the internal name of its class
 * @param fields the fields of its class: the descriptor of each by its name
 * @param hasFrames false in class files of Java 5 and older
 */
public record MethodHead(
    String className,
    Map<String, String> fields,
    boolean hasFrames,
    int access,
    String name,
    String descriptor) {

  public boolean isStatic() {
    return (access & Opcodes.ACC_STATIC) != 0;
  }

  /** The variable of an argument at the start of the method. */
  public int slot(int argument) {
    Type[] types = Type.getArgumentTypes(descriptor);
    int slot = isStatic() ? 0 : 1;
    for (int i = 0; i < argument; i++) {
      slot += types[i].getSize();
    }
    return slot;
  }

  /** The first variable behind the arguments. */
  int slotBehindArguments() {
    return (Type.getArgumentsAndReturnSizes(descriptor) >> 2) - (isStatic() ? 1 : 0);
  }

  /** The descriptor of a field that the change needs; throws if the class has no such field. */
  public String field(String name) {
    String found = fields.get(name);
    if (found == null) {
      throw new IllegalStateException(className.replace('/', '.') + " has no field " + name);
    }
    return found;
  }
}
