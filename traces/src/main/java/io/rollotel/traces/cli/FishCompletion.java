package io.rollotel.traces.cli;

import static java.util.stream.Collectors.joining;
import static java.util.stream.StreamSupport.stream;

import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The completions of commands and their options for fish, which picocli does not know. */
final class FishCompletion {

  private final String complete;
  private final StringBuilder script = new StringBuilder();

  private FishCompletion(String name) {
    this.complete = "complete -c " + name;
  }

  /** The script for the command with that name. */
  static String script(String name, CommandSpec root) {
    FishCompletion completion = new FishCompletion(name);
    // Offers files only where a file is expected.
    completion.line("-f");
    completion.options("__fish_use_subcommand", root);
    root.subcommands().values().stream()
        .map(CommandLine::getCommandSpec)
        .forEach(completion::command);
    return completion.script.toString();
  }

  private void command(CommandSpec command) {
    line(
        "-n __fish_use_subcommand -a "
            + command.name()
            + described(command.usageMessage().description()));
    String isCalled = quoted("__fish_seen_subcommand_from " + command.name());
    options(isCalled, command);
    for (PositionalParamSpec parameter : command.positionalParameters()) {
      line("-n " + isCalled + values(parameter));
    }
  }

  private void options(String condition, CommandSpec command) {
    for (OptionSpec option : command.options()) {
      String names =
          Arrays.stream(option.names())
              .map(
                  name ->
                      name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.charAt(1))
              .collect(joining());
      line(
          "-n "
              + condition
              + names
              + (option.arity().max() > 0 ? " -r" + values(option) : "")
              + described(option.description()));
    }
  }

  /** The values that fish offers. */
  private static String values(ArgSpec argument) {
    @Nullable Iterable<String> candidates = argument.completionCandidates();
    if (candidates != null) {
      return " -a " + quoted(stream(candidates.spliterator(), false).collect(joining(" ")));
    }
    boolean isFile = argument.auxiliaryTypes()[0] == Path.class;
    return isFile ? " -F" : "";
  }

  /** Uses the first part of a sentence, because fish's list has no room for more. */
  private static String described(String[] description) {
    return description.length == 0
        ? ""
        : " -d " + quoted(description[0].replaceFirst("[;:.] .*|[.]$", ""));
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }

  private void line(String arguments) {
    script.append(complete).append(' ').append(arguments).append('\n');
  }
}
