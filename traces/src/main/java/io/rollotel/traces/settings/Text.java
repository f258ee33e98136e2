package io.rollotel.traces.settings;

import org.jspecify.annotations.Nullable;

/** A text, unchanged. */
final class Text extends Parser<String> {

  // Compiled on first use: most runs have no such text, and the start must not pay for it.
  private final @Nullable String form;

  /**
   * Any text, or one that matches a regular expression.
   *
   * @param form null for any
   */
  Text(@Nullable String form, String takes) {
    super(takes);
    this.form = form;
  }

  @Override
  @Nullable String parse(String text) {
    return form == null || text.matches(form) ? text : null;
  }
}
