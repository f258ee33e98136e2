package io.rollotel.agent.settings;

/** What of Ray becomes spans. */
public enum RaySpans {
  /** Nothing; Ray's classes stay as they are. */
  OFF,
  /** Calls, at both ends. */
  ON,
  /** And {@code get}, {@code wait} and {@code put}. */
  VERBOSE
}
