package io.rollotel.agent.export;

import io.rollotel.agent.background.AgentThreads;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.traces.collector.OtlpProtocol;
import io.rollotel.traces.collector.PortProbe;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of an endpoint: as the user has set it, otherwise as its port answers. Only a clear
 * answer changes it. A port on which nothing listens, or that a proxy closes, changes nothing. Any
 * thread.
 */
final class SpokenProtocol {

  /** The time between two probes of a port that gives no clear answer. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /**
   * A server answers at once, but on a busy host this JVM needs seconds for a probe: its classes
   * are loaded and interpreted for the first time.
   */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final URI endpoint;
  private final @Nullable String setting;
  private volatile OtlpProtocol current;

  // Guarded by this.
  private boolean isAsked;
  private long askedNanos;
  private boolean isOther;

  /**
   * What an endpoint speaks.
   *
   * @param setting the name of the variable by which the user set it; null if it is found out
   */
  SpokenProtocol(URI endpoint, OtlpProtocol first, @Nullable String setting) {
    this.endpoint = endpoint;
    this.setting = setting;
    current = first;
  }

  /** Whether the user has set it. */
  boolean isSet() {
    return setting != null;
  }

  OtlpProtocol current() {
    return current;
  }

  /**
   * Probes the port after a request by the current protocol got no intelligible answer.
   *
   * @param isForeign whether there was an answer, but not in the current protocol
   * @return whether to send the request again, because the protocol has changed
   * @throws NotTakenException if the user's setting does not fit the port
   */
  synchronized boolean isFoundOut(
      OtlpProtocol failed, @Nullable SSLContext tls, boolean isForeign, long deadlineNanos)
      throws NotTakenException {
    if (failed != current) {
      return true; // another thread has found out meanwhile
    }
    if (ModuleLayer.boot().findModule("java.logging").isEmpty()) {
      return false; // neither a probe nor gRPC works without it
    }
    long nowNanos = System.nanoTime();
    if (!isAsked || nowNanos - askedNanos >= PAUSE_NANOS) {
      isAsked = true;
      long patienceNanos = Math.min(PATIENCE_NANOS, (deadlineNanos - nowNanos) / 2);
      PortProbe port = new PortProbe(endpoint, tls, AgentThreads.passing(), patienceNanos);
      isOther = port.speaks(failed.other()) && (isForeign || !port.speaks(failed));
      askedNanos = System.nanoTime();
    }
    if (!isOther) {
      return false;
    }
    if (setting != null) {
      throw new NotTakenException(
          NotTakenException.Kind.OTHER_PROTOCOL,
          "this port speaks "
              + failed.other()
              + ": set "
              + setting
              + "="
              + failed.other().setting()
              + ", or leave it out");
    }
    isOther = false;
    current = failed.other();
    AgentLog.info(
        endpoint.getScheme()
            + "://"
            + authority(endpoint)
            + " speaks "
            + current
            + "; requests use "
            + current
            + " from now on");
    return true;
  }

  /** Host and port, without a user's name and password. */
  static String authority(URI endpoint) {
    String authority = String.valueOf(endpoint.getRawAuthority());
    return authority.substring(authority.lastIndexOf('@') + 1);
  }
}
