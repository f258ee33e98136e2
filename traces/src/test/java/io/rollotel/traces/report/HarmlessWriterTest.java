package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import org.junit.jupiter.api.Test;

class HarmlessWriterTest {

  @Test
  void failureOfThePrinterBelow_isKnownAbove() {
    PrintWriter below =
        new PrintWriter(
            new Writer() {
              @Override
              public void write(char[] text, int from, int length) throws IOException {
                throw new IOException("full");
              }

              @Override
              public void flush() {}

              @Override
              public void close() {}
            });
    PrintWriter above = new PrintWriter(new HarmlessWriter(below), true);
    assertThat(above.checkError()).isFalse();
    above.println("a line");
    assertThat(above.checkError()).isTrue();
  }
}
