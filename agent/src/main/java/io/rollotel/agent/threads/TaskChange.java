package io.rollotel.agent.threads;

import io.rollotel.agent.weave.BodyChange;
import io.rollotel.agent.weave.MethodHead;
import net.bytebuddy.jar.asm.MethodVisitor;

/**
 * What becomes of a method through which tasks pass.
 *
 * @param argument the index of the one that is the task; -1 where the object itself is, or none
 */
record TaskChange(Kind kind, int argument) implements BodyChange {

  enum Kind {
    /** Hands the task over. */
    HAND_OVER,
    /** Queues the task. */
    SUBMIT,
    /** Keeps the task of a thread. */
    WRAP,
    /** A constructor of what is handed over afterwards. */
    HAND_OVER_NEW,
    /** The constructor of a stage: without an executor it runs where its source completes. */
    HAND_OVER_NEW_IF_ASYNC,
    /** Does the task's work. */
    RUN,
    /** Runs tasks one after the other. */
    RUN_IN_POOL,
    /** Makes a thread for everybody, or runs other people's tasks while it waits. */
    CLEAR
  }

  TaskChange(Kind kind) {
    this(kind, -1);
  }

  @Override
  public MethodVisitor change(MethodVisitor body, MethodHead method) {
    if (method.isStatic() && kind != Kind.CLEAR) {
      return body;
    }
    int slot = argument < 0 ? 0 : method.slot(argument);
    return switch (kind) {
      case HAND_OVER -> new TaskBody.AtStart(body, "handOver", slot);
      case SUBMIT -> new TaskBody.AtStart(body, "submit", slot);
      case WRAP -> new TaskBody.AtStart(body, "wrap", slot);
      case HAND_OVER_NEW -> new TaskBody.AtEnd(body, false);
      case HAND_OVER_NEW_IF_ASYNC -> new TaskBody.AtEnd(body, true);
      case RUN -> new TaskBody.Around(body, method, false);
      case RUN_IN_POOL -> new TaskBody.RunByHook(body);
      case CLEAR -> new TaskBody.Around(body, method, true);
    };
  }
}
