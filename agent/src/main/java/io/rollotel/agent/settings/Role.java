package io.rollotel.agent.settings;

/** Who collects. */
public enum Role {
  /** Driver if no endpoint is set and the lock is free, otherwise worker. */
  AUTO,
  /** Starts the collector. */
  DRIVER,
  /** Never starts one. */
  WORKER
}
