package io.rollotel.it.kit;

import io.rollotel.it.kit.ProgramRun.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A program that does not know the agent, started by {@code engines/stranger} in an empty folder of
 * its own. The agent comes by JAVA_TOOL_OPTIONS, so that it is in every JVM that the program forks
 * as well.
 */
public final class Stranger {

  private static final Path SCRIPT = ProgramRun.ROOT.resolve("engines/stranger");

  private final Path directory;
  private final String name;
  private final int amount;
  private final Map<String, String> environment = new LinkedHashMap<>();
  private String jvmOptions;

  private Stranger(Path directory, String name, int amount) {
    this.directory = directory;
    this.name = name;
    this.amount = amount;
    // For Maven: the repository of the build that runs this test, not that of the user.
    String repository = System.getProperty("localRepository");
    jvmOptions = repository == null ? "" : "\"-Dmaven.repo.local=" + repository + "\"";
  }

  /** A run without the agent; the amount is that of the script. */
  public static Stranger of(Path directory, String name, int amount) {
    return new Stranger(directory, name, amount);
  }

  /** With the agent, enabled. */
  public Stranger agent() {
    return agent("enabled");
  }

  /** With the agent, which says one line at the start of each JVM that it is in. */
  public Stranger agentThatTells() {
    return agent("enabled,log=info");
  }

  /** Both as variable and as argument: surefire takes the variable away from what it forks. */
  private Stranger agent(String arguments) {
    environment.put("ROLL_OTEL_ENABLED", "1");
    jvmOptions += " \"-javaagent:" + ProgramRun.AGENT + "=" + arguments + "\"";
    return this;
  }

  public Stranger environment(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  /** Runs to the end, and must exit with 0. */
  public Result run() throws IOException, InterruptedException {
    Path where = Files.createTempDirectory(directory, name).toRealPath();
    ProcessBuilder builder =
        new ProcessBuilder(SCRIPT.toString(), name, Integer.toString(amount))
            .directory(where.toFile());
    Launched.clean(builder).environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("ROLL_OTEL_ENGINES", Engines.all().toString());
    builder.environment().putAll(environment);
    builder.environment().put("JAVA_TOOL_OPTIONS", jvmOptions);
    Finished left = Finished.of(builder).isWell();
    return new Result(left.exitCode(), left.out(), left.err(), where);
  }

  /**
   * Everything on stdout and stderr except the agent's lines, those of the JVM about
   * JAVA_TOOL_OPTIONS, colours, numbers, and the directory.
   */
  public static List<String> constantLines(Result result) {
    return (result.out() + result.err())
        .replaceAll("\u001b\\[[0-9;]*m", "")
        .lines()
        .filter(line -> !line.startsWith("[roll-otel] "))
        .filter(line -> !line.startsWith("Picked up JAVA_TOOL_OPTIONS: "))
        .map(line -> line.replace(result.directory().toString(), "."))
        // "[  9.876 s]" in one run is "[01:02 min]" in another.
        .map(line -> line.replaceAll(" *[0-9][0-9.,:]*( ms| s| min)?", "#").replaceAll(" +", " "))
        .toList();
  }
}
