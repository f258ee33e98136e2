package io.rollotel.parquet;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.cli.Main;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.Arrays;

/** A command that has run in this process: its exit code and what it printed. */
record Command(int code, String out, String err) {

  /** The arguments as text. */
  static Command of(Object... arguments) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    ByteArrayOutputStream complained = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, UTF_8));
    System.setErr(new PrintStream(complained, true, UTF_8));
    try {
      int code = Main.run(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
      return new Command(code, printed.toString(UTF_8), complained.toString(UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }
}
