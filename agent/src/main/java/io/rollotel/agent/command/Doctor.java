package io.rollotel.agent.command;

import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.cli.Main;
import io.rollotel.traces.cli.Version;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
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
            spec.commandLine(), "A JVM that runs has its settings; see attach");
      }
      return new AttachedJvm(spec.commandLine(), pid).ask(AttachProtocol.DOCTOR);
    }
    Settings settings = Settings.read(String.join(",", arguments), System.getenv());
    settings.sayIgnored();
    List<Finding> findings = new ArrayList<>(new HostCheck(settings).findings());
    findings.addAll(new OtelCheck(settings).findings());
    findings.addAll(new CollectorCheck(settings).findings());
    findings.addAll(new SettingsInForce(settings).findings());
    for (Finding finding : findings) {
      spec.commandLine().getOut().println(finding.line());
    }
    spec.commandLine().getOut().flush();
    return findings.stream().anyMatch(finding -> finding.grade() == Finding.Grade.FAIL)
        ? Main.FAILED
        : 0;
  }

  /** The run's output directory. */
  static File directory(Settings settings) {
    return new File(settings.outputDir()).getAbsoluteFile();
  }
}
