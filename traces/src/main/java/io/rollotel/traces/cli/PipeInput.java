package io.rollotel.traces.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Input that can be read only once: a pipe or a device. */
final class PipeInput {

  private PipeInput() {}

  /** Whether it is one; false for a file, a directory, or nothing. */
  static boolean isOne(Path input) {
    return Files.exists(input) && !Files.isRegularFile(input) && !Files.isDirectory(input);
  }

  /**
   * Refuses it.
   *
   * @param reader what reads it twice, as the subject of a sentence
   * @param orElse the end of the sentence, with what the user can do besides writing it to a file
   * @throws ParameterException if it is one
   */
  static void refuse(CommandLine command, Path input, String reader, String orElse) {
    if (isOne(input)) {
      throw new ParameterException(
          command,
          input
              + " is a pipe or a device, and "
              + reader
              + " reads its input twice: write it to a file first"
              + orElse
              + ".");
    }
  }
}
