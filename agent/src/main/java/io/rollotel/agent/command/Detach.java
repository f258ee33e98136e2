package io.rollotel.agent.command;

import io.rollotel.traces.cli.Version;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code detach}: ends tracing in a running JVM. */
@Command(
    name = "detach",
    customSynopsis = "detach [-hV] PID",
    description = "Ends tracing in a running JVM, however it was started.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Detach implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Parameters(paramLabel = "PID", description = "The JVM's process ID")
  private long pid;

  // Made by picocli.
  Detach() {}

  @Override
  public Integer call() {
    return new AttachedJvm(spec.commandLine(), pid).ask(AttachProtocol.DETACH);
  }
}
