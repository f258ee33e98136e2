package io.rollotel.agent.settings;

/** Which worker spans have a child {@code exec}. */
public enum ExecSpans {
  /** Worker spans that also have {@code prefetch} or {@code to_remote}. */
  AUTO,
  /** All: ROLL's shape. */
  ALWAYS
}
