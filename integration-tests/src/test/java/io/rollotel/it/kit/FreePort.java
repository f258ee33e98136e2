package io.rollotel.it.kit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** A port of this host on which nobody listened a moment ago. */
public final class FreePort {

  /**
   * Linux and macOS give out ports above these for connections and for port 0. One of those may be
   * taken by the time somebody listens on it.
   */
  private static final int FIRST = 20_000;

  private static final int END = 32_768;

  private static final int TRIES = 100;

  private FreePort() {}

  /** Finds one. */
  public static int find() throws IOException {
    IOException reason = null;
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException taken) {
        reason = taken;
      }
    }
    throw new IOException("no port is free between " + FIRST + " and " + END, reason);
  }
}
