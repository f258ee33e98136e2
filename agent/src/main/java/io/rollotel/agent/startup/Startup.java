package io.rollotel.agent.startup;

import io.rollotel.agent.command.Commands;
import io.rollotel.agent.hook.TraceHook;
import io.rollotel.agent.loader.InnerAgent;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.agent.settings.Settings;
import io.rollotel.traces.file.FileNames;
import java.io.File;
import java.lang.instrument.Instrumentation;
import org.jspecify.annotations.Nullable;

/**
 * The entry points that the outer classes call: tracing before main, in a running JVM, or a
 * command. They call one method at a time.
 */
public final class Startup implements InnerAgent {

  private @Nullable RunningAgent running;

  /** For {@code InnerLoader}, by reflection. */
  public Startup() {}

  @Override
  public boolean start(@Nullable String arguments, Instrumentation instrumentation) {
    if (TraceHook.active()) {
      AgentLog.warn("a second -javaagent of roll-otel on this command line is ignored");
      return true;
    }
    Settings settings = Settings.atStart(arguments, System.getenv());
    boolean enabled = settings.enabled();
    String effect = enabled ? "" : "; tracing is off";
    for (String complaint : settings.complaints()) {
      AgentLog.warn(complaint + effect);
    }
    if (enabled && settings.sdkDisabled()) {
      AgentLog.warn("tracing is off: OTEL_SDK_DISABLED is true");
      return false;
    }
    if (enabled && !canName(settings.outputDir())) {
      AgentLog.warn("tracing is off: " + FileNames.refusal(new File(settings.outputDir())));
      return false;
    }
    if (enabled) {
      running = RunningAgent.beginBeforeMain(settings, instrumentation);
    }
    return enabled;
  }

  /** Does not load {@link FileNames} for this. */
  private static boolean canName(String directory) {
    try {
      new File(directory).getAbsoluteFile().toPath();
      return true;
    } catch (RuntimeException invalid) {
      return false;
    }
  }

  @Override
  public boolean attach(@Nullable String arguments, Instrumentation instrumentation) {
    running = new Attachment(instrumentation, running).run(arguments);
    return running != null;
  }

  @Override
  public void command(String[] arguments) {
    Commands.main(arguments);
  }
}
