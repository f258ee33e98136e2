package io.rollotel.agent.command;

/**
 * How a command and the JVM that it attaches to communicate: the request is the agent's argument,
 * the answer is in system properties of that JVM.
 */
public final class AttachProtocol {

  /** The one argument that ends tracing. */
  public static final String DETACH = "detach";

  /** The argument that asks which methods were declared, woven and called. */
  public static final String DOCTOR = "doctor";

  /** The system property of the answer: {@link #DONE} or {@link #FAILED}, then lines of text. */
  public static final String ANSWER = "io.rollotel.agent.answer";

  /**
   * The system property that is there while tracing is on. Its value is the output directory.
   * {@code io.rollotel.telemetry} looks for it, too.
   */
  public static final String TRACING = "io.rollotel.agent.tracing";

  public static final String DONE = "done";
  public static final String FAILED = "failed";

  private AttachProtocol() {}
}
