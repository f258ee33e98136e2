package io.rollotel.traces.collector;

import io.rollotel.traces.page.LiveReport;
import io.rollotel.traces.report.ReportOptions;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a collector: OTLP/HTTP with the live page, and OTLP/gRPC. They start separately,
 * because grpc-java takes as long to load as everything else, and a run whose workers speak HTTP
 * does not need it.
 */
final class Servers implements Closeable {

  private final RequestWriter writer;
  private final File outputDir;
  private final CollectorSettings settings;
  private final Consumer<String> log;

  // Guarded by this lock, which no thread holds while a server starts or ends.
  private @Nullable Transport transport;
  private final List<Runnable> endings = new ArrayList<>();
  private @Nullable LivePage page;
  private boolean isClosed;

  /** Serves nothing yet. */
  Servers(RequestWriter writer, File outputDir, CollectorSettings settings, Consumer<String> log) {
    this.writer = writer;
    this.outputDir = outputDir;
    this.settings = settings;
    this.log = log;
  }

  /** Serves OTLP/HTTP; closes the socket if that fails. */
  void serveHttp(ListeningSocket socket) throws IOException {
    CollectorSettings.Tls tls = settings.tls();
    Transport carrying = transport();
    HttpServer opened = null;
    try {
      opened =
          HttpServer.open(
              socket.channel(),
              carrying,
              new HttpEndpoint(writer, settings.limits(), page()),
              writer,
              settings.limits(),
              tls == null ? null : new RenewedTls(tls, usual -> usual, log));
    } finally {
      if (opened == null) {
        dropUnused(carrying);
      }
    }
    opened(opened::close, carrying);
  }

  /** Serves OTLP/gRPC; closes the socket if that fails. */
  void serveGrpc(ListeningSocket socket) throws IOException {
    CollectorSettings.Tls tls = settings.tls();
    Transport carrying = transport();
    GrpcServer opened = null;
    try {
      opened =
          GrpcServer.open(
              socket.channel(),
              carrying,
              writer,
              settings.limits(),
              new DaemonThreads("grpc"),
              tls == null ? null : GrpcServer.encryption(tls, log));
    } finally {
      if (opened == null) {
        dropUnused(carrying);
      }
    }
    opened(opened::close, carrying);
  }

  private void opened(Runnable ending, Transport carrying) {
    synchronized (this) {
      if (!isClosed) {
        endings.add(ending);
        return;
      }
    }
    ending.run();
    carrying.close();
  }

  /**
   * One for all servers. Two servers that start at once may each create one; one of them is kept.
   */
  private Transport transport() {
    synchronized (this) {
      if (transport != null) {
        return transport;
      }
    }
    Transport made = new Transport(new DaemonThreads("collector"));
    Transport known;
    synchronized (this) {
      if (transport == null) {
        transport = made;
        return made;
      }
      known = transport;
    }
    made.close();
    return known;
  }

  /** Its threads may have died for lack of memory, so another start creates a new one. */
  private void dropUnused(Transport failed) {
    synchronized (this) {
      if (!endings.isEmpty() || transport != failed) {
        return;
      }
      transport = null;
    }
    failed.close();
  }

  /** The same one for every caller. */
  private synchronized @Nullable LivePage page() {
    if (page != null || !settings.page().isServed()) {
      return page;
    }
    ReportOptions options = ReportOptions.latestRun().withTraceUrl(settings.page().traceUrl());
    // A random one is in a file that only this user may read; the user knows a given one.
    boolean asksAll = settings.token() != null && !settings.token().isEmpty();
    page = new LivePage(new LiveReport(outputDir.toPath(), options), writer, asksAll);
    return page;
  }

  /** Finishes the requests being served, within a second or two. */
  @Override
  public void close() {
    List<Runnable> serving;
    Transport carrying;
    synchronized (this) {
      isClosed = true;
      serving = List.copyOf(endings);
      carrying = transport;
    }
    try {
      end(serving);
    } finally {
      if (carrying != null) {
        carrying.close();
      }
    }
  }

  /** Closes all of them, even if one fails. */
  private static void end(List<Runnable> serving) {
    if (!serving.isEmpty()) {
      try {
        serving.get(0).run();
      } finally {
        end(serving.subList(1, serving.size()));
      }
    }
  }
}
