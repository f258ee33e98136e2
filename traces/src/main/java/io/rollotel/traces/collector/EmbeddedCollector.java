package io.rollotel.traces.collector;

import com.sun.net.httpserver.HttpServer;
import io.rollotel.traces.file.TracesWriter;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The driver's receiver: takes spans over OTLP/HTTP in protobuf and appends them to a traces file.
 *
 * <p>A request is acknowledged when its spans are with the operating system. Its threads, two and
 * the server's own, are daemons: none keeps the JVM alive. Safe for use by several threads.
 */
public final class EmbeddedCollector implements Closeable {

  /** The largest request that is taken, in bytes, as it is sent and as it is decompressed. */
  public static final int MAX_REQUEST_BYTES = TracesWriter.MAX_REQUEST_BYTES;

  private static final int THREADS = 2;

  /** How many connections may wait for their first look: all of a run's workers start at once. */
  private static final int BACKLOG = 512;

  /** How long a request may keep a thread that others wait for. */
  private static final long STALL_PATIENCE_MILLIS = 30_000;

  private static final long CLOSE_PATIENCE_MILLIS = 1000;

  private final TracesWriter writer;
  private final TracesEndpoint traces;
  private final HttpServer server;
  private final ExecutorService threads;
  private final URI endpoint;
  private final Consumer<String> log;

  private EmbeddedCollector(
      TracesWriter writer,
      TracesEndpoint traces,
      HttpServer server,
      ExecutorService threads,
      URI endpoint,
      Consumer<String> log) {
    this.writer = writer;
    this.traces = traces;
    this.server = server;
    this.threads = threads;
    this.endpoint = endpoint;
    this.log = log;
  }

  /**
   * Starts a collector.
   *
   * @param bind the address to listen on
   * @param port the port to listen on; 0 for any that is free
   * @param token the bearer token that each request must carry; empty for none
   * @param tracesFile the file to append to; created where it is missing
   * @param log takes single lines about trouble, from any thread, each kind of trouble once
   * @throws IOException if the file cannot be written or the address is taken
   */
  public static EmbeddedCollector start(
      InetAddress bind, int port, String token, File tracesFile, Consumer<String> log)
      throws IOException {
    return start(bind, port, token, tracesFile, log, MAX_REQUEST_BYTES, STALL_PATIENCE_MILLIS);
  }

  static EmbeddedCollector start(
      InetAddress bind,
      int port,
      String token,
      File tracesFile,
      Consumer<String> log,
      int maxRequestBytes,
      long stallPatienceMillis)
      throws IOException {
    TracesWriter writer = TracesWriter.open(tracesFile);
    try {
      TracesEndpoint traces = new TracesEndpoint(writer, token, maxRequestBytes, log);
      AtomicInteger number = new AtomicInteger();
      ExecutorService threads =
          new CollectorThreads(
              THREADS,
              stallPatienceMillis,
              task -> daemon(task, "roll-otel-collector-" + number.incrementAndGet()));
      HttpServer server = serve(new InetSocketAddress(bind, port), traces, threads);
      InetAddress host = bind.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : bind;
      return new EmbeddedCollector(
          writer, traces, server, threads, endpoint(host, server.getAddress().getPort()), log);
    } catch (IOException e) {
      writer.close();
      throw e;
    }
  }

  private static HttpServer serve(
      InetSocketAddress address, TracesEndpoint traces, ExecutorService threads)
      throws IOException {
    FutureTask<HttpServer> start =
        new FutureTask<>(
            () -> {
              HttpServer server = HttpServer.create(address, BACKLOG);
              server.createContext("/", traces);
              server.setExecutor(threads);
              server.start();
              return server;
            });
    // The server's threads take over whether they are daemons, and the context class loader, from
    // the thread that starts them.
    Thread starter = daemon(start, "roll-otel-collector-start");
    starter.start();
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          return start.get();
        } catch (InterruptedException e) {
          isInterrupted = true;
        } catch (ExecutionException e) {
          threads.shutdown();
          throw new IOException("cannot listen on " + address + ": " + e.getCause(), e.getCause());
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(null, task, name, 0, false);
    thread.setDaemon(true);
    // Not the application's, which could then never be collected.
    thread.setContextClassLoader(EmbeddedCollector.class.getClassLoader());
    return thread;
  }

  private static URI endpoint(InetAddress address, int port) {
    String host = address.getHostAddress();
    return URI.create("http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
  }

  /**
   * Where it listens, {@code http://host:port}; senders append {@code /v1/traces}. For a wildcard
   * address the host is the loopback address.
   */
  public URI endpoint() {
    return endpoint;
  }

  /** The number of requests acknowledged with 200. */
  public long accepted() {
    return traces.accepted();
  }

  /** The number of spans written to the file; one that was sent twice counts twice. */
  public long written() {
    return traces.written();
  }

  /** The number of requests answered otherwise: malformed, unauthorized, not to be written. */
  public long refused() {
    return traces.refused();
  }

  /**
   * Takes no more requests, finishes those that have arrived, for which it waits a second at most,
   * and closes the file.
   */
  @Override
  public void close() {
    // Not HttpServer.stop(1): before JDK 24 that waits a full second even if nothing is served.
    traces.close(CLOSE_PATIENCE_MILLIS);
    server.stop(0);
    threads.shutdown();
    try {
      writer.close();
    } catch (IOException e) {
      log.accept("the traces file was not closed cleanly: " + e);
    }
  }
}
