package io.rollotel.traces.collector;

import io.rollotel.traces.otlp.Signal;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The receiver: accepts OTLP/HTTP, in protobuf and JSON, and OTLP/gRPC, and appends the requests to
 * {@code traces/traces.jsonl}, {@code metrics/metrics.jsonl} and {@code logs/logs.jsonl} below a
 * directory.
 *
 * <p>A request is acknowledged once the operating system has it. Its threads are daemons: none
 * keeps the JVM alive. Safe for use by several threads.
 */
public final class EmbeddedCollector implements Closeable {

  private static final long CLOSE_PATIENCE_MILLIS = 1000;

  private final RequestWriter writer;
  private final Sockets sockets;
  private final File outputDir;
  private final CollectorSettings settings;
  private final ThreadFactory threads;
  private final Consumer<String> log;

  // Guarded by this. Not loaded before the first connection, because it loads Netty.
  private @Nullable Servers servers;
  private final List<Sockets> open = new ArrayList<>();
  private boolean isClosed;

  private EmbeddedCollector(
      RequestWriter writer,
      Sockets sockets,
      File outputDir,
      CollectorSettings settings,
      ThreadFactory threads,
      Consumer<String> log) {
    this.writer = writer;
    this.sockets = sockets;
    this.outputDir = outputDir;
    this.settings = settings;
    this.threads = threads;
    this.log = log;
  }

  /**
   * Starts a collector.
   *
   * @param outputDir the directory of the files; created if missing
   * @param token the bearer token that each request must carry, which overrides the settings; empty
   *     for none
   * @param log receives one line for each kind of problem, from any thread
   * @throws IOException if the file cannot be written or an address is taken
   */
  public static EmbeddedCollector start(
      File outputDir, String token, CollectorSettings settings, Consumer<String> log)
      throws IOException {
    Sockets sockets = Sockets.listen(settings);
    EmbeddedCollector started = null;
    try {
      started = start(outputDir, token, settings, sockets, new DaemonThreads("socket"), log);
      return started;
    } finally {
      if (started == null) {
        sockets.close();
      }
    }
  }

  /**
   * The same on sockets that already listen. It closes them at its end, and if it cannot start.
   *
   * @param threads makes those that wait for connections
   */
  static EmbeddedCollector start(
      File outputDir,
      String token,
      CollectorSettings settings,
      Sockets sockets,
      ThreadFactory threads,
      Consumer<String> log)
      throws IOException {
    RequestWriter writer = RequestWriter.open(outputDir, token, settings, log);
    EmbeddedCollector made =
        new EmbeddedCollector(writer, sockets, outputDir, settings, threads, log);
    EmbeddedCollector started = null;
    try {
      made.serve(sockets);
      started = made;
      return made;
    } finally {
      if (started == null) {
        made.endServing();
        writer.close();
      }
    }
  }

  /** Serves on these as well, and closes them at its end. */
  void serve(Sockets more) throws IOException {
    synchronized (this) {
      open.add(more);
      if (isClosed) {
        more.close();
        return;
      }
    }
    ListeningSocket http = more.http();
    serve(http, () -> servers().serveHttp(http));
    ListeningSocket grpc = more.grpc();
    if (grpc != null) {
      serve(grpc, () -> servers().serveGrpc(grpc));
    }
  }

  /**
   * Starts servers on the first connection: loading Netty takes a quarter of a second of processor
   * time, and grpc-java as much again. No driver should pay for a protocol that its workers do not
   * use. Bad certificates, however, must make the start fail.
   */
  private void serve(ListeningSocket socket, ListeningSocket.Start start) throws IOException {
    if (settings.tls() != null) {
      start.run();
      return;
    }
    try {
      socket.startWhenAsked(threads, start, log);
    } catch (OutOfMemoryError e) {
      throw new IOException("no thread can be started", e);
    }
  }

  /**
   * The address, {@code http://host:port}, or {@code https} if connections are encrypted; senders
   * append {@code /v1/traces}. For a wildcard address, the host is the loopback address.
   */
  public URI endpoint() {
    return sockets.endpoint();
  }

  /** The same of OTLP/gRPC; null if there is none. */
  public @Nullable URI grpcEndpoint() {
    return sockets.grpcEndpoint();
  }

  /** The port of OTLP/gRPC; {@link CollectorSettings#NONE} if there is none. */
  public int grpcPort() {
    URI grpc = grpcEndpoint();
    return grpc == null ? CollectorSettings.NONE : grpc.getPort();
  }

  /** The number of requests acknowledged. */
  public long accepted() {
    return writer.counts().accepted();
  }

  /** The number of spans written to the file; a span that was sent twice counts twice. */
  public long written() {
    return writer.counts().written(Signal.TRACES);
  }

  /** The number of requests answered otherwise: malformed, unauthorized, not to be written. */
  public long refused() {
    return writer.counts().refused();
  }

  /** Writes a request of this process as if it had been received. */
  void append(Signal signal, byte[] request) throws IOException {
    try {
      writer.write(signal, false, new ByteArrayInputStream(request), false);
    } catch (Refusal e) {
      throw new IOException(e.text(), e);
    }
  }

  /** Accepted and written data, and refusals with their reasons, in one line for users. */
  public String summary() {
    return writer.counts().toString();
  }

  /** The same for the process whose own spans this collector writes. */
  String summaryOfDriver() {
    return writer.counts().ofDriver();
  }

  /**
   * Accepts no more requests, finishes the received ones within a second or two, and closes the
   * files.
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

  private synchronized Servers servers() throws IOException {
    if (isClosed) {
      throw new IOException("the collector is closed");
    }
    Servers known = servers;
    if (known == null) {
      known = new Servers(writer, outputDir, settings, log);
      servers = known;
    }
    return known;
  }

  private void endServing() {
    Servers serving;
    synchronized (this) {
      isClosed = true;
      serving = servers;
      open.forEach(Sockets::close);
    }
    if (serving != null) {
      serving.close();
    }
  }
}
