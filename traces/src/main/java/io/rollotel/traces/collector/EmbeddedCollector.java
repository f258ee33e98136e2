package io.rollotel.traces.collector;

import io.rollotel.traces.otlp.Signal;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The receiver: takes OTLP/HTTP, in protobuf and JSON, and OTLP/gRPC where it is given a port for
 * it, and appends what it takes to {@code traces/traces.jsonl}, {@code metrics/metrics.jsonl} and
 * {@code logs/logs.jsonl} below a directory.
 *
 * <p>A request is acknowledged when it is with the operating system. Its threads are daemons: none
 * keeps the JVM alive. Safe for use by several threads.
 */
public final class EmbeddedCollector implements Closeable {

  private static final long CLOSE_PATIENCE_MILLIS = 1000;

  private final RequestWriter writer;
  private final HttpSocket socket;
  private final URI endpoint;

  // Guarded by this.
  private @Nullable Servers servers;
  private boolean isClosed;

  private EmbeddedCollector(RequestWriter writer, HttpSocket socket, URI endpoint) {
    this.writer = writer;
    this.socket = socket;
    this.endpoint = endpoint;
  }

  /**
   * Starts a collector.
   *
   * @param outputDir the directory of the files; what is missing is created
   * @param token the bearer token that each request must carry, whatever the settings say; empty
   *     for none
   * @param log takes single lines about trouble, from any thread, each kind of trouble once
   * @throws IOException if the file cannot be written or an address is taken
   */
  public static EmbeddedCollector start(
      File outputDir, String token, CollectorSettings settings, Consumer<String> log)
      throws IOException {
    RequestWriter writer = RequestWriter.open(outputDir, token, settings, log);
    HttpSocket socket = null;
    EmbeddedCollector started = null;
    try {
      socket = HttpSocket.listen(new InetSocketAddress(settings.host(), settings.httpPort()));
      InetAddress host =
          settings.host().isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : settings.host();
      String scheme = settings.tls() == null ? "http" : "https";
      EmbeddedCollector made =
          new EmbeddedCollector(writer, socket, endpoint(scheme, host, socket.port()));
      HttpSocket listening = socket;
      HttpSocket.Start serve =
          () -> made.serve(Servers.start(listening, writer, outputDir, settings, log));
      if (settings.grpcPort() == CollectorSettings.NONE && settings.tls() == null) {
        // A driver's. Netty takes a quarter of a second of processor time to load: no driver should
        // pay for it that has no workers.
        socket.startWhenAsked(new DaemonThreads("socket"), serve, log);
      } else {
        serve.run();
      }
      started = made;
      return made;
    } finally {
      if (started == null) {
        if (socket != null) {
          socket.close();
        }
        writer.close();
      }
    }
  }

  private void serve(Servers started) {
    synchronized (this) {
      if (!isClosed) {
        servers = started;
        return;
      }
    }
    started.close();
  }

  private static URI endpoint(String scheme, InetAddress address, int port) {
    String host = address.getHostAddress();
    return URI.create(scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
  }

  /**
   * Where it listens, {@code http://host:port}, {@code https} where connections are encrypted;
   * senders append {@code /v1/traces}. For a wildcard address the host is the loopback address.
   */
  public URI endpoint() {
    return endpoint;
  }

  /** The port of OTLP/gRPC; {@link CollectorSettings#NONE} where there is none. */
  public int grpcPort() {
    Servers serving = servers();
    return serving == null ? CollectorSettings.NONE : serving.grpcPort();
  }

  /** The number of requests acknowledged. */
  public long accepted() {
    return writer.counts().accepted();
  }

  /** The number of spans written to the file; one that was sent twice counts twice. */
  public long written() {
    return writer.counts().written(Signal.TRACES);
  }

  /** The number of requests answered otherwise: malformed, unauthorized, not to be written. */
  public long refused() {
    return writer.counts().refused();
  }

  private synchronized @Nullable Servers servers() {
    return servers;
  }

  /** Writes a request of this process's as if it had arrived. */
  void append(Signal signal, byte[] request) throws IOException {
    try {
      writer.write(signal, false, new ByteArrayInputStream(request), false);
    } catch (Refusal e) {
      throw new IOException(e.text(), e);
    }
  }

  /** What was accepted, written, and refused for which reasons, in one line for people. */
  public String summary() {
    return writer.counts().toString();
  }

  /**
   * Takes no more requests, finishes those that have arrived, for which it waits a second or two at
   * most, and closes the files.
   */
  @Override
  public void close() {
    close(CLOSE_PATIENCE_MILLIS);
  }

  void close(long patienceMillis) {
    try {
      writer.budget().close(patienceMillis);
    } finally {
      try {
        endServing();
      } finally {
        writer.close();
      }
    }
  }

  private void endServing() {
    try {
      socket.close();
    } finally {
      Servers serving;
      synchronized (this) {
        isClosed = true;
        serving = servers;
      }
      if (serving != null) {
        serving.close();
      }
    }
  }
}
