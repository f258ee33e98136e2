package io.rollotel.agent.command;

import io.rollotel.agent.settings.Settings;
import io.rollotel.agent.settings.SettingsTable;
import io.rollotel.traces.cli.Version;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code attach}: starts tracing in a running JVM, or lists the running JVMs. */
@Command(
    name = "attach",
    customSynopsis = {"attach [-hV] PID [KEY=VALUE...]", "attach [--list]"},
    description = "Starts tracing in a running JVM. Without a PID, lists the JVMs of this user.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Attach implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Parameters(index = "0", arity = "0..1", paramLabel = "PID", description = "The JVM's process ID")
  private @Nullable Long pid;

  @Parameters(
      index = "1..*",
      paramLabel = "KEY=VALUE",
      description =
          "Settings, which override the JVM's environment: output.dir=/tmp/otlp, methods=...,"
              + " log=info,"
              + " otel.service.name=...")
  private List<String> settings = new ArrayList<>();

  @Option(names = "--list", description = "Lists the JVMs of this user")
  private boolean list;

  // Made by picocli.
  Attach() {}

  @Override
  public Integer call() {
    if (list && pid != null) {
      throw new ParameterException(
          spec.commandLine(), "--list shows all JVMs: leave out the process ID.");
    }
    if (pid == null) {
      return AttachedJvm.list(spec.commandLine());
    }
    return new AttachedJvm(spec.commandLine(), pid).ask(encoded(arguments()));
  }

  /** Reports wrong settings here, before touching the other JVM. */
  private List<String> arguments() {
    for (String setting : settings) {
      if (setting.indexOf('=') <= 0) {
        throw new ParameterException(
            spec.commandLine(), setting + " is not a setting; write key=value");
      }
    }
    Settings given = Settings.attached(settings, Map.of());
    if (!given.complaints().isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), String.join(System.lineSeparator(), given.complaints()));
    }
    if (!given.enabled()) {
      throw new ParameterException(
          spec.commandLine(),
          "attach starts tracing, and enabled=false forbids that. To end tracing: detach "
              + pid
              + ".");
    }
    // A relative directory is relative to the user's working directory.
    return given.given().stream().map(Attach::absolute).toList();
  }

  private static String absolute(String setting) {
    String key = SettingsTable.OUTPUT_DIR.property() + "=";
    return setting.startsWith(key)
        ? key + new File(setting.substring(key.length())).getAbsolutePath()
        : setting;
  }

  /** As the agent takes them: ASCII, since the other JVM may read another character set. */
  private static String encoded(List<String> settings) {
    StringBuilder encoded = new StringBuilder();
    for (String setting : settings) {
      encoded.append(encoded.isEmpty() ? "" : ",");
      for (byte b : setting.getBytes(StandardCharsets.UTF_8)) {
        if (b > ' ' && b < 0x7f && b != ',' && b != '%') {
          encoded.append((char) b);
        } else {
          encoded.append(String.format("%%%02X", b));
        }
      }
    }
    return encoded.toString();
  }
}
