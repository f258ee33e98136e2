package io.rollotel.agent;

import io.rollotel.agent.loader.InnerAgent;
import io.rollotel.agent.loader.InnerLoader;
import java.lang.instrument.Instrumentation;
import org.jspecify.annotations.Nullable;

/** The agent's inside, held only while tracing is on, because its loader holds all of the agent. */
final class Inside {

  // Guarded by this class.
  private static @Nullable InnerAgent inner;

  private Inside() {}

  static synchronized void start(@Nullable String arguments, Instrumentation instrumentation)
      throws Exception {
    InnerAgent agent = agent();
    inner = agent.start(arguments, instrumentation) ? agent : null;
  }

  static synchronized void attach(@Nullable String arguments, Instrumentation instrumentation)
      throws Exception {
    InnerAgent agent = agent();
    inner = agent.attach(arguments, instrumentation) ? agent : null;
  }

  private static InnerAgent agent() throws Exception {
    return inner == null ? InnerLoader.ofAgent().agent() : inner;
  }
}
