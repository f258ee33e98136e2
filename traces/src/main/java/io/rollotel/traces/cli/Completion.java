package io.rollotel.traces.cli;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code completion}: a script with which a shell completes commands and options. */
@Command(
    name = Completion.NAME,
    customSynopsis = "completion [-hV] [--name=NAME] SHELL",
    description = {
      "Prints a shell script that completes commands, options and their values.",
      "The script completes a command of yours, such as an alias, for " + Main.JAVA_JAR + "."
    },
    footer = {
      "",
      "bash, in ~/.bashrc (zsh: completion zsh, in ~/.zshrc):",
      "  alias roll-otel='" + Completion.EXAMPLE + "'",
      "  . ~/.roll-otel-completion",
      "and once:",
      "  " + Completion.EXAMPLE + " completion bash > ~/.roll-otel-completion",
      "",
      "fish, once:",
      "  function roll-otel; " + Completion.EXAMPLE + " $argv; end; funcsave roll-otel",
      "  roll-otel completion fish > ~/.config/fish/completions/roll-otel.fish"
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Completion implements Callable<Integer> {

  static final String NAME = "completion";
  static final String EXAMPLE = "java -jar /opt/roll-otel-agent.jar";

  /** The shell. */
  enum Shell {
    BASH,
    /** Uses bash's script, and prepares zsh for it. */
    ZSH,
    FISH;

    /** As the user writes it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish")
  private Shell shell = Shell.BASH;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = "roll-otel",
      description = "The name of the command to complete; default: ${DEFAULT-VALUE}")
  private String name = "";

  // Made by picocli.
  Completion() {}

  @Override
  public Integer call() {
    if (!name.matches("[A-Za-z][A-Za-z0-9._-]*")) {
      throw new ParameterException(
          spec.commandLine(), "--name takes letters, digits, dots, dashes and underscores.");
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(
        shell == Shell.FISH
            ? FishCompletion.script(name, spec.root())
            : AutoComplete.bash(name, spec.root().commandLine()));
    out.flush();
    return 0;
  }
}
