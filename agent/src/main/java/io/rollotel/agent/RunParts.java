package io.rollotel.agent;

import java.io.File;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What all copies of the API share in a process, from rooms that are out of our sight. */
final class RunParts {

  private final Settings settings;
  private final InnerLoader inner;

  RunParts(Settings settings, InnerLoader inner) {
    this.settings = settings;
    this.inner = inner;
  }

  /** The meeting point of this run's processes lives in {@code traces}, out of our sight. */
  AutoCloseable rendezvous() throws Exception {
    Consumer<String> warn = AgentLog::warn;
    Consumer<String> info = AgentLog::info;
    Function<String, @Nullable String> values = settings::collector;
    return Class.forName("io.rollotel.traces.collector.Rendezvous", true, inner)
        .asSubclass(AutoCloseable.class)
        .getConstructor(
            File.class,
            boolean.class,
            boolean.class,
            String.class,
            Function.class,
            Consumer.class,
            Consumer.class)
        .newInstance(
            new File(settings.outputDir()).getAbsoluteFile(),
            mayLead(),
            settings.role() == Settings.Role.DRIVER,
            settings.runId(),
            values,
            warn,
            info);
  }

  /** The flight recorder, one for all copies; it makes its file when the first SDK is built. */
  AutoCloseable recorder() throws Exception {
    return Class.forName("io.rollotel.agent.recorder.Recorder", true, inner)
        .asSubclass(AutoCloseable.class)
        .getConstructor(int.class, File.class)
        .newInstance(
            settings.recorderBytes(),
            new File(new File(settings.outputDir()).getAbsoluteFile(), "open"));
  }

  private boolean mayLead() {
    return switch (settings.role()) {
      case DRIVER -> true;
      case WORKER -> false;
      case AUTO -> !settings.endpointGiven("traces");
    };
  }
}
