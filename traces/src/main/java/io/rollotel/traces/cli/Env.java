package io.rollotel.traces.cli;

import io.rollotel.traces.collector.WorkerEnvironment;
import io.rollotel.traces.report.JsonRows;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** {@code env}: the environment variables with which a process joins a running run. */
@Command(
    name = "env",
    customSynopsis = "env [-hV] [--format=FORMAT] [DIR]",
    description = {
      "Prints the environment variables that a process of any language needs to take part in the"
          + " active run in DIR: where its collector listens, and the run's ID.",
      "For this shell: eval \"$(" + Main.JAVA_JAR + " env DIR)\"",
      "The output contains the collector's token: anyone who reads it can send spans to this run.",
      "The exit code is 1 if no run is active, or if its collector cannot be reached from here."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Env implements Callable<Integer> {

  /** How variables are printed. */
  enum Format {
    /** {@code export NAME='value'}. */
    SHELL,
    /** {@code NAME=value}, for {@code docker run --env-file}. */
    DOCKER,
    /** One object. */
    JSON;

    /** As the user writes it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A driver that starts otelcol knows its address only after a while. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final long LOOK_MILLIS = 50;

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Parameters(
      arity = "0..1",
      paramLabel = "DIR",
      description = "The run's output directory; default: " + Main.DEFAULT_DIR)
  private @Nullable Path dir;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "shell",
      description = "shell, docker (an env-file) or json; default: ${DEFAULT-VALUE}")
  private Format format = Format.SHELL;

  // Made by picocli.
  Env() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter err = spec.commandLine().getErr();
    File outputDir = Main.outputDir(spec, dir).toFile().getAbsoluteFile();
    if (outputDir.isFile()) {
      throw new NotDirectoryException(outputDir.toString());
    }
    if (outputDir.exists() && !outputDir.canRead()) {
      throw new AccessDeniedException(outputDir.toString());
    }
    WorkerEnvironment environment = find(outputDir, err);
    if (environment == null) {
      err.println(
          "No run is active in "
              + outputDir
              + (outputDir.exists() ? "" : ", which does not exist")
              + ". A run is active from its driver's first traced call until its driver ends; a"
              + " driver"
              + " with OTEL_EXPORTER_OTLP_ENDPOINT collects nothing itself.");
      return Main.FAILED;
    }
    if (environment.collector() == null) {
      err.println(
          "A run is active in "
              + outputDir
              + ", but no collector of it can be reached from here. On another host it must"
              + " listen on"
              + " that host's address: set ROLL_OTEL_COLLECTOR_HOST for its driver.");
      return Main.FAILED;
    }
    PrintWriter out = format == Format.JSON ? Main.of(spec).json() : spec.commandLine().getOut();
    out.println(text(environment.variables(System.getenv("OTEL_RESOURCE_ATTRIBUTES"))));
    out.flush();
    if (format == Format.DOCKER && isLoopback(environment.collector().endpoint())) {
      err.println(
          "The collector listens on a loopback address. Start the container with --network=host, or"
              + " set ROLL_OTEL_COLLECTOR_HOST for the driver.");
    }
    return 0;
  }

  private static @Nullable WorkerEnvironment find(File outputDir, PrintWriter err)
      throws InterruptedException {
    long deadlineNanos = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      WorkerEnvironment found = WorkerEnvironment.ofRunIn(outputDir, err::println);
      if (found == null || found.collector() != null || System.nanoTime() - deadlineNanos >= 0) {
        return found;
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  private static boolean isLoopback(URI endpoint) throws IOException {
    return InetAddress.getByName(endpoint.getHost()).isLoopbackAddress();
  }

  private String text(Map<String, String> variables) {
    if (format == Format.JSON) {
      return json(variables);
    }
    StringBuilder text = new StringBuilder();
    variables.forEach(
        (name, value) ->
            text.append(text.isEmpty() ? "" : "\n")
                .append(
                    format == Format.DOCKER
                        ? name + "=" + value
                        : "export " + name + "='" + value.replace("'", "'\\''") + "'"));
    return text.toString();
  }

  private static String json(Map<String, String> variables) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonRows.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      for (Map.Entry<String, String> variable : variables.entrySet()) {
        json.writeStringProperty(variable.getKey(), variable.getValue());
      }
      json.writeEndObject();
    }
    return text.toString();
  }
}
