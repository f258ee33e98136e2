package io.rollotel.traces.collector;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;

/**
 * The address of an endpoint.
 *
 * @param host a name or an address; an IPv6 address is in brackets
 */
public record HostPort(String host, int port) {

  static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;
  private static final int MAX_PORT = 65_535;

  /**
   * Reads host and port; ignores user information.
   *
   * @throws IllegalArgumentException for an endpoint without a host, or with an invalid port
   */
  public static HostPort of(URI endpoint) {
    // Not by getHost(), which rejects underscores, which names of containers may have.
    String authority = endpoint.getRawAuthority() == null ? "" : endpoint.getRawAuthority();
    authority = authority.substring(authority.lastIndexOf('@') + 1);
    int colon = authority.indexOf(':', authority.indexOf(']') + 1);
    String host = colon < 0 ? authority : authority.substring(0, colon);
    String portText = colon < 0 ? "" : authority.substring(colon + 1);
    int usual = "https".equals(endpoint.getScheme()) ? HTTPS_PORT : HTTP_PORT;
    int port =
        portText.isEmpty() ? usual : portText.matches("\\d{1,5}") ? Integer.parseInt(portText) : -1;
    if (host.isEmpty() || port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException(
          "no host, or no port up to " + MAX_PORT + ", in " + authority);
    }
    return new HostPort(host, port);
  }

  /**
   * The same endpoint for the JDK's client for HTTP, which takes no name with an underscore: the
   * address in its place. With TLS the name stays, because the certificate is for it.
   *
   * @throws IOException if such a name has no address
   * @throws IllegalArgumentException as {@link #of}
   */
  public static URI forJdk(URI endpoint) throws IOException {
    if (endpoint.getHost() != null || "https".equals(endpoint.getScheme())) {
      return endpoint;
    }
    HostPort where = of(endpoint);
    String address = where.addresses()[0].getHostAddress();
    String rest = endpoint.toString().replaceFirst("^[^:]*://[^/?#]*", "");
    return URI.create(
        "http://"
            + (address.contains(":") ? "[" + address + "]" : address)
            + ":"
            + where.port()
            + rest);
  }

  /** Only names are resolved: the name service fixes settings of the application as well. */
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
