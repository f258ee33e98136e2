package io.rollotel.agent.span;

/** How many characters of a captured text a span keeps. */
public final class TextLimit {

  private final int characters;

  TextLimit(int characters) {
    this.characters = characters;
  }

  /** The text, cut by characters, and never through a surrogate pair. */
  public String cut(CharSequence text) {
    return cut(text, characters);
  }

  /** The same for this many characters. A longer text is not converted to a string as a whole. */
  static String cut(CharSequence text, int characters) {
    if (text.length() <= characters) {
      return text.toString();
    }
    int end =
        characters > 0 && Character.isHighSurrogate(text.charAt(characters - 1))
            ? characters - 1
            : characters;
    return text.subSequence(0, end).toString();
  }
}
