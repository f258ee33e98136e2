package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.file.ReadSummary;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.json.JsonFactory;

/** A program in a JVM of its own, with the shipped jar as its agent unless the test says no. */
public final class ProgramRun {

  public static final Path ROOT =
      Path.of(System.getProperty("root", "..")).toAbsolutePath().normalize();
  public static final Path AGENT = ROOT.resolve("agent/target/roll-otel-agent.jar");
  private static final Path HERE = ROOT.resolve("integration-tests/target");

  private final Path directory;
  private final List<String> program = new ArrayList<>();
  private final List<String> jvmOptions = new ArrayList<>();
  private final List<String> classPath = new ArrayList<>();
  private final Map<String, String> environment = new LinkedHashMap<>();
  private List<String> launcher = List.of();
  private String agentArguments = "";
  private String agentBehind = "";
  private boolean agent = true;

  private ProgramRun(Path directory, Class<?> main, String... arguments) {
    this(directory);
    program.add(main.getName());
    program.addAll(List.of(arguments));
    classPath(programClasses().toArray(new Path[0]));
  }

  private ProgramRun(Path directory) {
    this.directory = directory;
    environment.put("ROLL_OTEL_ENABLED", "1");
  }

  /** A run in this directory, with tracing enabled and no OpenTelemetry on the class path. */
  public static ProgramRun of(Path directory, Class<?> main, String... arguments) {
    return new ProgramRun(directory, main, arguments);
  }

  /** A run of an executable jar. */
  public static ProgramRun ofJar(Path directory, Path jar) {
    ProgramRun run = new ProgramRun(directory);
    run.program.addAll(List.of("-jar", jar.toString()));
    return run;
  }

  public ProgramRun environment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  public ProgramRun withoutEnvironment(String name) {
    environment.remove(name);
    return this;
  }

  public ProgramRun jvmOptions(String... options) {
    jvmOptions.addAll(List.of(options));
    return this;
  }

  /** Another agent, after ours on the command line. */
  public ProgramRun agentBehind(String jarAndArguments) {
    agentBehind = "-javaagent:" + jarAndArguments;
    return this;
  }

  public ProgramRun agentArguments(String arguments) {
    agentArguments = "=" + arguments;
    return this;
  }

  public ProgramRun withAgent() {
    agent = true;
    return this;
  }

  public ProgramRun withoutAgent() {
    agent = false;
    return this;
  }

  /** Puts the API of this version on the class path, and the SDK that belongs to it if wanted. */
  public ProgramRun openTelemetry(String version, boolean sdk) throws IOException {
    return classPath(openTelemetryJars(version, sdk).toArray(new Path[0]));
  }

  /** Beside the newest SDK, its autoconfiguration. */
  public ProgramRun autoconfigure() throws IOException {
    try (Stream<Path> jars = Files.list(HERE.resolve("opentelemetry"))) {
      return classPath(
          jars.filter(jar -> jar.toString().contains("-autoconfigure")).toArray(Path[]::new));
    }
  }

  /** The API of this version, and the SDK that belongs to it if wanted. */
  public static List<Path> openTelemetryJars(String version, boolean sdk) throws IOException {
    try (Stream<Path> jars = Files.list(HERE.resolve("opentelemetry"))) {
      return jars.filter(jar -> jar.toString().contains("-" + version))
          // Its mere presence makes the API log a line.
          .filter(jar -> !jar.toString().contains("-autoconfigure"))
          .filter(jar -> sdk || !jar.getFileName().toString().contains("-sdk"))
          .sorted()
          .toList();
    }
  }

  /** The folders of the programs' classes and of the annotations. */
  public static List<Path> programClasses() {
    return List.of(HERE.resolve("classes"), ROOT.resolve("annotations/target/classes"));
  }

  /** The supported versions of OpenTelemetry, from the oldest to the newest. */
  public static List<String> openTelemetryVersions() {
    List<String> versions = new ArrayList<>();
    versions.add(System.getProperty("opentelemetry.oldest"));
    versions.addAll(List.of(System.getProperty("opentelemetry.between").split(",")));
    versions.add(System.getProperty("opentelemetry.newest"));
    return versions;
  }

  public ProgramRun classPath(Path... entries) {
    for (Path entry : entries) {
      classPath.add(entry.toString());
    }
    return this;
  }

  public ProgramRun onlyClassPath(Path entry) {
    classPath.clear();
    return classPath(entry);
  }

  public ProgramRun telemetry() {
    classPath.add(ROOT.resolve("telemetry/target/classes").toString());
    return this;
  }

  /** For programs that use {@code Json}. */
  public ProgramRun json() throws URISyntaxException {
    return classPath(jarOf(JsonFactory.class));
  }

  /** The jar that a class of the tests' own class path comes from. */
  public static Path jarOf(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** Runs this class, which is not one of ours. */
  public ProgramRun main(String className, String... arguments) {
    program.clear();
    program.add(className);
    program.addAll(List.of(arguments));
    return this;
  }

  /** The same with arguments. */
  public ProgramRun mainWith(String className, String... arguments) {
    main(className);
    program.addAll(List.of(arguments));
    return this;
  }

  /** Runs this jar with these arguments instead of a class of ours. */
  public ProgramRun jar(Path jar, String... arguments) {
    classPath.clear();
    program.clear();
    program.addAll(List.of("-jar", jar.toString()));
    program.addAll(List.of(arguments));
    return this;
  }

  /** Starts the program and leaves it running. */
  public LiveProgram start() throws IOException {
    Path err = Files.createTempFile(directory, "err", ".txt");
    return new LiveProgram(builder().redirectError(err.toFile()).start(), err);
  }

  /** {@link #start} where no file may be larger than that, as if the disk were full. */
  public LiveProgram startWithin(int kibibytes) throws IOException {
    return startLimited("ulimit -f " + kibibytes);
  }

  /**
   * {@link #start} under limits of the system.
   *
   * @param limits commands of bash
   */
  public LiveProgram startLimited(String limits) throws IOException {
    Path err = Files.createTempFile(directory, "err", ".txt");
    ProcessBuilder builder = builder().redirectError(err.toFile());
    List<String> command =
        new ArrayList<>(List.of("/bin/bash", "-c", limits + "; exec \"$@\"", "-"));
    command.addAll(builder.command());
    return new LiveProgram(builder.command(command).start(), err);
  }

  /** This command starts it, and receives the program's own command. */
  public ProgramRun by(List<String> launcher) {
    this.launcher = launcher;
    return this;
  }

  /** Runs to the end. */
  public Result run() throws IOException, InterruptedException {
    Finished left = Finished.of(builder());
    return new Result(left.exitCode(), left.out(), left.err(), directory);
  }

  private ProcessBuilder builder() {
    ProcessBuilder builder = new ProcessBuilder(command()).directory(directory.toFile());
    Launched.clean(builder).environment().putAll(environment);
    return builder;
  }

  /** How the program is started, except for directory and environment. */
  public List<String> command() {
    List<String> command = new ArrayList<>(launcher);
    command.add(Finished.jdk("java"));
    command.add("-Xmx512m"); // tests that need more set it after this
    command.addAll(jvmOptions);
    if (agent) {
      command.add("-javaagent:" + AGENT + agentArguments);
    }
    if (!agentBehind.isEmpty()) {
      command.add(agentBehind);
    }
    if (!classPath.isEmpty()) {
      command.add("-cp");
      command.add(String.join(File.pathSeparator, classPath));
    }
    command.addAll(program);
    return command;
  }

  /** The outcome of a run. */
  public record Result(int exitCode, String out, String err, Path directory) {

    /** Fails unless the program exited with 0 and nothing was logged. */
    public Result isClean() {
      assertThat(err).isEmpty();
      assertThat(exitCode).isZero();
      return this;
    }

    /**
     * Fails unless the program exited with 0 and only these lines were logged, each at most once by
     * the agent and once by the application's own copy of telemetry.
     */
    public Result isCleanBut(String... said) {
      assertThat(exitCode).isZero();
      List<String> rest = new ArrayList<>(err.lines().toList());
      for (String part : said) {
        assertThat(rest.stream().filter(line -> line.contains(part))).as(part).hasSizeBetween(1, 2);
        rest.removeIf(line -> line.contains(part));
      }
      assertThat(rest).isEmpty();
      return this;
    }

    public List<String> lines() {
      return Arrays.asList(out.split("\n"));
    }

    /** The lines that the agent logged. */
    public List<String> said() {
      return err.lines().filter(line -> line.startsWith("[roll-otel]")).toList();
    }

    /** How many dropped spans the agent reported; 0 if it reported none. */
    public int dropped() {
      return said().stream()
          .filter(line -> line.matches(".* [\\d,]+ dropped.*"))
          .map(line -> line.replaceAll(".* ([\\d,]+) dropped.*", "$1").replace(",", ""))
          .mapToInt(Integer::parseInt)
          .max()
          .orElse(0);
    }

    public List<Span> spans() throws IOException {
      return spans(directory.resolve("output/otlp"));
    }

    public static List<Span> spans(Path where) throws IOException {
      List<Span> spans = new ArrayList<>();
      ReadSummary summary = new TracesReader().read(where, spans::add);
      assertThat(summary.unreadableLines()).isZero();
      return spans;
    }

    /** The only span of this name. */
    public Span span(String name) throws IOException {
      List<Span> named =
          spans().stream().filter(span -> span.name().equals(name)).collect(Collectors.toList());
      assertThat(named).as(name).hasSize(1);
      return named.get(0);
    }
  }
}
