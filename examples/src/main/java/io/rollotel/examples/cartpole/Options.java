package io.rollotel.examples.cartpole;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the command line asks for.
 *
 * @param returns the file for each step's mean return
 */
record Options(
    int steps, long seed, int workers, int threads, @Nullable Path returns, boolean help) {
  static final String USAGE =
      """
      Trains a cart-pole policy (REINFORCE): one driver JVM, several worker JVMs.

        --steps N       pipeline steps (default 100)
        --seed N        the same seed gives the same returns (default 17)
        --workers N     worker JVMs, 1 to 64 (default 3)
        --threads N     threads on which each worker plays, 1 to 64 (default 1: that of the call)
        --returns FILE  write each step's mean return, one a line
        --help          this text

      System property worker.jvm.options: JVM options for the workers, separated by spaces,
      in double quotes where they have some.
      """;

  /** An option, with its quoted parts. */
  private static final Pattern JVM_OPTION = Pattern.compile("(?:\"[^\"]*\"|[^\\s\"])+");

  /**
   * @throws IllegalArgumentException with a message for the user
   */
  static Options parse(List<String> arguments) {
    int steps = 100;
    long seed = 17;
    int workers = 3;
    int threads = 1;
    Path returns = null;
    boolean help = false;
    Iterator<String> rest = arguments.iterator();
    while (rest.hasNext()) {
      String option = rest.next();
      switch (option) {
        case "--steps" -> steps = (int) number(option, rest, 1, 1_000_000);
        case "--seed" -> seed = number(option, rest, Long.MIN_VALUE, Long.MAX_VALUE);
        case "--workers" -> workers = (int) number(option, rest, 1, 64);
        case "--threads" -> threads = (int) number(option, rest, 1, 64);
        case "--returns" -> returns = path(option, rest);
        case "--help", "-h" -> help = true;
        default -> throw new IllegalArgumentException("unknown option " + option);
      }
    }
    return new Options(steps, seed, workers, threads, returns, help);
  }

  /** The JVM options of the workers, from the system property {@code worker.jvm.options}. */
  static List<String> workerJvmOptions() {
    return JVM_OPTION
        .matcher(System.getProperty("worker.jvm.options", ""))
        .results()
        .map(MatchResult::group)
        .map(option -> option.replace("\"", ""))
        .toList();
  }

  private static long number(String option, Iterator<String> rest, long least, long most) {
    String value = value(option, rest);
    long number;
    try {
      number = Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(option + " needs a whole number, not " + value, e);
    }
    if (number < least || number > most) {
      throw new IllegalArgumentException(
          option + " needs a number from " + least + " to " + most + ", not " + value);
    }
    return number;
  }

  private static Path path(String option, Iterator<String> rest) {
    String value = value(option, rest);
    try {
      return Path.of(value);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(option + " needs a file, not " + value, e);
    }
  }

  private static String value(String option, Iterator<String> rest) {
    if (!rest.hasNext()) {
      throw new IllegalArgumentException(option + " needs a value");
    }
    return rest.next();
  }
}
