package io.rollotel.agent.threads;

import io.rollotel.agent.weave.BodyChange;
import io.rollotel.agent.weave.MethodHead;
import net.bytebuddy.jar.asm.MethodVisitor;

/** How a method that passes tasks on is changed. */
enum TaskChange implements BodyChange {
  /** Hands itself over. */
  HAND_OVER,
  /** Hands its argument over. */
  HAND_OVER_FIRST(0),
  /** Hands its second argument over. */
  HAND_OVER_SECOND(1),
  /** Queues its argument. */
  SUBMIT(0),
  /** Keeps its fourth argument as the task of a thread. */
  WRAP(3),
  /** A constructor of an object that is handed over afterwards. */
  HAND_OVER_NEW,
  /** The constructor of a stage: without an executor it runs where its source completes. */
  HAND_OVER_NEW_IF_ASYNC,
  /** Does the task's work. */
  RUN,
  /** Runs tasks one after the other. */
  RUN_IN_POOL,
  /** Creates a shared thread, or runs foreign tasks while it waits. */
  CLEAR;

  /**
   * The index of the argument that is the task; -1 if the object itself is the task, or there is
   * none.
   */
  private final int argument;

  TaskChange() {
    this(-1);
  }

  TaskChange(int argument) {
    this.argument = argument;
  }

  @Override
  public MethodVisitor change(MethodVisitor body, MethodHead method) {
    if (method.isStatic() && this != CLEAR) {
      return body;
    }
    int slot = argument < 0 ? 0 : method.slot(argument);
    return switch (this) {
      case HAND_OVER, HAND_OVER_FIRST, HAND_OVER_SECOND ->
          new TaskBody.AtStart(body, "handOver", slot);
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
