package io.rollotel.traces.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Adds commands to the command line. Picocli reads the options of a command by reflection. Reading
 * those of all commands would take a third of the time of {@code --help}. So it reads the options
 * of a command only if an argument names the command. For the others, it knows only the names and
 * descriptions, which help and corrections need.
 */
final class Subcommands {

  private Subcommands() {}

  /**
   * Adds commands to a command line.
   *
   * @param commands classes with {@link Command} and a constructor without parameters
   * @param arguments the arguments to parse
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

  /** A completion script contains the options of all. */
  private static boolean needsOptions(String name, List<String> arguments) {
    return arguments.contains(name) || arguments.contains(Completion.NAME);
  }
}
