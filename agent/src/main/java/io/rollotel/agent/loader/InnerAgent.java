package io.rollotel.agent.loader;

import java.lang.instrument.Instrumentation;
import org.jspecify.annotations.Nullable;

/**
 * The agent's inside, as seen from the outer classes. It is the only way from the application's
 * class path into the agent's own class loader; {@link InnerLoader#agent} creates it.
 */
public interface InnerAgent {

  /**
   * Starts tracing before the application's main.
   *
   * @param arguments the agent's arguments, {@code key=value,…}
   * @return whether tracing is on
   */
  boolean start(@Nullable String arguments, Instrumentation instrumentation) throws Exception;

  /**
   * Handles a request of {@code attach}, {@code detach} or {@code doctor} in a running JVM, and
   * answers in a system property of this JVM. Never throws.
   *
   * @return whether tracing is on afterwards
   */
  boolean attach(@Nullable String arguments, Instrumentation instrumentation);

  /** Runs the command line and ends the JVM with the command's exit code. */
  void command(String[] arguments);
}
