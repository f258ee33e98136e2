package io.rollotel.agent.command;

import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.cli.Main;
import io.rollotel.traces.cli.Version;
import io.rollotel.traces.file.FileNames;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code doctor}: checks this host before a run, or asks a traced JVM what it has woven. */
@Command(
    name = "doctor",
    customSynopsis = {"doctor [-hV] [KEY=VALUE...]", "doctor --pid=PID"},
    description = {
      "Checks whether a run can be traced in this environment.",
      "With --pid, shows which methods of a traced JVM are declared, woven, called and missing."
          + " The exit code is 1 if a check prints FAIL."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Doctor implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Option(names = "--pid", paramLabel = "PID", description = "The process ID of a traced JVM")
  private @Nullable Long pid;

  @Parameters(
      paramLabel = "KEY=VALUE",
      description = "Settings, as in -javaagent:...=KEY=VALUE,...")
  private List<String> arguments = new ArrayList<>();

  // Made by picocli.
  Doctor() {}

  @Override
  public Integer call() {
    if (pid != null) {
      if (!arguments.isEmpty()) {
        throw new ParameterException(
            spec.commandLine(),
            "A running JVM has its settings already, so none can be given with --pid: attach changes them.");
      }
      return new AttachedJvm(spec.commandLine(), pid).ask(AttachProtocol.DOCTOR);
    }
    for (String argument : arguments) {
      if (argument.matches("\\d+")) {
        throw new ParameterException(
            spec.commandLine(),
            argument
                + " is not a setting. For the JVM with this process ID: --pid="
                + argument
                + ".");
      }
    }
    Settings settings = Settings.read(String.join(",", arguments), System.getenv());
    settings.sayIgnored();
    List<Finding> findings = new ArrayList<>(new HostCheck(settings).findings());
    findings.addAll(new OtelCheck(settings).findings());
    if (FileNames.refusal(directory(settings)) == null) { // else HostCheck says so
      findings.addAll(new CollectorCheck(settings).findings());
    }
    findings.addAll(new SettingsInForce(settings).findings());
    for (Finding finding : findings) {
      spec.commandLine().getOut().println(finding.line());
    }
    spec.commandLine().getOut().println(summary(findings));
    spec.commandLine().getOut().flush();
    return findings.stream().anyMatch(finding -> finding.grade() == Finding.Grade.FAIL)
        ? Main.FAILED
        : 0;
  }

  /** The last line, since the settings move what matters out of sight. */
  private static String summary(List<Finding> findings) {
    String failed = subjects(findings, Finding.Grade.FAIL);
    String warned = subjects(findings, Finding.Grade.WARN);
    if (failed.isEmpty() && warned.isEmpty()) {
      return "All checks passed.";
    }
    String warnings = warned.isEmpty() ? "" : "Warnings: " + warned + ".";
    return failed.isEmpty() ? warnings : ("Failed: " + failed + ". " + warnings).strip();
  }

  private static String subjects(List<Finding> findings, Finding.Grade grade) {
    return findings.stream()
        .filter(finding -> finding.grade() == grade)
        .map(Finding::what)
        .distinct()
        .collect(Collectors.joining(", "));
  }

  /** The run's output directory. */
  static File directory(Settings settings) {
    return new File(settings.outputDir()).getAbsoluteFile();
  }
}
