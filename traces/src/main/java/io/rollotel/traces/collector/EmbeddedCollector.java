package io.rollotel.traces.collector;

import io.rollotel.traces.otlp.Signal;
import io.rollotel.traces.page.LiveReport;
import io.rollotel.traces.report.ReportOptions;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
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

  private static final int STACK_BYTES = 256 << 10;

  private static final long CLOSE_PATIENCE_MILLIS = 1000;

  private final RequestWriter writer;
  private final Transport transport;
  private final HttpServer http;
  private final URI endpoint;
  private final @Nullable GrpcServer grpc;

  private EmbeddedCollector(
      RequestWriter writer,
      Transport transport,
      HttpServer http,
      URI endpoint,
      @Nullable GrpcServer grpc) {
    this.writer = writer;
    this.transport = transport;
    this.http = http;
    this.endpoint = endpoint;
    this.grpc = grpc;
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
    CollectorSettings.Limits limits = settings.limits();
    RequestWriter writer = RequestWriter.open(outputDir, token, settings, log);
    CollectorSettings.Tls tls = settings.tls();
    Transport transport = null;
    try {
      transport = new Transport(numbered("collector"));
      HttpServer http =
          HttpServer.open(
              new InetSocketAddress(settings.host(), settings.httpPort()),
              transport,
              new HttpEndpoint(writer, limits, page(writer, outputDir, settings)),
              writer,
              limits,
              tls == null ? null : new RenewedTls(tls, usual -> usual, log));
      InetAddress host =
          settings.host().isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : settings.host();
      GrpcServer grpc = null;
      if (settings.grpcPort() != CollectorSettings.NONE) {
        InetSocketAddress address = new InetSocketAddress(settings.host(), settings.grpcPort());
        grpc =
            GrpcServer.open(
                address,
                transport,
                writer,
                limits,
                numbered("grpc"),
                tls == null ? null : GrpcServer.encryption(tls, log));
      }
      return new EmbeddedCollector(
          writer,
          transport,
          http,
          endpoint(tls == null ? "http" : "https", host, http.port()),
          grpc);
    } catch (IOException | RuntimeException | Error e) {
      if (transport != null) {
        transport.close();
      }
      writer.close();
      throw e;
    }
  }

  private static ThreadFactory numbered(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> daemon(task, "roll-otel-" + name + "-" + number.incrementAndGet());
  }

  private static @Nullable LivePage page(
      RequestWriter writer, File outputDir, CollectorSettings settings) {
    if (!settings.page().isServed()) {
      return null;
    }
    ReportOptions options = ReportOptions.latestRun().withTraceUrl(settings.page().traceUrl());
    // A random one is in a file that only this user may read; a given one its user has at hand.
    boolean asksAll = settings.token() != null && !settings.token().isEmpty();
    return new LivePage(new LiveReport(outputDir.toPath(), options), writer, asksAll);
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(null, task, name, STACK_BYTES, false);
    thread.setDaemon(true);
    // Not the application's, which could then never be collected.
    thread.setContextClassLoader(EmbeddedCollector.class.getClassLoader());
    return thread;
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
    return grpc == null ? CollectorSettings.NONE : grpc.port();
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

  /** Appends a request to the traces file as if it had arrived. */
  void append(byte[] request) throws IOException {
    try {
      writer.write(Signal.TRACES, false, new ByteArrayInputStream(request), false);
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
    writer.budget().close(patienceMillis);
    http.close();
    if (grpc != null) {
      grpc.close();
    }
    transport.close();
    writer.close();
  }
}
