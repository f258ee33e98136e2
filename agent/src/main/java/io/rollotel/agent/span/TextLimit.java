package io.rollotel.agent.span;

/** How many characters of a captured text a span keeps. */
public final class TextLimit {

  private final int characters;

  TextLimit(int characters) {
    this.characters = characters;
  }

  /** The text, cut by characters, and never through a surrogate pair. */
  public String cut(String text) {
    if (text.length() <= characters) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(characters - 1)) ? characters - 1 : characters;
    return text.substring(0, end);
  }
}
