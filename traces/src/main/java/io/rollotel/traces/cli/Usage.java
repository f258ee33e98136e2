package io.rollotel.traces.cli;

import io.rollotel.traces.file.FileNames;
import io.rollotel.traces.settings.NearestName;
import java.io.File;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The usage of commands: the first lines of the help, and the answer to a wrong call. */
final class Usage {

  private static final Pattern CHOICE =
      Pattern.compile("expected one of \\[(.*)] \\(case-insensitive\\) but was ");

  private static final String EXIT_CODES = "Exit codes: 0 success; 1 it failed; 2 wrong usage.";

  private static final String FIRST = "Usage: ";
  private static final String OTHER = "  or:  ";
  private static final String INDENT = " ".repeat(FIRST.length() + 2);

  private Usage() {}

  /** Shapes the help of all commands, and the answers to wrong calls. */
  static void shape(CommandLine root) {
    Map<String, IHelpSectionRenderer> sections = new HashMap<>(root.getHelpSectionMap());
    sections.put(UsageMessageSpec.SECTION_KEY_SYNOPSIS_HEADING, help -> "");
    sections.put(UsageMessageSpec.SECTION_KEY_SYNOPSIS, Usage::synopsis);
    root.setHelpSectionMap(sections);
    root.setParameterExceptionHandler((wrong, arguments) -> refused(wrong));
    for (CommandLine command : root.getSubcommands().values()) {
      addExitCodes(command.getCommandSpec().usageMessage());
    }
  }

  private static void addExitCodes(UsageMessageSpec usage) {
    List<String> footer = new ArrayList<>(List.of(usage.footer()));
    String message = String.join(" ", usage.description()) + String.join(" ", footer);
    if (!message.contains("xit code")) {
      footer.addAll(List.of("", EXIT_CODES));
      usage.footer(footer.toArray(new String[0]));
    }
  }

  /** Each way to call a command, in lines no wider than the help. */
  private static String synopsis(Help help) {
    UsageMessageSpec usage = help.commandSpec().usageMessage();
    StringBuilder text = new StringBuilder();
    for (String way : usage.customSynopsis()) {
      StringBuilder line = new StringBuilder(text.isEmpty() ? FIRST : OTHER).append(Main.JAVA_JAR);
      for (String part : parts(way, usage.width() - INDENT.length())) {
        if (line.length() + 1 + part.length() > usage.width()) {
          text.append(line).append(System.lineSeparator());
          line = new StringBuilder(INDENT.substring(1));
        }
        line.append(' ').append(part);
      }
      text.append(line).append(System.lineSeparator());
    }
    return text.toString();
  }

  /** The words of a synopsis; text in brackets stays together if a line has room for it. */
  private static List<String> parts(String way, int width) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int from = 0;
    for (int i = 0; i <= way.length(); i++) {
      char c = i < way.length() ? way.charAt(i) : ' ';
      depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
      if (c == ' ' && (depth == 0 || i == way.length())) {
        String part = way.substring(from, i);
        parts.addAll(part.length() <= width ? List.of(part) : List.of(part.split(" ", -1)));
        from = i + 1;
      }
    }
    return parts;
  }

  /** Prints one line with the error, and another with where to read more. */
  private static int refused(ParameterException wrong) {
    CommandSpec command = wrong.getCommandLine().getCommandSpec();
    PrintWriter err = wrong.getCommandLine().getErr();
    err.println(reason(wrong, command));
    err.println("Try '" + Main.JAVA_JAR + path(command) + " --help'.");
    err.flush();
    return command.exitCodeOnInvalidInput();
  }

  private static String reason(ParameterException wrong, CommandSpec command) {
    String message = String.valueOf(wrong.getMessage()).strip();
    if (wrong instanceof UnmatchedArgumentException unmatched
        && !unmatched.getUnmatched().isEmpty()) {
      String first = unmatched.getUnmatched().get(0);
      boolean isOption = unmatched.isUnknownOption();
      String nearest =
          isOption ? nearestOption(first, command) : NearestName.closeTo(first, names(command));
      if (!isOption && !command.subcommands().isEmpty()) {
        message = "There is no command " + first + ".";
      } else if (!isOption) {
        message = unmatched(first, command, message);
      }
      message += nearest == null ? "" : (isOption ? ". " : " ") + "Did you mean " + nearest + "?";
    }
    return inOurWords(message.replaceFirst("^Error: ", "").replaceAll("\\s*\\R\\s*", "; "));
  }

  /** The library does not say that it has not taken one of several values, and why. */
  private static String unmatched(String argument, CommandSpec command, String message) {
    for (PositionalParamSpec parameter : command.positionalParameters()) {
      if (parameter.arity().max() > 1 && parameter.auxiliaryTypes()[0] == Path.class) {
        try {
          path(argument);
        } catch (TypeConversionException e) {
          return "Invalid value for " + parameter.paramLabel() + ": " + e.getMessage();
        }
      }
    }
    return message;
  }

  /** Without the types of Java in which the library gives its reasons. */
  private static String inOurWords(String reason) {
    String message =
        reason
            .replaceFirst(
                "^Unmatched argument(s?) (?:at|from) index \\d+:", "Unexpected argument$1:")
            .replaceFirst("positional parameter at index \\S+ \\((.*?)\\)", "$1")
            .replaceFirst("('-?\\d{10,}') is not an? (?:int|long)$", "$1 is out of range")
            .replaceFirst("' is not an? (int|long)$", "' is not a whole number")
            .replaceFirst("' is not a double$", "' is not a number")
            .replaceFirst("cannot convert '(.*)' to InetAddress .*", "there is no host $1")
            .replaceFirst(
                "^Value for option option '(\\S+)' \\((.*)\\) should be in KEY=VALUE format but was",
                "Option '$1' takes $2, not");
    Matcher choice = CHOICE.matcher(message);
    return choice.find()
        ? choice.replaceFirst("expected " + choice.group(1).toLowerCase(Locale.ROOT) + ", not ")
        : message;
  }

  private static @Nullable String nearestOption(String argument, CommandSpec command) {
    String name = argument.replaceFirst("=.*", "").replaceFirst("^--?", "");
    List<String> known =
        command.options().stream()
            .map(OptionSpec::longestName)
            .filter(option -> option.startsWith("--"))
            .map(option -> option.substring(2))
            .toList();
    String nearest = name.isEmpty() ? null : NearestName.closeTo(name, known);
    return nearest == null ? null : "--" + nearest;
  }

  /** An empty one is a variable of the shell that is not set. */
  static String text(String given) {
    if (given.isEmpty()) {
      throw new TypeConversionException("it is empty: give a value");
    }
    return given;
  }

  /** An empty one would be this directory. */
  static Path path(String given) {
    if (given.isEmpty()) {
      throw new TypeConversionException("it is empty: name a file or a directory");
    }
    String refusal = FileNames.refusal(new File(given)); // also of the working directory
    if (refusal != null) {
      throw new TypeConversionException(refusal);
    }
    try {
      return Path.of(given);
    } catch (InvalidPathException e) {
      throw new TypeConversionException("it cannot be the name of a file: " + e.getReason());
    }
  }

  /** A file to write: {@link Path} would drop the slash of a directory. */
  static final class NewFile implements ITypeConverter<Path> {
    @Override
    public Path convert(String given) {
      if (given.endsWith("/") || given.endsWith(File.separator)) {
        throw new TypeConversionException(given + " is a directory: name a file in it");
      }
      return path(given);
    }
  }

  static URI url(String given) {
    try {
      return new URI(given);
    } catch (URISyntaxException e) {
      throw new TypeConversionException("it takes a URL, such as http://localhost:4318");
    }
  }

  /** The names of its commands. */
  static List<String> names(CommandSpec command) {
    return List.copyOf(command.subcommands().keySet());
  }

  private static String path(CommandSpec command) {
    return command.parent() == null ? "" : path(command.parent()) + " " + command.name();
  }
}
