package io.rollotel.traces.report;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;

/**
 * The output of a command: names and values come from files and from the network, and must not
 * control the terminal. In JSON, where such a character can occur only within a string, the string
 * keeps its value.
 */
public final class HarmlessWriter extends FilterWriter {

  private static final String KEPT = "\t\n" + System.lineSeparator();

  /** Writes to another writer. */
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

  /** Also says what a {@link PrintWriter} keeps to itself: that it could not write. */
  @Override
  public void flush() throws IOException {
    super.flush();
    if (out instanceof PrintWriter printer && printer.checkError()) {
      throw new IOException("the output cannot be written");
    }
  }
}
