package io.rollotel.traces.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A command that has run in this process: its exit code and what it printed. */
record CommandRun(int code, String out, String err) {

  static CommandRun of(String... arguments) {
    return of(new Terminal(Map.of(), descriptor -> false, () -> ""), arguments);
  }

  static CommandRun of(Terminal terminal, String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    StringWriter err = new StringWriter();
    int code =
        Main.run(
            new StandardOutput(out, Path.of("")),
            new PrintWriter(err, true),
            terminal,
            List.of(),
            arguments);
    return new CommandRun(code, out.toString(Main.charset()), err.toString());
  }
}
