package io.rollotel.traces.settings;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One of some words, in upper or lower case. The first word of a value is the one shown. */
final class Words<T> extends Parser<T> {

  private final List<String> words;
  private final List<T> values;

  /**
   * Words, and their values.
   *
   * @param values as many as words
   */
  Words(List<String> words, List<T> values, String takes) {
    super(takes);
    this.words = words;
    this.values = values;
  }

  @Override
  @Nullable T parse(String text) {
    for (int i = 0; i < words.size(); i++) {
      if (words.get(i).equalsIgnoreCase(text)) {
        return values.get(i);
      }
    }
    return null;
  }

  @Override
  String shown(T value) {
    return words.get(values.indexOf(value));
  }
}
