package io.rollotel.traces.collector;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * The sockets that a collector listens on. They can be opened, and their addresses announced,
 * before there is a collector.
 *
 * @param grpc null if there is no OTLP/gRPC
 * @param scheme of both addresses
 */
record Sockets(ListeningSocket http, @Nullable ListeningSocket grpc, String scheme)
    implements Closeable {

  /**
   * Listens on the addresses in the settings.
   *
   * @throws IOException if an address is taken
   */
  static Sockets listen(CollectorSettings settings) throws IOException {
    ListeningSocket http = open(settings, settings.httpPort());
    ListeningSocket grpc = null;
    try {
      if (settings.grpcPort() != CollectorSettings.NONE) {
        grpc = open(settings, settings.grpcPort());
      }
      return new Sockets(http, grpc, settings.tls() == null ? "http" : "https");
    } catch (IOException | RuntimeException | Error e) {
      http.close();
      throw e;
    }
  }

  /**
   * After {@link #close}, listens on the same addresses again.
   *
   * @throws IOException if somebody has taken one meanwhile
   */
  Sockets again() throws IOException {
    ListeningSocket first = ListeningSocket.listen(http.address());
    try {
      ListeningSocket second = grpc == null ? null : ListeningSocket.listen(grpc.address());
      return new Sockets(first, second, scheme);
    } catch (IOException | RuntimeException | Error e) {
      first.close();
      throw e;
    }
  }

  private static ListeningSocket open(CollectorSettings settings, int port) throws IOException {
    return ListeningSocket.listen(new InetSocketAddress(settings.host(), port));
  }

  /** Of OTLP/HTTP. For a wildcard address the host is the loopback address. */
  URI endpoint() {
    return uri(http);
  }

  /** Of OTLP/gRPC; null if there is none. */
  @Nullable URI grpcEndpoint() {
    return grpc == null ? null : uri(grpc);
  }

  private URI uri(ListeningSocket socket) {
    InetAddress address = socket.address().getAddress();
    String host =
        (address.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : address).getHostAddress();
    String shown = host.contains(":") ? "[" + host + "]" : host;
    return URI.create(scheme + "://" + shown + ":" + socket.address().getPort());
  }

  @Override
  public void close() {
    http.close();
    if (grpc != null) {
      grpc.close();
    }
  }
}
