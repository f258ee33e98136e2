package io.rollotel.traces.cli;

import java.util.Locale;

/** When a report has colours. */
enum Colouring {
  /** On a terminal, unless {@code NO_COLOR} is set. */
  AUTO,
  ALWAYS,
  NEVER;

  /** As the user writes it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
