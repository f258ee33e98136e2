package io.rollotel.it.kit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A port of this host that nobody listened on a moment ago. */
public final class FreePort {

  private FreePort() {}

  /** Finds one. */
  public static int find() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
