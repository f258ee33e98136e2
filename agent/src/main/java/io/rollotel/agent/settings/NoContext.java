package io.rollotel.agent.settings;

/** What happens if a payload has no context: see the table in docs/concepts.md. */
public enum NoContext {
  /**
   * A child of the local span; without one, suppressed if there is a payload, otherwise a new root.
   */
  LOCAL,
  /** Exactly as ROLL: no context, no span. */
  SUPPRESS,
  /** Never suppressed. */
  ROOT
}
