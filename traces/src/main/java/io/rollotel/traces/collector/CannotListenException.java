package io.rollotel.traces.collector;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.Locale;

/** Thrown if a collector cannot listen on an address; the message says which and why. */
public final class CannotListenException extends IOException {

  private static final long serialVersionUID = 1;

  private final InetSocketAddress address;

  CannotListenException(InetSocketAddress address, IOException cause) {
    super("cannot listen on " + text(address) + ": " + cause.getMessage(), cause);
    this.address = address;
  }

  /** Without the slash that stands before an address without a name. */
  private static String text(InetSocketAddress address) {
    return address.toString().replaceFirst("^/", "");
  }

  /** The address to listen on. */
  public InetSocketAddress address() {
    return address;
  }

  /**
   * Whether another process listens there; otherwise this host has no such address, or the port is
   * forbidden.
   */
  public boolean isTaken() {
    return getCause() instanceof BindException
        && String.valueOf(getCause().getMessage()).toLowerCase(Locale.ROOT).contains("in use");
  }
}
