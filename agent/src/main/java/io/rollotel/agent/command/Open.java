package io.rollotel.agent.command;

import io.rollotel.traces.cli.Main;
import io.rollotel.traces.cli.Version;
import io.rollotel.traces.otlp.UnreadableLine;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.recording.Recordings;
import io.rollotel.traces.report.OpenSpansText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code open}: what every process of a run is doing at this moment, or was when it died. */
@Command(
    name = "open",
    customSynopsis = "open [-hV] [--follow] [--stacks] [DIR]",
    description = {
      "Shows all open spans of live and dead processes.",
      "Spans are sorted by process, innermost first, and shown with their age. For a dead"
          + " process, the age is that at its last sign of life."
    },
    footer = {
      "",
      "Exit codes: 0 success; 1 there is no recorder file, or none that can be read; 2 wrong usage."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class Open implements Callable<Integer> {

  /** As the times of the table. */
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Parameters(
      arity = "0..1",
      paramLabel = "DIR",
      description = "The run's output directory; default: " + Main.DEFAULT_DIR)
  private @Nullable Path givenDir;

  @Option(names = "--follow", description = "Repeats this every second until it is stopped")
  private boolean isFollowing;

  @Option(
      names = "--stacks",
      description =
          "Also shows the stack of each span's thread and the locks of a deadlock, for JVMs of"
              + " this host and user. Needs the java command of a JDK")
  private boolean withStacks;

  // Made by picocli.
  Open() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path dir = Main.outputDir(spec, givenDir);
    Main.checkDirectory(dir);
    int exitCode = show(dir);
    PrintWriter out = spec.commandLine().getOut();
    while (isFollowing && !out.checkError()) { // unless head has enough
      TimeUnit.SECONDS.sleep(1);
      out.println();
      exitCode = show(dir);
    }
    return exitCode;
  }

  private int show(Path dir) {
    PrintWriter out = spec.commandLine().getOut();
    Recordings found = Recordings.read(dir);
    for (UnreadableLine unreadable : found.unreadable()) {
      spec.commandLine().getErr().println(unreadable.file() + ": " + unreadable.reason());
    }
    if (isFollowing) {
      out.println(TIME.format(Instant.now()));
    }
    if (found.all().isEmpty() && !found.unreadable().isEmpty()) {
      out.flush();
      return Main.FAILED;
    }
    if (found.all().isEmpty()) {
      out.println("No process has a recorder file in " + dir.resolve(Recordings.FOLDER) + ".");
      out.flush();
      return Main.FAILED;
    }
    OpenSpansText.of(found.all()).print(out, withStacks ? new ThreadStacks() : new NoStacks());
    return 0;
  }

  private static final class NoStacks implements OpenSpansText.Stacks {

    @Override
    public List<String> of(Recording process, OpenSpan span) {
      return List.of();
    }

    @Override
    public List<String> of(Recording process) {
      return List.of();
    }
  }
}
