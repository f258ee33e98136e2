package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.rollotel.traces.otlp.Signal;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests over HTTP: OTLP/HTTP, {@code POST /v1/traces} and its like, in protobuf or JSON;
 * {@code GET /status}, the counts so far in one line; {@code OPTIONS *}, by which {@link PortProbe}
 * asks; and the page.
 */
final class HttpEndpoint {

  private static final String PROTOBUF = "application/x-protobuf";
  private static final String JSON = "application/json";
  private static final byte[] NOTHING = {};
  private static final byte[] JSON_SUCCESS = "{\"partialSuccess\":{}}".getBytes(US_ASCII);

  private final RequestWriter writer;
  private final CollectorSettings.Limits limits;
  private final @Nullable LivePage page;

  /**
   * An endpoint.
   *
   * @param page the page for browsers, null for none
   */
  HttpEndpoint(RequestWriter writer, CollectorSettings.Limits limits, @Nullable LivePage page) {
    this.writer = writer;
    this.limits = limits;
    this.page = page;
  }

  /**
   * A request to write data, by its head.
   *
   * @param bytes of its body; {@link RequestBody#SEGMENT_BYTES} if unknown
   */
  record Export(Signal signal, boolean isJson, boolean isGzip, int bytes) {

    /** JSON must be parsed, which takes half as much memory again as the body. */
    long inMemory(long received) {
      return isJson ? received + received / 2 : received;
    }
  }

  /** The answer to a request that needs no body; null if it is for {@link #export}. */
  @Nullable FullHttpResponse answer(RequestHead head) throws Refusal {
    if (head.isMethod("OPTIONS") && head.path().equals("*")) {
      return new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NO_CONTENT);
    }
    FullHttpResponse shown = page == null ? null : page.answer(head);
    if (shown != null) {
      return shown;
    }
    // No page of another site has a token.
    String objection = writer.hasToken() ? null : WebPages.objection(head);
    if (objection != null) {
      throw new Refusal(Refusal.Reason.FORBIDDEN, objection);
    }
    if (!head.isMethod("GET") || !head.path().equals("/status")) {
      return null;
    }
    writer.authorize(head.headerOrEmpty("Authorization"));
    return answer(200, "text/plain", (writer.counts() + "\n").getBytes(US_ASCII));
  }

  /** The data to write of a request. */
  Export export(RequestHead head) throws Refusal {
    Signal signal = signal(head.path());
    if (!head.isMethod("POST")) {
      throw new Refusal(Refusal.Reason.METHOD, "only POST is served here");
    }
    writer.authorize(head.headerOrEmpty("Authorization"));
    String type = type(head.request());
    boolean isJson = type.equalsIgnoreCase(JSON);
    if (!isJson && !type.equalsIgnoreCase(PROTOBUF)) {
      throw unsupported(
          type.isEmpty() ? "the Content-Type is missing" : "unsupported Content-Type " + type);
    }
    String encoding = head.headerOrEmpty("Content-Encoding").trim().toLowerCase(Locale.ROOT);
    boolean isGzip = encoding.equals("gzip");
    if (!isGzip && !encoding.isEmpty() && !encoding.equals("identity")) {
      throw unsupported("unsupported Content-Encoding " + encoding);
    }
    long bytes = HttpUtil.getContentLength(head.request(), 0L);
    if (bytes > limits.maxRequestBytes()) {
      throw writer.tooLarge();
    }
    return new Export(signal, isJson, isGzip, (int) Math.max(bytes, RequestBody.SEGMENT_BYTES));
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

  private static Refusal unsupported(String what) {
    return new Refusal(
        Refusal.Reason.UNSUPPORTED,
        what + ": the collector accepts " + PROTOBUF + " and " + JSON + ", plain or gzip");
  }

  static FullHttpResponse success(boolean isJson) {
    return answer(200, isJson ? JSON : PROTOBUF, isJson ? JSON_SUCCESS : NOTHING);
  }

  /** Says why a request is refused, in its own encoding. */
  static FullHttpResponse refused(Refusal refusal, HttpRequest request) {
    boolean isJson = type(request).equalsIgnoreCase(JSON);
    Refusal.Reason reason = refusal.reason();
    FullHttpResponse answer =
        answer(
            reason.httpStatus(),
            isJson ? JSON : PROTOBUF,
            isJson ? refusal.jsonStatus() : refusal.status());
    if (reason.isWorthARetry()) {
      answer.headers().set(HttpHeaderNames.RETRY_AFTER, Refusal.RETRY_AFTER_SECONDS);
    } else if (reason == Refusal.Reason.METHOD) {
      answer.headers().set(HttpHeaderNames.ALLOW, "POST");
    } else if (reason == Refusal.Reason.UNAUTHENTICATED) {
      answer.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
    }
    return answer;
  }

  static FullHttpResponse answer(int status, String type, byte[] body) {
    FullHttpResponse answer =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), Unpooled.wrappedBuffer(body));
    answer.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    return answer;
  }

  private static String type(HttpRequest request) {
    String type = request.headers().get(HttpHeaderNames.CONTENT_TYPE);
    return type == null ? "" : type.split(";", 2)[0].trim();
  }
}
