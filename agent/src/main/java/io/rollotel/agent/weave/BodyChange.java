package io.rollotel.agent.weave;

import net.bytebuddy.jar.asm.MethodVisitor;

/** What becomes of the body of a method. */
@FunctionalInterface
public interface BodyChange {

  /**
   * The visitor that changes the body.
   *
   * @param body takes the changed body; given back as it is, the method stays as it is
   */
  MethodVisitor change(MethodVisitor body, MethodHead method);
}
