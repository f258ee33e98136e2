package io.rollotel.benchmarks.peers;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;

/** Takes whatever an agent sends, and counts the spans of OTLP/HTTP. */
final class SpanSink implements AutoCloseable {

  private static final int SPANS_FIELD = 2; // of resource spans and of scope spans alike

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicLong spans = new AtomicLong();

  SpanSink() throws IOException {
    System.setProperty("sun.net.httpserver.nodelay", "true");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::take);
    server.start();
  }

  String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** How many spans came since this was asked last. */
  long taken() {
    return spans.getAndSet(0);
  }

  private void take(HttpExchange exchange) throws IOException {
    try {
      InputStream in = exchange.getRequestBody();
      if ("gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"))) {
        in = new GZIPInputStream(in);
      }
      byte[] body = in.readAllBytes();
      if (exchange.getRequestURI().getPath().equals("/v1/traces")) {
        spans.addAndGet(count(CodedInputStream.newInstance(body), 1, 0));
      }
      exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
      exchange.sendResponseHeaders(200, -1);
    } finally {
      exchange.close();
    }
  }

  /** Depth 0 is the request, 1 resource spans, 2 scope spans; a span is not looked into. */
  private static long count(CodedInputStream in, int field, int depth) throws IOException {
    long count = 0;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (WireFormat.getTagFieldNumber(tag) != field) {
        in.skipField(tag);
      } else if (depth == 2) {
        in.skipField(tag);
        count++;
      } else {
        int limit = in.pushLimit(in.readRawVarint32());
        count += count(in, SPANS_FIELD, depth + 1);
        in.popLimit(limit);
      }
    }
    return count;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
