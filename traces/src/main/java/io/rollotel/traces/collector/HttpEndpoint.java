package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.rollotel.traces.otlp.Signal;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.regex.Pattern;

/**
 * Receives OTLP/HTTP: {@code POST /v1/traces} and its like, protobuf or JSON. {@code GET /status}
 * answers what was done so far, in one line.
 */
final class HttpEndpoint implements HttpHandler {

  private static final String STATUS = "/status";
  private static final String PROTOBUF = "application/x-protobuf";
  private static final String JSON = "application/json";
  private static final byte[] JSON_SUCCESS = "{\"partialSuccess\":{}}".getBytes(US_ASCII);

  /**
   * What is read of a refused request's body, so that its sender gets to read the answer: a
   * connection closed with bytes unread is reset.
   */
  private static final int MAX_DRAINED_BYTES = 8 << 20;

  private static final int MAX_FREE_SEGMENTS = 1 << 16;

  private static final Pattern DIGITS = Pattern.compile("[0-9]*");

  private final RequestWriter writer;
  private final CollectorSettings.Limits limits;
  private final Runnable hurry;
  private final Queue<byte[]> freeSegments;

  /**
   * An endpoint.
   *
   * @param hurry has the calling thread's request end soon, whatever is still to come of it
   */
  HttpEndpoint(RequestWriter writer, CollectorSettings.Limits limits, Runnable hurry) {
    this.writer = writer;
    this.limits = limits;
    this.hurry = hurry;
    long most = limits.maxInFlightBytes() / RequestBody.SEGMENT_BYTES;
    this.freeSegments =
        new ArrayBlockingQueue<>((int) Math.max(1, Math.min(most, MAX_FREE_SEGMENTS)));
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    boolean isJson = type(exchange).equalsIgnoreCase(JSON);
    try {
      refuseWebPages(exchange);
      if (isForStatus(exchange)) {
        tell(exchange);
      } else {
        receive(exchange, isJson);
      }
    } catch (Refusal refusal) {
      refuse(exchange, refusal, isJson);
    } catch (RuntimeException | Error e) {
      refuse(exchange, new Refusal(Refusal.Reason.INTERNAL, "internal error: " + e), isJson);
    } finally {
      exchange.close();
    }
  }

  private void receive(HttpExchange exchange, boolean isJson) throws IOException, Refusal {
    Signal signal = signal(exchange.getRequestURI().getPath());
    if (!exchange.getRequestMethod().equals("POST")) {
      exchange.getResponseHeaders().set("Allow", "POST");
      throw new Refusal(Refusal.Reason.METHOD, "only POST is served here");
    }
    authorize(exchange);
    if (!isJson && !type(exchange).equalsIgnoreCase(PROTOBUF)) {
      throw unsupported("Content-Type " + type(exchange));
    }
    String encoding = header(exchange, "Content-Encoding").trim().toLowerCase(Locale.ROOT);
    boolean isGzip = encoding.equals("gzip");
    if (!isGzip && !encoding.isEmpty() && !encoding.equals("identity")) {
      throw unsupported("Content-Encoding " + encoding);
    }
    receive(exchange, signal, isJson, isGzip);
  }

  private void receive(HttpExchange exchange, Signal signal, boolean isJson, boolean isGzip)
      throws IOException, Refusal {
    long expected = inMemory(expectedBytes(exchange), isJson);
    // Until it is answered: who closes the budget waits for that.
    try (MemoryBudget.Reservation room = writer.budget().reserve(expected);
        RequestBody body = new RequestBody(freeSegments)) {
      read(exchange.getRequestBody(), isJson, body, room);
      writer.write(signal, isJson, body.stream(), isGzip);
      writer.counts().accept();
      succeed(exchange, isJson);
    }
  }

  /** The body's declared length, at least one segment; one segment if none is declared. */
  private int expectedBytes(HttpExchange exchange) throws Refusal {
    String length = header(exchange, "Content-Length");
    if (!DIGITS.matcher(length).matches()) {
      // The server reads none of it where the body comes in chunks.
      throw new Refusal(Refusal.Reason.MALFORMED, "Content-Length is no number");
    }
    if (length.length() > 9) {
      throw writer.tooLarge();
    }
    int bytes = length.isEmpty() ? 0 : Integer.parseInt(length);
    if (bytes > limits.maxRequestBytes()) {
      throw writer.tooLarge();
    }
    return Math.max(bytes, RequestBody.SEGMENT_BYTES);
  }

  /** No page knows a token. */
  private void refuseWebPages(HttpExchange exchange) throws Refusal {
    String objection = writer.hasToken() ? null : WebPages.objection(exchange);
    if (objection != null) {
      throw new Refusal(Refusal.Reason.FORBIDDEN, objection);
    }
  }

  private void authorize(HttpExchange exchange) throws Refusal {
    try {
      writer.authorize(header(exchange, "Authorization"));
    } catch (Refusal e) {
      exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
      throw e;
    }
  }

  private static boolean isForStatus(HttpExchange exchange) {
    return exchange.getRequestMethod().equals("GET")
        && exchange.getRequestURI().getPath().equals(STATUS);
  }

  private void tell(HttpExchange exchange) throws IOException, Refusal {
    authorize(exchange);
    byte[] line = (writer.counts() + "\n").getBytes(US_ASCII);
    exchange.getResponseHeaders().set("Content-Type", "text/plain");
    exchange.sendResponseHeaders(200, line.length);
    exchange.getResponseBody().write(line);
  }

  private static Signal signal(String path) throws Refusal {
    for (Signal signal : Signal.values()) {
      if (("/v1/" + signal.plural()).equals(path)) {
        return signal;
      }
    }
    throw new Refusal(
        Refusal.Reason.NOT_FOUND, "only /v1/traces, /v1/metrics and /v1/logs are served here");
  }

  private void read(InputStream in, boolean isJson, RequestBody body, MemoryBudget.Reservation room)
      throws IOException, Refusal {
    int left = limits.maxRequestBytes();
    for (int count = RequestBody.SEGMENT_BYTES; count == RequestBody.SEGMENT_BYTES; ) {
      count = body.readFrom(in);
      left -= count;
      if (left < 0) {
        throw writer.tooLarge();
      }
      if (!room.add(inMemory(count, isJson))) {
        throw writer.budget().refusal();
      }
    }
  }

  /** JSON has to be parsed, which takes half as much memory again as the body. */
  private static long inMemory(long bytes, boolean isJson) {
    return isJson ? bytes + bytes / 2 : bytes;
  }

  private static void succeed(HttpExchange exchange, boolean isJson) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", isJson ? JSON : PROTOBUF);
    if (isJson) {
      exchange.sendResponseHeaders(200, JSON_SUCCESS.length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(JSON_SUCCESS);
      }
      return;
    }
    // No body: an empty ExportTraceServiceResponse has no bytes. Headers and body would leave in
    // two TCP segments, and the second would wait 40 ms for the delayed acknowledgement of the
    // first, as this server sets no TCP_NODELAY. Refusals are rare enough to bear that.
    exchange.sendResponseHeaders(200, -1);
  }

  private void refuse(HttpExchange exchange, Refusal refusal, boolean isJson) throws IOException {
    writer.refused(refusal, String.valueOf(exchange.getRemoteAddress()));
    boolean isStranger = refusal.reason().isOfAStranger();
    if (isStranger) {
      hurry.run();
    } else {
      drain(exchange.getRequestBody());
    }
    byte[] body = isJson ? refusal.jsonStatus() : refusal.status();
    exchange.getResponseHeaders().set("Content-Type", isJson ? JSON : PROTOBUF);
    if (refusal.reason().isWorthARetry()) {
      String seconds = Integer.toString(Refusal.RETRY_AFTER_SECONDS);
      exchange.getResponseHeaders().set("Retry-After", seconds);
    }
    int status = refusal.reason().httpStatus();
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    if (isStranger) {
      // Who sends half a request is not waited for before the answer.
      exchange.getResponseBody().flush();
      drain(exchange.getRequestBody());
    }
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

  private static Refusal unsupported(String what) {
    return new Refusal(
        Refusal.Reason.UNSUPPORTED,
        what + " is not taken here, only " + PROTOBUF + " and " + JSON + ", plain or in gzip");
  }

  private static String type(HttpExchange exchange) {
    return header(exchange, "Content-Type").split(";", 2)[0].trim();
  }

  private static String header(HttpExchange exchange, String name) {
    String value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
  }
}
