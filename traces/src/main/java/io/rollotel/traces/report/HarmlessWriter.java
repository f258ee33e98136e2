package io.rollotel.traces.report;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;

/**
 * What a command prints: names and values come from files and from the net, and none may steer the
 * terminal. In JSON, where such a character can only be part of a string, it stays the same string.
 */
public final class HarmlessWriter extends FilterWriter {

  private static final String KEPT = "\t\n" + System.lineSeparator();

  /** Passes on to another. */
  public HarmlessWriter(Writer out) {
    super(out);
  }

  @Override
  public void write(int c) throws IOException {
    write(String.valueOf((char) c));
  }

  @Override
  public void write(char[] text, int from, int length) throws IOException {
    write(new String(text, from, length));
  }

  @Override
  public void write(String text, int from, int length) throws IOException {
    out.write(PlainText.escaped(text.substring(from, from + length), KEPT));
  }
}
