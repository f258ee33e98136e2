package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.rollotel.traces.file.MalformedRequestException;
import io.rollotel.traces.file.TracesWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/** The door of the collector: {@code POST /v1/traces} as OTLP/HTTP has it, protobuf only. */
final class TracesEndpoint implements HttpHandler {

  static final String PATH = "/v1/traces";
  private static final String PROTOBUF = "application/x-protobuf";

  /**
   * What is read of a refused request's body, so that its sender gets to read the answer: a
   * connection closed with bytes unread is reset.
   */
  private static final int MAX_DRAINED_BYTES = 8 << 20;

  private final TracesWriter writer;
  private final byte[] token;
  private final int maxRequestBytes;
  private final Consumer<String> log;

  private final InFlight inFlight = new InFlight();
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();

  private final Set<Integer> loggedRefusals = ConcurrentHashMap.newKeySet();
  private long failedInARow; // guarded by this

  TracesEndpoint(TracesWriter writer, String token, int maxRequestBytes, Consumer<String> log) {
    this.writer = writer;
    this.token = token.getBytes(UTF_8);
    this.maxRequestBytes = maxRequestBytes;
    this.log = log;
  }

  long accepted() {
    return accepted.get();
  }

  long written() {
    return written.get();
  }

  long refused() {
    return refused.get();
  }

  /** Answers all further requests with 503 and waits for those that are being served. */
  void close(long patienceMillis) {
    inFlight.close(patienceMillis);
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    boolean isLetIn = inFlight.enter();
    try {
      if (!isLetIn) {
        throw unavailable("the collector stops");
      }
      receive(exchange);
      accepted.incrementAndGet();
      exchange.getResponseHeaders().set("Content-Type", PROTOBUF);
      // No body: an empty ExportTraceServiceResponse has no bytes. Headers and body would leave in
      // two TCP segments, and the second would wait 40 ms for the delayed acknowledgement of the
      // first, as this server sets no TCP_NODELAY. Refusals are rare enough to bear that.
      exchange.sendResponseHeaders(200, -1);
    } catch (HttpRefusal refusal) {
      refuse(exchange, refusal);
    } catch (RuntimeException | Error e) {
      refuse(exchange, new HttpRefusal(500, HttpRefusal.INTERNAL, "internal error: " + e));
    } finally {
      exchange.close();
      if (isLetIn) {
        inFlight.leave();
      }
    }
  }

  private void receive(HttpExchange exchange) throws IOException, HttpRefusal {
    String path = exchange.getRequestURI().getPath();
    if (!PATH.equals(path)) {
      throw new HttpRefusal(404, HttpRefusal.NOT_FOUND, "only " + PATH + " is served here");
    }
    if (!exchange.getRequestMethod().equals("POST")) {
      exchange.getResponseHeaders().set("Allow", "POST");
      throw new HttpRefusal(405, HttpRefusal.UNIMPLEMENTED, "only POST is served here");
    }
    if (!isAuthorized(header(exchange, "Authorization"))) {
      exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
      throw new HttpRefusal(401, HttpRefusal.UNAUTHENTICATED, "bearer token missing or wrong");
    }
    String type = header(exchange, "Content-Type").split(";", 2)[0].trim();
    if (!type.equalsIgnoreCase(PROTOBUF)) {
      throw unsupported("Content-Type " + type);
    }
    String encoding = header(exchange, "Content-Encoding").trim().toLowerCase(Locale.ROOT);
    byte[] request = readAtMost(exchange.getRequestBody());
    switch (encoding) {
      case "", "identity" -> write(request);
      case "gzip" -> write(gunzip(request));
      default -> throw unsupported("Content-Encoding " + encoding);
    }
  }

  private boolean isAuthorized(String authorization) {
    if (token.length == 0) {
      return true;
    }
    String[] parts = authorization.split(" ", 2);
    // Compares in a time that does not tell how much of the token is right.
    return parts.length == 2
        && parts[0].equalsIgnoreCase("Bearer")
        && MessageDigest.isEqual(parts[1].trim().getBytes(UTF_8), token);
  }

  private byte[] readAtMost(InputStream in) throws IOException, HttpRefusal {
    byte[] bytes = in.readNBytes(maxRequestBytes);
    if (bytes.length == maxRequestBytes && in.read() >= 0) {
      throw new HttpRefusal(
          413,
          HttpRefusal.RESOURCE_EXHAUSTED,
          "more than " + maxRequestBytes + " bytes: send smaller batches");
    }
    return bytes;
  }

  private byte[] gunzip(byte[] compressed) throws HttpRefusal {
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(compressed), 8 << 10)) {
      return readAtMost(in);
    } catch (IOException e) {
      throw new HttpRefusal(400, HttpRefusal.INVALID_ARGUMENT, "malformed gzip: " + e.getMessage());
    }
  }

  private synchronized void write(byte[] request) throws HttpRefusal {
    try {
      written.addAndGet(writer.write(request, 0, request.length));
      if (failedInARow != 0) {
        log.accept("the traces file is written again; refused meanwhile: " + failedInARow);
        failedInARow = 0;
      }
    } catch (MalformedRequestException e) {
      throw new HttpRefusal(
          400, HttpRefusal.INVALID_ARGUMENT, "malformed request: " + e.getMessage());
    } catch (IOException e) {
      if (failedInARow++ == 0) {
        log.accept("the traces file cannot be written, senders will try again: " + e);
      }
      throw unavailable("the traces file cannot be written: " + e.getMessage());
    }
  }

  private void refuse(HttpExchange exchange, HttpRefusal refusal) throws IOException {
    refused.incrementAndGet();
    int status = refusal.httpStatus();
    if (status != 503 && loggedRefusals.add(status)) {
      log.accept(
          "collector refused a request from "
              + exchange.getRemoteAddress()
              + " with "
              + status
              + ", others like it go unmentioned: "
              + refusal.reason());
    }
    drain(exchange.getRequestBody());
    byte[] body = refusal.body();
    exchange.getResponseHeaders().set("Content-Type", PROTOBUF);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  private static void drain(InputStream in) throws IOException {
    byte[] ignored = new byte[8 << 10];
    int left = MAX_DRAINED_BYTES;
    while (left > 0) {
      int count = in.read(ignored);
      if (count < 0) {
        return;
      }
      left -= count;
    }
  }

  private static HttpRefusal unavailable(String reason) {
    return new HttpRefusal(503, HttpRefusal.UNAVAILABLE, reason);
  }

  private static HttpRefusal unsupported(String what) {
    return new HttpRefusal(
        415, HttpRefusal.INVALID_ARGUMENT, what + " is not taken here, only " + PROTOBUF);
  }

  private static String header(HttpExchange exchange, String name) {
    String value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
  }
}
