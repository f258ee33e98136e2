package io.rollotel.traces.collector;

import io.rollotel.traces.page.LiveReport;
import io.rollotel.traces.report.ReportOptions;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a collector serves: OTLP/HTTP, OTLP/gRPC where it has a port for it, and the live page. */
final class Servers implements Closeable {

  private final Transport transport;
  private final HttpServer http;
  private final @Nullable GrpcServer grpc;

  private Servers(Transport transport, HttpServer http, @Nullable GrpcServer grpc) {
    this.transport = transport;
    this.http = http;
    this.grpc = grpc;
  }

  static Servers start(
      HttpSocket socket,
      RequestWriter writer,
      File outputDir,
      CollectorSettings settings,
      Consumer<String> log)
      throws IOException {
    CollectorSettings.Limits limits = settings.limits();
    CollectorSettings.Tls tls = settings.tls();
    Transport transport = null;
    try {
      transport = new Transport(new DaemonThreads("collector"));
      HttpServer http =
          HttpServer.open(
              socket.channel(),
              transport,
              new HttpEndpoint(writer, limits, page(writer, outputDir, settings)),
              writer,
              limits,
              tls == null ? null : new RenewedTls(tls, usual -> usual, log));
      GrpcServer grpc = null;
      if (settings.grpcPort() != CollectorSettings.NONE) {
        grpc =
            GrpcServer.open(
                new InetSocketAddress(settings.host(), settings.grpcPort()),
                transport,
                writer,
                limits,
                new DaemonThreads("grpc"),
                tls == null ? null : GrpcServer.encryption(tls, log));
      }
      return new Servers(transport, http, grpc);
    } catch (IOException | RuntimeException | Error e) {
      if (transport != null) {
        transport.close();
      }
      throw e;
    }
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

  int grpcPort() {
    return grpc == null ? CollectorSettings.NONE : grpc.port();
  }

  /** Finishes what is being served, for which it waits a second or two at most. */
  @Override
  public void close() {
    try {
      http.close();
    } finally {
      try {
        if (grpc != null) {
          grpc.close();
        }
      } finally {
        transport.close();
      }
    }
  }
}
