package io.rollotel.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A program in a JVM of its own, that prints figures. */
final class Jvm {

  private Jvm() {}

  /**
   * Runs it to its end.
   *
   * @return the figures of its lines {@code name=number}
   */
  static Map<String, Double> run(
      Path work, List<String> options, String classPath, Class<?> program, Object... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-Xms1g", "-Xmx1g"));
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, program.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    Path out = work.resolve("out");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(work.resolve("err").toFile());
    builder.environment().keySet().removeIf(name -> name.matches("(ROLL_|OTEL_|JAVA_TOOL).*"));
    int status = builder.start().waitFor();
    if (status != 0) {
      throw new IOException(
          program.getName()
              + " ended with "
              + status
              + ": "
              + Files.readString(work.resolve("err")));
    }
    Map<String, Double> figures = new HashMap<>();
    for (String line : Files.readString(out, StandardCharsets.UTF_8).lines().toList()) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        figures.put(line.substring(0, equals), Double.valueOf(line.substring(equals + 1)));
      }
    }
    return figures;
  }
}
