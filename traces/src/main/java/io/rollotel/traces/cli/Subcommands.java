package io.rollotel.traces.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Adds commands to the command line. Picocli reads all options of a command by reflection, which
 * takes a third of the time of a short command if it does so for each. So it gets a command whole
 * only if an argument names it. Of the others it gets what help and corrections need: the names and
 * descriptions.
 */
final class Subcommands {

  private Subcommands() {}

  /**
   * Adds commands to a command line.
   *
   * @param commands classes with {@link Command} and a constructor without parameters
   * @param arguments what the command line is going to parse
   */
  static void add(CommandLine line, List<Class<?>> commands, List<String> arguments) {
    for (Class<?> command : commands) {
      Command declared = command.getAnnotation(Command.class);
      if (needsOptions(declared.name(), arguments)) {
        line.addSubcommand(command);
      } else {
        CommandSpec spec = CommandSpec.create();
        spec.usageMessage().description(declared.description());
        line.addSubcommand(declared.name(), spec);
      }
    }
  }

  /**
   * A completion contains the options of all; picocli reads more arguments from an {@code @file}.
   */
  private static boolean needsOptions(String name, List<String> arguments) {
    return arguments.contains(name)
        || arguments.contains(Completion.NAME)
        || arguments.stream().anyMatch(argument -> argument.startsWith("@"));
  }
}
