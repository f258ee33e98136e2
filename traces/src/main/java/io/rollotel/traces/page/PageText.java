package io.rollotel.traces.page;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;

/**
 * Writes JSON that is safe within a script element: characters that could end it, or begin a
 * comment, are escaped. Outside of strings, JSON has none of these. Counts the written characters.
 */
final class PageText extends FilterWriter {

  private long written;

  PageText(Writer out) {
    super(out);
  }

  /** How many characters were written; non-ASCII characters count as three. */
  long written() {
    return written;
  }

  @Override
  public void write(int c) throws IOException {
    switch (c) {
      case '<' -> escape("\\u003c");
      case '>' -> escape("\\u003e");
      case '&' -> escape("\\u0026");
      case '\u2028' -> escape("\\u2028");
      case '\u2029' -> escape("\\u2029");
      default -> {
        out.write(c);
        written += c < 0x80 ? 1 : 3;
      }
    }
  }

  private void escape(String escaped) throws IOException {
    out.write(escaped);
    written += escaped.length();
  }

  @Override
  public void write(char[] chars, int from, int length) throws IOException {
    for (int i = from; i < from + length; i++) {
      write(chars[i]);
    }
  }

  @Override
  public void write(String text, int from, int length) throws IOException {
    for (int i = from; i < from + length; i++) {
      write(text.charAt(i));
    }
  }
}
