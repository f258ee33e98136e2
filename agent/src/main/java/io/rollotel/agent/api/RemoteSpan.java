package io.rollotel.agent.api;

import io.rollotel.agent.loader.InnerLoader;
import org.jspecify.annotations.Nullable;

/**
 * A span around a call between processes, as seen from outside the {@link InnerLoader} that holds
 * it: see {@link Tracing#send} and {@link Tracing#receive}. For the thread that made it.
 */
public abstract class RemoteSpan {

  /** Sent instead of a context if tracing is suppressed. */
  public static final String SUPPRESSED = "-";

  /** For subclasses. */
  protected RemoteSpan() {}

  /** Whether attributes are recorded. */
  public abstract boolean isRecording();

  /** The context for the receiver: a W3C traceparent, or {@link #SUPPRESSED}. */
  public abstract String traceparent();

  /** Sets an attribute; an empty value is none. */
  public abstract void set(String key, String value);

  /** Sets an attribute. */
  public abstract void set(String key, long value);

  /** The call failed, whatever {@link #end} is told. */
  public abstract void failed(Throwable thrown);

  /** For a received call: a phase begins; the empty name ends the previous one. */
  public abstract void phase(String name);

  /** Ends the call, and makes the earlier context current again. */
  public abstract void end(@Nullable Throwable thrown);
}
