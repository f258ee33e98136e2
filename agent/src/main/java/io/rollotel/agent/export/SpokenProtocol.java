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
 * Which protocol an endpoint speaks: as the user has set it, else as its port answers. Only a clear
 * answer changes it, so a port where nobody listens, or that is closed by something in between,
 * leaves it as it was. Any thread.
 */
final class SpokenProtocol {

  /** Between two questions to a port that gives no clear answer. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** A server answers at once; whoever takes longer is not asked for longer. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

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
   * @param setting the name of the variable by which the user set it; null where it is found out
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
   * Asks the port, where a request by the current protocol got no answer that could be understood.
   *
   * @param isForeign whether it was answered, and by something that is not the current protocol
   * @return whether the request is to be sent again, since another protocol is current now
   * @throws NotTakenException if the user's setting does not fit the port
   */
  synchronized boolean isFoundOut(
      OtlpProtocol failed, @Nullable SSLContext tls, boolean isForeign, long deadlineNanos)
      throws NotTakenException {
    if (failed != current) {
      return true; // somebody else has found out meanwhile
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
