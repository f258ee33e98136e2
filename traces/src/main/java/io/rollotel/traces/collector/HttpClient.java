package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rollotel.traces.otlp.PartialSuccess;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sender's side of OTLP over HTTP/1.1 without TLS: one persistent connection, and one request
 * at a time. It supports neither proxies nor redirects nor cookies.
 *
 * <p>It does not use the JDK's clients: they read system properties once, with their first request,
 * so settings that the application makes later would have no effect. They also call the
 * application's proxy selectors, cookie handlers and authenticators. A socket channel does not call
 * the application's socket factories either.
 */
public final class HttpClient implements Closeable {

  /** The headers that this class writes itself. */
  private static final Set<String> OWN_HEADERS =
      Set.of(
          "connection",
          "content-length",
          "expect",
          "host",
          "keep-alive",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  /**
   * An answer.
   *
   * @param partial the part that was refused although the request was accepted
   */
  public record Answer(int status, PartialSuccess partial) {

    /** As in the body of an answer in protobuf. */
    public static Answer of(int status, byte[] body) {
      return new Answer(status, status / 100 == 2 ? PartialSuccess.of(body) : PartialSuccess.NONE);
    }
  }

  private final HostPort where;
  private final String requestStart;
  private final long connectNanos;

  private volatile @Nullable HttpConnection connection;
  private volatile boolean isClosed;

  private HttpClient(HostPort where, String requestStart, long connectNanos) {
    this.where = where;
    this.requestStart = requestStart;
    this.connectNanos = connectNanos;
  }

  /**
   * A client; it connects when it is first used.
   *
   * @param endpoint where requests go; user information in it is ignored
   * @param connectNanos how long to wait for each address of the host
   * @throws IllegalArgumentException for an endpoint without a host, or with an invalid port
   */
  public static HttpClient to(URI endpoint, long connectNanos) {
    URI plain = URI.create(endpoint.toASCIIString());
    HostPort where = HostPort.of(plain);
    String path = plain.getRawPath().isEmpty() ? "/" : plain.getRawPath();
    String query = plain.getRawQuery() == null ? "" : "?" + plain.getRawQuery();
    String host = where.host();
    int zone = host.indexOf('%'); // part of an IPv6 address, meaningful only on this host
    String named = zone < 0 ? host : host.substring(0, zone) + "]";
    return new HttpClient(
        where,
        String.join(
            "",
            "POST ",
            path,
            query,
            " HTTP/1.1\r\nHost: ",
            named,
            where.port() == HostPort.HTTP_PORT ? "" : ":" + where.port(),
            "\r\n"),
        connectNanos);
  }

  /**
   * Sends one request and waits for its answer.
   *
   * @param deadlineNanos when to give up, by {@link System#nanoTime}; resolving the host's name
   *     cannot be interrupted
   * @throws java.net.ConnectException if nothing listens there
   * @throws SocketTimeoutException if it is not answered in time
   * @throws IllegalArgumentException for a header that would end before its end
   */
  public synchronized Answer post(Map<String, String> headers, byte[] body, long deadlineNanos)
      throws IOException {
    byte[] head = head(headers, body.length);
    HttpConnection kept = connection;
    if (kept != null && kept.isOpen()) {
      try {
        return post(kept, head, body, deadlineNanos);
      } catch (SocketTimeoutException e) {
        throw e;
      } catch (IOException e) {
        if (kept.hasAnswered() || isClosed) {
          throw e;
        }
        // The server closed it while the request was under way. If it accepted the request before
        // that, readers recognise duplicates by their ids.
      }
    }
    return post(connect(deadlineNanos), head, body, deadlineNanos);
  }

  private Answer post(HttpConnection on, byte[] head, byte[] body, long deadlineNanos)
      throws IOException {
    boolean isKept = false;
    try {
      boolean isSent = on.send(head, body, deadlineNanos);
      HttpAnswer answer = HttpAnswer.await(on, deadlineNanos);
      isKept = isSent && answer.leavesTheConnection();
      return Answer.of(answer.status(), answer.body());
    } finally {
      if (!isKept) {
        on.close();
        connection = null;
      }
    }
  }

  private HttpConnection connect(long deadlineNanos) throws IOException {
    HttpConnection old = connection;
    if (old != null) {
      old.close();
    }
    IOException failure = null;
    for (InetAddress address : where.addresses()) {
      HttpConnection made = new HttpConnection();
      connection = made; // so that close() can end the wait
      boolean isConnected = false;
      try {
        if (isClosed) {
          throw new ClosedChannelException();
        }
        long nowNanos = System.nanoTime();
        long patienceNanos = Math.min(connectNanos, deadlineNanos - nowNanos);
        made.connect(new InetSocketAddress(address, where.port()), nowNanos + patienceNanos);
        isConnected = true;
        return made;
      } catch (IOException | UnsupportedAddressTypeException e) {
        if (failure == null) { // the other exceptions are less useful
          failure = e instanceof IOException io ? io : new IOException(e);
        }
      } finally {
        if (!isConnected) {
          connection = null;
          made.close();
        }
      }
    }
    throw failure == null ? new UnknownHostException(where.host()) : failure;
  }

  private byte[] head(Map<String, String> headers, int bodyBytes) {
    StringBuilder head = new StringBuilder(256).append(requestStart);
    for (Map.Entry<String, String> header : headers.entrySet()) {
      String name = header.getKey();
      if (!OWN_HEADERS.contains(name.toLowerCase(Locale.ROOT))) {
        head.append(checked(name, name)).append(": ").append(checked(name, header.getValue()));
        head.append("\r\n");
      }
    }
    return head.append("Content-Length: ")
        .append(bodyBytes)
        .append("\r\n\r\n")
        .toString()
        .getBytes(ISO_8859_1);
  }

  /** Never prints the value, which may be secret. */
  private static String checked(String name, String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < ' ' && c != '\t') || c == 0x7f) {
        throw new IllegalArgumentException(
            "a control character in the header " + name.replaceAll("\\p{Cntrl}", "?"));
      }
    }
    return text;
  }

  /** Ends the connection, and a request that is under way. */
  @Override
  public void close() {
    isClosed = true;
    HttpConnection open = connection;
    if (open != null) {
      open.close();
    }
  }
}
