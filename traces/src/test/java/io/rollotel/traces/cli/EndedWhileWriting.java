package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A program that ends while it writes a file, as at Ctrl-C. Its arguments: the file, its part. */
final class EndedWhileWriting {

  private EndedWhileWriting() {}

  public static void main(String... args) throws Exception {
    Main main =
        new Main(
            new StandardOutput(new ByteArrayOutputStream(), Path.of("")),
            new PrintWriter(System.err, true),
            new Terminal(Map.of(), descriptor -> false, () -> ""));
    Destination.ofNew(Path.of(args[0]), main)
        .write(
            out -> {
              out.write("begun".getBytes(UTF_8));
              System.exit(Files.exists(Path.of(args[1])) ? 130 : 1);
              return 1;
            });
  }
}
