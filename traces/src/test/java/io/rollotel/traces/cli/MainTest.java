package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.rollotel.traces.collector.CollectorTable;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.PlantedRecording;
import io.rollotel.traces.kit.Requests;
import io.rollotel.traces.settings.Setting;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;

class MainTest {

  @TempDir Path dir;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --help                 | 0 | Usage: java -jar roll-otel-agent.jar [-hV] COMMAND
          -h                     | 0 | Shows where the time of a run went, its critical path
          report --help          | 0 | Usage: java -jar roll-otel-agent.jar report [-hV] [--run=ID] [--json]
          export --help          | 0 | Usage: java -jar roll-otel-agent.jar export [-hV] (--csv=FILE | --jaeger=FILE | --perfetto=FILE)
          export --help          | 0 |   or:  java -jar roll-otel-agent.jar export (--collapsed=FILE |
          report --help          | 0 | default: ROLL_OTEL_OUTPUT_DIR,
          --version              | 0 | roll-otel 0.
          report --version       | 0 | roll-otel 0.
          """)
  void help_goesToTheOutput(String args, int code, String text) {
    CommandRun result = CommandRun.of(args.split(" "));
    assertThat(result.code()).isEqualTo(code);
    assertThat(result.out()).contains(text).doesNotContain("\u001b").doesNotContain("${");
    assertThat(result.err()).isEmpty();
  }

  static Stream<String> commands() {
    return Main.COMMANDS.stream().map(command -> command.getAnnotation(Command.class).name());
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyOption_isInADocument(String command) throws IOException {
    StringBuilder documents = new StringBuilder();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("../docs"), "*.md")) {
      for (Path file : files) {
        documents.append(Files.readString(file));
      }
    }
    String help = CommandRun.of(command, "--help").out();
    assertThat(Pattern.compile("--[a-z]+(-[a-z]+)*").matcher(help).results())
        .isNotEmpty()
        .allSatisfy(option -> assertThat(documents).containsPattern(option.group() + "(?![a-z-])"));
  }

  @Test
  void helpOfCollect_namesTheCollectorsSettings() {
    String help = CommandRun.of("collect", "--help").out();
    assertThat(CollectorTable.entries())
        .filteredOn(setting -> setting.readers().contains(Setting.Reader.COLLECTOR))
        .allMatch(setting -> help.contains("_" + setting.name()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                     | 2 | Give a command:
          reportt                | 2 | There is no command reportt. Did you mean report?
          complete               | 2 | There is no command complete. Did you mean completion?
          xyzzy                  | 2 | There is no command xyzzy.
          report --rum=1         | 2 | Unknown option: '--rum=1'. Did you mean --run?
          report --colour never  | 2 | Did you mean --color?
          report --jsno          | 2 | Did you mean --json?
          report --fail          | 2 | Did you mean --fail-on?
          report -x              | 2 | Unknown option: '-x'
          report --xyzzy         | 2 | Unknown option: '--xyzzy'
          report --color=red     | 2 | '--color'
          report --width=59      | 2 | it takes auto, or a number from 60 to 1000
          report --width=wide    | 2 | it takes auto, or a number from 60 to 1000
          completion tcsh        | 2 | 'SHELL'
          env a b                | 2 | Unexpected argument: 'b'
          env a b c              | 2 | Unexpected arguments: 'b', 'c'
          completion tcsh        | 2 | Invalid value for SHELL: expected bash, zsh, fish, not
          report --run           | 2 | Missing required parameter for option '--run' (ID)
          report a --fail-on-regression=5 | 2 | --fail-on-regression needs --against.
          report a --against=b --fail-on=steps | 2 | --fail-on needs --fail-on-regression.
          report a --trace=1 --json | 2 | --trace goes with neither --json nor --against.
          report a --json-schema | 2 | --json-schema cannot be combined with other options.
          report --json --json-schema | 2 | --json-schema cannot be combined with other options.
          export a --raw-cells --jaeger=b | 2 | --raw-cells goes with --csv alone
          export a               | 2 | Missing required argument (specify one of these)
          export a --csv=b --jaeger=c | 2 | are mutually exclusive
          report no/such/place   | 1 | There is no file or directory no/such/place.
          report no/output/otlp  | 1 | There is no file or directory no/output/otlp. Was the program started in this
          collect --http=5 --grpc=5 | 2 | --http and --grpc need different ports.
          collect --rotate-lines=-3 | 2 | --rotate-lines takes a number of lines, or 0 for any number.
          report a --against=b --fail-on-regression=NaN | 2 | --fail-on-regression takes a percentage from 0
          report a --against=b --fail-on-regression=-5 | 2 | --fail-on-regression takes a percentage from 0
          report a --against=b --fail-on-regression=x | 2 | is not a number
          report --html=         | 2 | it is empty: name a file or a directory
          export a --csv=        | 2 | it is empty: name a file or a directory
          merge a --output=      | 2 | it is empty: name a file or a directory
          collect --dir=         | 2 | it is empty: name a file or a directory
          report @pom.xml        | 1 | There is no file or directory @pom.xml.
          report --html=d/       | 2 | option '--html': d/ is a directory: name a file in it
          export a --csv=d/      | 2 | option '--csv': d/ is a directory: name a file in it
          merge a -o d/          | 2 | option '--output': d/ is a directory: name a file in it
          report a --trace=      | 2 | option '--trace': it is empty: give a value
          report a --run=        | 2 | option '--run': it is empty: give a value
          report a --against=    | 2 | option '--against': it is empty: give a value
          report a --step=       | 2 | option '--step': it is empty: give a value
          collect --http=70000   | 2 | --http takes a port from 0 to 65535.
          collect --grpc=x       | 2 | --grpc takes a port from 0 to 65535, or none.
          collect --http=x       | 2 | option '--http': 'x' is not a whole number
          replay a --rate=99999999999999999999 | 2 | option '--rate': '99999999999999999999' is out of range
          replay a --endpoint=http://h:99999 | 2 | --endpoint takes a host, and a port up to 65535, such as
          replay a --endpoint=http:///x | 2 | --endpoint takes a host, and a port up to 65535, such as
          replay pom.xml --endpoint=http://h:1 --header=Host=x | 2 | The header Host cannot be sent: look at its name.
          replay pom.xml --endpoint=http://h:1 --header=a:b=c | 2 | The header a:b cannot be sent: look at its name.
          env pom.xml            | 1 | pom.xml is not a directory.
          env no/such/place      | 1 | no/such/place, which does not exist. A run is active from
          collect --http=0 --grpc=0 --dir=target/no --tls-cert=. --tls-key=. | 1 | cannot start: . cannot be read: Is a directory
          replay a --endpoint=ht!tp: | 2 | it takes a URL, such as http://localhost:4318
          replay a --endpoint=http://localhost:4318 --rate=0 | 2 | --rate takes a number of spans per second from 1.
          """)
  void wrongUsage_isSaidInTwoLines(String args, int code, String text) {
    CommandRun result = CommandRun.of(args.isEmpty() ? new String[0] : args.split(" "));
    assertThat(result.code()).isEqualTo(code);
    assertThat(result.err()).contains(text).doesNotContain("\tat ", "Error: ");
    assertThat(result.out()).isEmpty();
    if (code == 2) {
      String command =
          args.matches("(report|export|env|collect|completion|merge|replay)( .*)?")
              ? args.split(" ")[0] + " "
              : "";
      assertThat(result.err().lines())
          .hasSize(2)
          .last()
          .isEqualTo("Try 'java -jar roll-otel-agent.jar " + command + "--help'.");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"report", "validate", "merge --output=-", "env", "clean --keep-runs=1"})
  void directoryThatMayNotBeRead_isNotTakenForAnEmptyOne(String command) throws Exception {
    Files.setPosixFilePermissions(dir, Set.of());
    try {
      assumeFalse(Files.isReadable(dir), "root reads everything");
      CommandRun result = CommandRun.of((command + " " + dir).split(" "));
      assertThat(result.code()).isEqualTo(1);
      assertThat(result.err()).isEqualToIgnoringNewLines("No permission to read " + dir + ".");
    } finally {
      Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwx------"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"report", "report --cache=CACHE", "merge --output=-"})
  void folderThatMayNotBeRead_isNamedOnce(String command) throws Exception {
    Files.move(plant(), dir.resolve("a.jsonl"));
    Files.deleteIfExists(dir.resolve("traces"));
    Path open = Files.createDirectory(dir.resolve("open"));
    Files.setPosixFilePermissions(open, Set.of());
    try {
      assumeFalse(Files.isReadable(open), "root reads everything");
      String cache = dir.resolve("cache").toString();
      CommandRun result = CommandRun.of((command.replace("CACHE", cache) + " " + dir).split(" "));
      assertThat(result.out() + result.err()).containsOnlyOnce("open: no permission to read it");
    } finally {
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwx------"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"report", "export --csv=-"})
  void runOfTheEnvironment_isTheOneWithoutADirectory(String command) throws Exception {
    plant();
    Terminal terminal =
        new Terminal(
            Map.of("ROLL_OTEL_OUTPUT_DIR", " " + dir + " "), descriptor -> false, () -> "");
    CommandRun result = CommandRun.of(terminal, command.split(" "));
    assertThat(result.code()).isZero();
    assertThat(result.out()).contains("worker.generate");
    String other = dir.resolve("other").toString();
    assertThat(CommandRun.of(terminal, (command + " " + other).split(" ")).err())
        .isEqualToIgnoringNewLines("There is no file or directory " + other + ".");
    for (String set : List.of(other, other + "/")) {
      terminal = new Terminal(Map.of("ROLL_OTEL_OUTPUT_DIR", set), descriptor -> false, () -> "");
      assertThat(CommandRun.of(terminal, command.split(" ")).err())
          .startsWith(
              "There is no file or directory " + other + ", which ROLL_OTEL_OUTPUT_DIR names. Was");
    }
  }

  @Test
  void cacheThatCannotBeMade_isSaidWithoutTheClassesOfJava() throws Exception {
    Path file = plant();
    CommandRun result = CommandRun.of("report", dir.toString(), "--cache", file.toString());
    assertThat(result.code()).isOne();
    assertThat(result.err())
        .isEqualToIgnoringNewLines(
            "The cache FILE cannot be created (FILE is not a directory): name another with --cache DIR."
                .replace("FILE", file.toString()));
  }

  /** As the files of a container, which runs as root. */
  @Test
  void fileThatMayNotBeRead_isSaidWithoutAGuess() throws Exception {
    Path file = plant();
    Files.setPosixFilePermissions(file, Set.of());
    assumeFalse(Files.isReadable(file), "root reads everything");
    CommandRun result = CommandRun.of("report", dir.toString());
    assertThat(result.code()).isOne();
    assertThat(result.err())
        .contains(file.getFileName() + ": no permission to read it")
        .doesNotContain("-javaagent", "Exception");
  }

  /** As names beyond ASCII under LC_ALL=C. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "report X | 2 | Invalid value for DIR: ",
        "report DIR --cache=X | 2 | X has characters that this JVM cannot use in the name of a file",
        "report DIR --against=X | 1 | There is no file or directory X, nor a run with that id.",
      })
  void nameThatTheJvmCannotUse_isSaid(String arguments, int code, String said) throws Exception {
    plant();
    String[] all = arguments.replace("DIR", dir.toString()).replace("X", "a\0b").split(" ");
    CommandRun result = CommandRun.of(all);
    assertThat(result.code()).isEqualTo(code);
    assertThat(result.err()).contains(said.replace("X", "a\\u0000b")).doesNotContain("\tat ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"clean --keep-runs=1"})
  void fileInsteadOfADirectory_isCalledOne(String command) throws Exception {
    Path file = plant();
    CommandRun result = CommandRun.of((command + " " + file).split(" "));
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).isEqualToIgnoringNewLines(file + " is not a directory.");
  }

  @Test
  void noCommand_namesThemAll() {
    assertThat(CommandRun.of().err())
        .startsWith(
            "Give a command: report, collect, env, validate, merge, replay, clean, export,");
  }

  /** A directory may have a command's name. */
  @Test
  void argumentThatIsTheNameOfACommand_isAnArgument() {
    assertThat(CommandRun.of("report", "collect"))
        .isEqualTo(
            new CommandRun(
                1, "", "There is no file or directory collect." + System.lineSeparator()));
  }

  /** Descriptions are also in lists, whose rows have only the first paragraph. */
  @ParameterizedTest
  @ValueSource(ints = {60, 80, 100, 200})
  void help_isAsWideAsTheTerminalAndWhole(int columns) {
    Terminal terminal =
        new Terminal(Map.of("COLUMNS", "" + columns), descriptor -> false, () -> "");
    String list = CommandRun.of(terminal, "--help").out();
    String[] rows = list.substring(list.indexOf("Commands:")).strip().split("\\R  (?! )");
    List<String> commands = Arrays.stream(rows).skip(1).map(row -> row.split(" ")[0]).toList();
    assertThat(CommandRun.of().err()).startsWith("Give a command: " + String.join(", ", commands));
    for (String row : rows) {
      String command = row.equals("Commands:") ? "" : row.split(" ")[0];
      assertThat(row).as("a whole sentence").matches("(?s)Commands:|.*[.]");
      String[] call = (command + " --help").strip().split(" ");
      String help = CommandRun.of(terminal, call).out();
      assertThat(help).as(command).contains("Usage: ");
      assertThat(help.lines()).as(command).allMatch(line -> line.length() <= columns);
      assertThat(CommandRun.of((command + " --help --width=" + columns).strip().split(" ")).out())
          .isEqualTo(help);
    }
  }

  @Test
  void report_isPrinted() throws Exception {
    Path file = plant();
    for (Path where : List.of(dir, dir.resolve("traces"), file)) {
      CommandRun result = CommandRun.of("report", where.toString());
      assertThat(result.err()).isEmpty();
      assertThat(result.code()).isZero();
      assertThat(result.out()).startsWith("Run r1, ").contains("worker.generate");
    }
  }

  /** C1's own escape sequence, a turn of direction, DEL. */
  @ParameterizedTest
  @ValueSource(strings = {"", "--json"})
  void textOfAFile_doesNotSteerTheTerminal(String option) throws Exception {
    String odd = "\u009b31m \u202egpj \u2066 \u007f \u001b[0m";
    PlantedFile.write(
        dir.resolve("traces.jsonl"), Requests.of(List.of(Requests.span(1, 1, 0, odd, 1, 1))));
    CommandRun result = CommandRun.of(("report " + dir + " " + option).trim().split(" "));
    assertThat(result.code()).isZero();
    assertThat(result.out() + result.err())
        .matches("[^\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069]*");
    if (!option.isEmpty()) {
      assertThat(result.out()).contains("\\u009b31m \\u202egpj \\u2066 \\u007f \\u001B[0m");
    }
  }

  @Test
  void textOfTheCommandLine_doesNotSteerTheTerminal() {
    assertThat(CommandRun.of("report", "no\u009bsuch").err())
        .contains("There is no file or directory no\\u009bsuch.");
  }

  @Test
  void emptyDirectory_failsWithAdvice() {
    CommandRun result = CommandRun.of("report", dir.toString());
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("No spans found in " + dir);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''             | 0 | 1 span is open in | ''
          --json         | 0 | "open":[{         | ''
          --trace=0000   | 0 | Not ended: rlm.run | ''
          --trace=7      | 1 | ''                | The run has no trace 7.
          --html=x.html  | 1 | ''                | 1 span is open in
          --runs         | 1 | ''                | 1 span is open in
          """)
  void openSpanAlone_isShownByWhatCanShowIt(String option, int code, String out, String err)
      throws Exception {
    PlantedRecording.write(dir, "rlm.run", 7);
    CommandRun result =
        option.isEmpty()
            ? CommandRun.of("report", dir.toString())
            : CommandRun.of("report", dir.toString(), option);
    assertThat(result.code()).isEqualTo(code);
    assertThat(result.out()).contains(out).doesNotContain("Was the program");
    assertThat(result.err()).contains(err).doesNotContain("Was the program");
    assertThat(result.out().isEmpty()).isEqualTo(code == 1);
    assertThat(result.err().isEmpty()).isEqualTo(code == 0);
  }

  @Test
  void unknownRun_failsAndNamesTheOthers() throws Exception {
    plant();
    CommandRun result = CommandRun.of("report", dir.toString(), "--run", "r2");
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("No run r2 in ").contains("  r1, started ");
  }

  @Test
  void classesWithoutCodeSource_runToo() throws Exception {
    plant();
    Class<?> main = new BareLoader().loadClass(Main.class.getName());
    assertThat(main.getProtectionDomain().getCodeSource()).isNull();
    assertThat(main).isNotSameAs(Main.class);
    Method run = main.getMethod("run", String[].class);
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, UTF_8));
    try {
      assertThat(run.invoke(null, (Object) new String[] {"report", dir.toString()})).isEqualTo(0);
      assertThat(run.invoke(null, (Object) new String[] {"--version"})).isEqualTo(0);
    } finally {
      System.setOut(before);
    }
    assertThat(printed.toString(UTF_8)).startsWith("Run r1, ").contains("roll-otel 0.");
  }

  private Path plant() throws Exception {
    Path file = dir.resolve("traces/traces.jsonl");
    return PlantedFile.write(
        file,
        Requests.of(List.of(Requests.span(1, 2, 0, "worker.generate", 5, 5)), "roll.run_id", "r1"));
  }

  /** Defines our classes and those of our libraries from their bytes alone, as the agent's does. */
  private static final class BareLoader extends ClassLoader {

    BareLoader() {
      super(ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      try (InputStream in = open(name.replace('.', '/') + ".class")) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length, new ProtectionDomain(null, null));
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }

    @Override
    protected URL findResource(String name) {
      return MainTest.class.getClassLoader().getResource(name);
    }

    private static InputStream open(String name) {
      return MainTest.class.getClassLoader().getResourceAsStream(name);
    }
  }
}
