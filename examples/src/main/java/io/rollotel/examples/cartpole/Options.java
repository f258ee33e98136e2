package io.rollotel.examples.cartpole;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The options of the command line.
 *
 * @param returns the file for each step's mean return
 * @param slow the slow worker
 */
record Options(
    int steps,
    long seed,
    int workers,
    int threads,
    @Nullable Path returns,
    @Nullable Slow slow,
    boolean help) {

  /**
   * A worker whose calls take longer.
   *
   * @param slowness the text of a {@link Slowness}
   */
  record Slow(int rank, String slowness) {}

  static final String USAGE =
      """
      Trains a cart-pole policy (REINFORCE): one driver JVM, several worker JVMs.

        --steps N       pipeline steps (default 100)
        --seed N        the same seed gives the same returns (default 17)
        --workers N     worker JVMs, 1 to 64 (default 3)
        --threads N     threads on which each worker plays, 1 to 64 (default 1: that of the call)
        --returns FILE  write each step's mean return, one a line
        --slow RANK=FACTOR
                        make each call of that worker take FACTOR times as long, by
                        sleeping at its end; the returns stay the same
        --slow RANK=gc|lock|cpu|io
                        make each call of that worker take about twice as long: by
                        garbage collections, waiting for a lock, computing, or
                        writing a file
        --help          this text

      System property worker.jvm.options: JVM options for the workers, separated by spaces,
      in double quotes where they have some.
      """;

  /** An option, with its quoted parts. */
  private static final Pattern JVM_OPTION = Pattern.compile("(?:\"[^\"]*\"|[^\\s\"])+");

  private static final Pattern SLOW = Pattern.compile("(\\d{1,9})=(" + Slowness.TEXT + ")");

  /** Parses the arguments of main; prints an error or the help and exits if necessary. */
  static Options ofMain(String[] arguments) {
    Options options;
    try {
      options = parse(List.of(arguments));
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage() + " (--help lists the options)");
      System.exit(2);
      throw e; // for the compiler
    }
    if (options.help()) {
      System.out.print(USAGE);
      System.exit(0);
    }
    return options;
  }

  /**
   * @throws IllegalArgumentException with a message for the user
   */
  static Options parse(List<String> arguments) {
    int steps = 100;
    long seed = 17;
    int workers = 3;
    int threads = 1;
    Path returns = null;
    Slow slow = null;
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
        case "--slow" -> slow = slow(option, rest);
        case "--help", "-h" -> help = true;
        default -> throw new IllegalArgumentException("unknown option " + option);
      }
    }
    if (slow != null && slow.rank >= workers) {
      throw new IllegalArgumentException(
          "--slow needs a rank from 0 to " + (workers - 1) + ", not " + slow.rank);
    }
    return new Options(steps, seed, workers, threads, returns, slow, help);
  }

  /** The text of the {@link Slowness} of the worker of that rank. */
  String slowness(int rank) {
    return slow != null && slow.rank == rank ? slow.slowness : Slowness.NONE;
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

  private static Slow slow(String option, Iterator<String> rest) {
    String value = value(option, rest);
    Matcher matcher = SLOW.matcher(value);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          option + " needs RANK=FACTOR, such as 1=1.5, or RANK=gc|lock|cpu|io, not " + value);
    }
    try {
      return new Slow(Integer.parseInt(matcher.group(1)), Slowness.checked(matcher.group(2)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(option + " needs " + e.getMessage(), e);
    }
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
