package io.rollotel.benchmarks.peers;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;

/** Takes whatever an agent sends, and counts the spans of OTLP/HTTP. */
final class SpanSink implements AutoCloseable {

  private static final int INNER_FIELD =
      2; // the contents of resource spans and scope spans, and a span's id

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  /** Guarded by this, as their number. */
  private long[] spanIds = new long[1 << 16];

  private int spans;

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

  /** The ids of the spans that came since this was asked last, each as often as it came. */
  synchronized long[] taken() {
    long[] taken = Arrays.copyOf(spanIds, spans);
    spans = 0;
    return taken;
  }

  private synchronized void add(long spanId) {
    if (spans == spanIds.length) {
      spanIds = Arrays.copyOf(spanIds, 2 * spans);
    }
    spanIds[spans++] = spanId;
  }

  private void take(HttpExchange exchange) throws IOException {
    try {
      InputStream in = exchange.getRequestBody();
      if ("gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"))) {
        in = new GZIPInputStream(in);
      }
      byte[] body = in.readAllBytes();
      if (exchange.getRequestURI().getPath().equals("/v1/traces")) {
        find(CodedInputStream.newInstance(body), 1, 0);
      }
      exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
      exchange.sendResponseHeaders(200, -1);
    } finally {
      exchange.close();
    }
  }

  /** Depth 0 is the request, 1 resource spans, 2 scope spans, 3 a span. */
  private void find(CodedInputStream in, int field, int depth) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (WireFormat.getTagFieldNumber(tag) != field) {
        in.skipField(tag);
      } else if (depth == 3) {
        add(ByteBuffer.wrap(in.readByteArray()).getLong());
      } else {
        int limit = in.pushLimit(in.readRawVarint32());
        find(in, INNER_FIELD, depth + 1);
        in.popLimit(limit);
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
