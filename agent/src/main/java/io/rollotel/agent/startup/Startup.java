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
    String refusal = enabled ? refusal(settings.outputDir()) : null;
    if (refusal != null) {
      AgentLog.warn("tracing is off: the output directory " + refusal);
      return false;
    }
    if (enabled) {
      running = RunningAgent.beginBeforeMain(settings, instrumentation);
    }
    return enabled;
  }

  /** Does not load {@link FileNames} for what any JVM can name. */
  private static @Nullable String refusal(String directory) {
    File file = new File(directory);
    String path = file.getAbsolutePath();
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c == 0 || c >= 0x80) {
        return FileNames.refusal(file);
      }
    }
    return null;
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
