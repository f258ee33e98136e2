package io.rollotel.agent.settings;

/** Where spans go. */
public enum Exporter {
  /** To an endpoint or to the run's collector. */
  OTLP,
  /** Each process into its own file; there is no collector. */
  FILE
}
