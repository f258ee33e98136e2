package io.rollotel.traces.cli;

import io.rollotel.traces.file.ByteAmount;
import io.rollotel.traces.report.HarmlessWriter;
import io.rollotel.traces.report.ReportWriter;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The command line: its commands, exit codes and streams. */
@Command(
    name = "roll-otel",
    customSynopsis = "[-hV] COMMAND",
    description = "Shows what traced runs have recorded, and controls tracing.",
    footer = {
      "",
      "To trace a program, set ROLL_OTEL_ENABLED=1 and start its JVMs with"
          + " -javaagent:roll-otel-agent.jar. Then call report in its working directory."
    },
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
public final class Main implements Runnable {

  /** How the command line is called. */
  public static final String JAVA_JAR = "java -jar roll-otel-agent.jar";

  /** The exit code if nothing was found or the command failed; picocli uses 0 and 2. */
  public static final int FAILED = 1;

  /** Where a run leaves its files by default, in words. */
  public static final String DEFAULT_DIR = "ROLL_OTEL_OUTPUT_DIR, or ./output/otlp";

  private static final String OUTPUT_DIR = "ROLL_OTEL_OUTPUT_DIR";

  private static final String DEFAULT_PLACE = "output/otlp";

  private static final String LIKELY_REASON =
      " Was the program started in this directory, with -javaagent:roll-otel-agent.jar and"
          + " ROLL_OTEL_ENABLED=1? If its output went elsewhere, name that directory. If it sets an"
          + " OpenTelemetry SDK of its own, its spans are where that SDK sends them.";

  static final List<Class<?>> COMMANDS =
      List.of(
          Report.class,
          Collect.class,
          Env.class,
          Validate.class,
          Merge.class,
          Replay.class,
          Clean.class,
          ExportCommand.class,
          Completion.class);

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Option(
      names = "--width",
      paramLabel = "N",
      scope = CommandLine.ScopeType.INHERIT,
      converter = Width.class,
      description =
          "The width of help and reports, 60 to 1000; default: auto, the width of the terminal"
              + " or COLUMNS, else 100")
  private int columns;

  private final Terminal terminal;

  private final StandardOutput bytes;

  // The streams before control characters are escaped.
  private final PrintWriter out;
  private final PrintWriter err;

  Main(StandardOutput bytes, PrintWriter err, Terminal terminal) {
    this.bytes = bytes;
    this.out = new PrintWriter(new OutputStreamWriter(bytes, charset()), true);
    this.err = err;
    this.terminal = terminal;
  }

  /** The maximum width of a line; 0 for the terminal's width. */
  private static final class Width implements CommandLine.ITypeConverter<Integer> {

    @Override
    public Integer convert(String value) {
      if (value.equals("auto")) {
        return 0;
      }
      int columns = value.matches("\\d{1,4}") ? Integer.parseInt(value) : 0;
      if (columns < Terminal.LEAST_COLUMNS || columns > Terminal.MOST_COLUMNS) {
        throw new CommandLine.TypeConversionException("it takes auto, or a number from 60 to 1000");
      }
      return columns;
    }
  }

  /** Runs a command and exits with its code. */
  public static void main(String... args) {
    System.exit(run(List.of(), args));
  }

  /**
   * Runs a command; prints to {@code System.out}, and errors to {@code System.err}.
   *
   * @return 0; 1 if nothing was found or reading failed; 2 for wrong usage
   */
  public static int run(String... args) {
    StandardOutput out = new StandardOutput(System.out, Path.of("")); // it does not fail
    return run(out, errorsOfThisProcess(), Terminal.ofThisProcess(), List.of(), args);
  }

  /**
   * {@link #run(String...)} with further commands, from other modules. Prints to the output of the
   * process; fails if that cannot be written, unless its reader has closed a pipe.
   *
   * @param further classes of picocli commands, which have a constructor without parameters
   */
  public static int run(List<Class<?>> further, String... args) {
    StandardOutput out = StandardOutput.ofThisProcess();
    return run(out, errorsOfThisProcess(), Terminal.ofThisProcess(), further, args);
  }

  static int run(
      StandardOutput to,
      PrintWriter err,
      Terminal terminal,
      List<Class<?>> further,
      String... args) {
    Main main = new Main(to, err, terminal);
    int code = main.command(further, args);
    main.out.flush();
    String complaint = to.complaint();
    if (complaint == null) {
      return code;
    }
    err.println(complaint);
    return code == 0 ? FAILED : code;
  }

  private int command(List<Class<?>> further, String... args) {
    CommandLine line = new CommandLine(this);
    Subcommands.add(line, COMMANDS, List.of(args));
    Subcommands.add(line, further, List.of(args));
    Usage.shape(line);
    line.registerConverter(String.class, Usage::text);
    line.registerConverter(Path.class, Usage::path);
    line.registerConverter(URI.class, Usage::url);
    // Without colours: escape characters are escaped.
    line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
        .setOut(harmless(out))
        .setErr(harmless(err))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExpandAtFiles(false) // a name may begin with it
        .setExecutionStrategy(this::execute)
        .setExecutionExceptionHandler(this::failed);
    try {
      return line.execute(args);
    } catch (OutOfMemoryError e) {
      line.getErr().println(tooLittleMemory(e));
      line.getErr().flush();
      return FAILED;
    }
  }

  /** A larger heap gives the system no more threads, and the JVM no more room for classes. */
  static String tooLittleMemory(OutOfMemoryError e) {
    String what = String.valueOf(e.getMessage());
    return what.contains("thread") || (what.contains("space") && !what.contains("heap"))
        ? "Not enough memory: " + what + "."
        : tooLittleMemory(3 * Runtime.getRuntime().maxMemory() / 2, "");
  }

  /**
   * What to do about a heap that is too small.
   *
   * @param neededBytes the heap that is probably needed
   * @param orElse what the user can do instead, as the end of a sentence
   */
  static String tooLittleMemory(long neededBytes, String orElse) {
    return String.format(
        Locale.ROOT,
        "Not enough memory: the heap is %s. Start it with java -Xmx%dg%s.",
        ByteAmount.text(Runtime.getRuntime().maxMemory()),
        1 + neededBytes / (1 << 30),
        orElse);
  }

  /** Without a command there is nothing to do. */
  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Give a command: " + String.join(", ", Usage.names(spec)) + ".");
  }

  /** The width is needed only if help is printed, and takes time to determine. */
  private int execute(ParseResult parsed) {
    ParseResult called = parsed;
    while (called.hasSubcommand() && !called.isUsageHelpRequested()) {
      called = called.subcommand();
    }
    if (called.isUsageHelpRequested()) {
      spec.commandLine().setUsageHelpWidth(columns());
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  /** The command line that a command belongs to. */
  static Main of(CommandSpec command) {
    return (Main) command.root().userObject();
  }

  /**
   * The directory of a run: the one that was given, else as the agent has it.
   *
   * @throws IOException if the environment names one that this JVM cannot open
   */
  public static Path outputDir(CommandSpec command, @Nullable Path given) throws IOException {
    if (given != null) {
      return given;
    }
    String set = of(command).terminal.variable(OUTPUT_DIR);
    try {
      return set == null ? Path.of(".", DEFAULT_PLACE) : Usage.path(set);
    } catch (CommandLine.TypeConversionException e) {
      throw new IOException(OUTPUT_DIR + ": " + e.getMessage() + ".", e);
    }
  }

  /**
   * Checks that a command can read a directory.
   *
   * @throws IOException that says what is wrong: nothing is there, a file, or no permission
   */
  public static void checkDirectory(Path dir) throws IOException {
    if (!Files.isDirectory(dir)) {
      throw Files.exists(dir)
          ? new NotDirectoryException(dir.toString())
          : new NoSuchFileException(dir.toString());
    }
    if (!Files.isReadable(dir)) {
      throw new AccessDeniedException(dir.toString());
    }
  }

  private int columns() {
    return columns == 0 ? terminal.columns() : columns;
  }

  /** The output for a report, which shows colours if they are wanted. */
  ReportWriter output(Colouring colouring) {
    boolean isColoured =
        colouring == Colouring.ALWAYS || (colouring == Colouring.AUTO && terminal.wantsColours());
    return new ReportWriter(spec.commandLine().getOut(), columns(), isColoured ? out : null);
  }

  /** The error stream for messages of a report. */
  ReportWriter errors() {
    return new ReportWriter(spec.commandLine().getErr(), columns(), null);
  }

  /** The output, with control characters escaped. */
  PrintWriter lines() {
    return spec.commandLine().getOut();
  }

  /** The output for JSON, which is UTF-8 whatever the terminal takes. */
  PrintWriter json() {
    return harmless(new PrintWriter(new OutputStreamWriter(bytes, StandardCharsets.UTF_8), true));
  }

  /** The output for bytes that are no text for the user. */
  OutputStream bytes() {
    return bytes;
  }

  /** The error stream, with control characters escaped. */
  PrintWriter errorLines() {
    return spec.commandLine().getErr();
  }

  /** Shows the user the progress of work that begins now. */
  Progress progress(Progress.Unit unit) {
    return new Progress(unit, err, terminal.isErrors());
  }

  private static PrintWriter harmless(PrintWriter to) {
    return new PrintWriter(new HarmlessWriter(to), true);
  }

  private int failed(Exception failure, CommandLine command, ParseResult parsed) throws Exception {
    if (bytes.isFailure(failure)) {
      return 0; // unless its complaint is printed, at the end
    }
    if (failure instanceof IOException unreadable) {
      command.getErr().println(reason(unreadable));
      command.getErr().flush();
      return FAILED;
    }
    throw failure; // a bug in roll-otel: with its stack trace
  }

  private String reason(IOException failure) {
    if (failure instanceof NoSuchFileException) {
      String place = String.valueOf(failure.getMessage());
      String set = terminal.variable(OUTPUT_DIR);
      boolean isSet = set != null && place.equals(new File(set).getPath()); // no slash at its end
      return "There is no file or directory "
          + place
          + (isSet ? ", which " + OUTPUT_DIR + " names." : ".")
          + (isSet || place.endsWith(DEFAULT_PLACE) ? LIKELY_REASON : "");
    }
    if (failure instanceof NotDirectoryException) {
      return failure.getMessage() + " is not a directory.";
    }
    if (failure instanceof AccessDeniedException) {
      return "No permission to read " + failure.getMessage() + ".";
    }
    String message = failure.getMessage();
    // Our own are sentences as well; those of the JDK need the name of their class.
    boolean isOurs = failure.getClass().getClassLoader() != null;
    return (isOurs || failure.getClass() == IOException.class) && message != null
        ? message
        : "Cannot be read: " + failure;
  }

  private static PrintWriter errorsOfThisProcess() {
    return new PrintWriter(new OutputStreamWriter(System.err, charset()), true);
  }

  /** The terminal's character set; UTF-8 where that lacks µ or ±. */
  static Charset charset() {
    String name = System.getProperty("stdout.encoding", System.getProperty("sun.stdout.encoding"));
    Charset charset =
        name != null && Charset.isSupported(name)
            ? Charset.forName(name)
            : Charset.defaultCharset();
    return charset.canEncode() && charset.newEncoder().canEncode("µ±")
        ? charset
        : StandardCharsets.UTF_8;
  }
}
