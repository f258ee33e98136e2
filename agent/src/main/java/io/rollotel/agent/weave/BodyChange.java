package io.rollotel.agent.weave;

import net.bytebuddy.jar.asm.MethodVisitor;

/** How the body of a method changes. */
@FunctionalInterface
public interface BodyChange {

  /**
   * The visitor that changes the body.
   *
   * @param body receives the changed body; a method whose visitor is returned unchanged is not
   *     changed
   */
  MethodVisitor change(MethodVisitor body, MethodHead method);
}
