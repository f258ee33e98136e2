package io.rollotel.it.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A standalone cluster of Spark's on this machine: a master and two workers, each with one core and
 * one executor for an application.
 */
public final class SparkCluster implements AutoCloseable {

  private static final int WORKERS = 2;

  /** What an executor logs. */
  private static final Pattern TASK = Pattern.compile("Running task .* in stage (\\d+)\\.");

  /** What {@code spark-submit} would add: JavaModuleOptions in Spark's launcher. */
  private static final List<String> MODULES =
      Stream.of(
              "java.lang",
              "java.lang.invoke",
              "java.lang.reflect",
              "java.io",
              "java.net",
              "java.nio",
              "java.util",
              "java.util.concurrent",
              "java.util.concurrent.atomic",
              "jdk.internal.ref",
              "sun.nio.ch",
              "sun.nio.cs",
              "sun.security.action",
              "sun.util.calendar")
          .map(name -> "--add-opens=java.base/" + name + "=ALL-UNNAMED")
          .toList();

  private final Path directory;
  private final Path jars;
  private final String master;
  private final List<Process> processes = new ArrayList<>();

  /** What executors have written for applications before the one that was submitted last. */
  private Set<Path> earlierLogs = Set.of();

  /** Starts it, with its files in this directory. */
  public SparkCluster(Path directory) throws Exception {
    this.directory = Files.createDirectories(directory);
    Path lib = Engines.folder("spark", "target/built").resolve("target/lib");
    this.jars = Files.createDirectory(directory.resolve("home")).resolve("jars");
    Files.createSymbolicLink(jars, lib);
    int port = FreePort.find();
    this.master = "spark://127.0.0.1:" + port;
    start("Master", "--port", Integer.toString(port));
    for (int i = 0; i < WORKERS; i++) {
      start("Worker", "--cores", "1", "--memory", "2g", "--work-dir", work(i).toString(), master);
    }
  }

  private Path work(int worker) {
    return directory.resolve("work" + worker);
  }

  private void start(String daemon, String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of("--host", "127.0.0.1", "--webui-port", "0"));
    all.addAll(List.of(arguments));
    String main = "org.apache.spark.deploy." + daemon.toLowerCase(Locale.ROOT) + "." + daemon;
    processes.add(
        java("-Xmx256m", main, all)
            .redirectErrorStream(true)
            .redirectOutput(Files.createTempFile(directory, daemon, ".txt").toFile())
            .start());
  }

  /**
   * An application that is submitted as by {@code spark-submit}.
   *
   * @param arguments its jar and what follows
   * @param settings of Spark, as {@code key=value}
   */
  public ProcessBuilder submit(
      String executorMemory, String main, List<String> arguments, String... settings)
      throws IOException {
    earlierLogs = logs();
    List<String> all =
        new ArrayList<>(
            List.of(
                "--master",
                master,
                "--conf",
                "spark.executor.memory=" + executorMemory,
                "--conf",
                "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
                "--conf",
                "spark.ui.enabled=false",
                "--class",
                main));
    for (String setting : settings) {
      all.addAll(List.of("--conf", setting));
    }
    all.addAll(arguments);
    return java("-Xmx1g", "org.apache.spark.deploy.SparkSubmit", all);
  }

  private ProcessBuilder java(String heap, String main, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(Finished.jdk("java")));
    command.addAll(MODULES);
    command.addAll(
        List.of(
            "--add-modules=jdk.incubator.vector",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            heap,
            "-cp",
            jars + "/*",
            main));
    command.addAll(arguments);
    ProcessBuilder builder =
        Launched.clean(new ProcessBuilder(command).directory(directory.toFile()));
    builder
        .environment()
        .putAll(
            Map.of(
                "JAVA_HOME",
                System.getProperty("java.home"),
                "SPARK_HOME",
                jars.getParent().toString(),
                "SPARK_SCALA_VERSION",
                "2.13",
                "SPARK_LOCAL_IP",
                "127.0.0.1",
                "SPARK_LOCAL_DIRS",
                directory.resolve("local").toString()));
    return builder;
  }

  /**
   * Kills an executor once it works on this stage or a later one; stages that Spark skips have
   * numbers too.
   *
   * @param application ends where this cannot happen any more
   */
  public void killExecutorInStage(int stage, Process application) throws Exception {
    Patience.until(
        () -> "an executor in stage " + stage, application.toHandle(), () -> hasWorkedIn(stage));
    List<ProcessHandle> executors = processes.get(1).toHandle().children().toList();
    if (executors.isEmpty()) {
      throw new IllegalStateException("the first worker has no executor");
    }
    executors.forEach(ProcessHandle::destroyForcibly);
  }

  private boolean hasWorkedIn(int stage) throws IOException {
    for (Path log : logs()) {
      if (!earlierLogs.contains(log)
          && TASK.matcher(Files.readString(log))
              .results()
              .anyMatch(task -> Integer.parseInt(task.group(1)) >= stage)) {
        return true;
      }
    }
    return false;
  }

  /** What executors of the first worker have written. */
  private Set<Path> logs() throws IOException {
    if (!Files.exists(work(0))) {
      return Set.of();
    }
    try (Stream<Path> below = Files.walk(work(0))) {
      return below.filter(file -> file.endsWith("stderr")).collect(Collectors.toSet());
    }
  }

  @Override
  public void close() throws InterruptedException {
    for (Process process : processes) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }
}
