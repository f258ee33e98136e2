package io.rollotel.traces.collector;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.Locale;

/** Says which address a collector cannot have, and why. */
public final class CannotListenException extends IOException {

  private static final long serialVersionUID = 1;

  private final InetSocketAddress address;

  CannotListenException(InetSocketAddress address, IOException cause) {
    super("cannot listen on " + address + ": " + cause.getMessage(), cause);
    this.address = address;
  }

  /** Where it was to listen. */
  public InetSocketAddress address() {
    return address;
  }

  /**
   * Whether another process listens there; otherwise this host has no such address, or it is
   * forbidden.
   */
  public boolean isTaken() {
    return getCause() instanceof BindException
        && String.valueOf(getCause().getMessage()).toLowerCase(Locale.ROOT).contains("in use");
  }
}
