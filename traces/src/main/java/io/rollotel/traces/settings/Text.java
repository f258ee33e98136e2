package io.rollotel.traces.settings;

import org.jspecify.annotations.Nullable;

/** A text that stays as it is. */
final class Text extends Parser<String> {

  // Compiled when there is a text to compare: most runs have none, and the start is not to pay.
  private final @Nullable String form;

  /**
   * Any text, or such as a regular expression matches.
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
