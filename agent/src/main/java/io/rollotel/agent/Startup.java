package io.rollotel.agent;

import io.rollotel.agent.hook.TraceHook;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import org.jspecify.annotations.Nullable;

/**
 * What premain does once tracing may be enabled: read the settings, put the agent behind the hook,
 * watch class loading. Nothing heavy: Byte Buddy waits for the first annotated class, the SDK for
 * the first traced call.
 */
final class Startup {

  private Startup() {}

  static void start(@Nullable String arguments, Instrumentation instrumentation)
      throws IOException {
    if (TraceHook.active()) {
      AgentLog.warn("a second -javaagent of roll-otel on this command line is ignored");
      return;
    }
    Settings settings = Settings.read(arguments, System.getenv());
    boolean enabled = settings.enabled();
    if (enabled) {
      settings.check();
    }
    for (String complaint : settings.complaints()) {
      AgentLog.warn(complaint);
    }
    if (!enabled) {
      return;
    }
    InnerLoader inner = InnerLoader.ofAgent();
    TraceHook.connect(new ApiCopies(settings, inner));
    // Able to retransform, and so behind the transformers that are not, in whichever order they
    // were
    // given: JaCoCo knows a class by the bytes that it is shown.
    instrumentation.addTransformer(new AnnotatedClasses(inner, settings.methods()), true);
    AgentLog.info("enabled; traces go to " + settings.outputDir());
  }
}
