package io.rollotel.traces.collector;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;

/**
 * Where an endpoint is.
 *
 * @param host a name, or an address, in brackets if it is one of IPv6
 */
record HostPort(String host, int port) {

  static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;
  private static final int MAX_PORT = 65_535;

  /**
   * Reads host and port; what the endpoint says of a user is ignored.
   *
   * @throws IllegalArgumentException for an endpoint without a host, or with a port that none is
   */
  static HostPort of(URI endpoint) {
    // Not by its getHost(), which knows no underscores, as names of containers have them.
    String authority = endpoint.getRawAuthority() == null ? "" : endpoint.getRawAuthority();
    authority = authority.substring(authority.lastIndexOf('@') + 1);
    int colon = authority.indexOf(':', authority.indexOf(']') + 1);
    String host = colon < 0 ? authority : authority.substring(0, colon);
    String portText = colon < 0 ? "" : authority.substring(colon + 1);
    int usual = "https".equals(endpoint.getScheme()) ? HTTPS_PORT : HTTP_PORT;
    int port = portText.isEmpty() ? usual : Integer.parseInt(portText);
    if (host.isEmpty() || port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException("neither host nor port in " + authority);
    }
    return new HostPort(host, port);
  }

  /** The name service is asked for names alone: it, too, reads settings of the host's once. */
  InetAddress[] addresses() throws IOException {
    if (host.equalsIgnoreCase("localhost")) {
      return new InetAddress[] {
        InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1}),
        InetAddress.getByAddress(host, new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
      };
    }
    return InetAddress.getAllByName(host.replace("%25", "%"));
  }
}
