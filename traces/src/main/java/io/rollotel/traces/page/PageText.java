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

  /** Most of a page is base64, which needs no escape: runs of it are passed on whole. */
  private static boolean isPlain(char c) {
    return c < 0x80 && c != '<' && c != '>' && c != '&';
  }

  @Override
  public void write(char[] chars, int from, int length) throws IOException {
    int end = from + length;
    int run = from;
    for (int i = from; i < end; i++) {
      if (!isPlain(chars[i])) {
        passOn(chars, run, i);
        write(chars[i]);
        run = i + 1;
      }
    }
    passOn(chars, run, end);
  }

  private void passOn(char[] chars, int from, int end) throws IOException {
    out.write(chars, from, end - from);
    written += end - from;
  }

  @Override
  public void write(String text, int from, int length) throws IOException {
    write(text.substring(from, from + length).toCharArray(), 0, length);
  }
}
