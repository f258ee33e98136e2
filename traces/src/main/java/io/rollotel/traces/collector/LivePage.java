package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.rollotel.traces.page.LiveReport;
import java.io.IOException;
import java.net.URLDecoder;
import java.util.regex.Pattern;

/**
 * {@code GET /}: the report of the run that is on, for a browser. Everything else is the
 * collector's.
 *
 * <p>Who looks from this host needs no token unless the user has set one, but the request must name
 * the host as loopback: a web page elsewhere can have its own name resolve to 127.0.0.1, and a
 * browser would then let it read the answer. Who looks from elsewhere, or by another name, needs
 * the collector's token.
 */
final class LivePage implements HttpHandler {

  private static final String REPORT = "report.json";
  private static final Pattern LOOPBACK =
      Pattern.compile("(?i)(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?");

  private final LiveReport report;
  private final RequestWriter writer;
  private final boolean asksAll;
  private final HttpHandler collector;

  /**
   * A page before the collector.
   *
   * @param asksAll whether those on this host need the token, too
   */
  LivePage(LiveReport report, RequestWriter writer, boolean asksAll, HttpHandler collector) {
    this.report = report;
    this.writer = writer;
    this.asksAll = asksAll;
    this.collector = collector;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    boolean isReport = ("/" + REPORT).equals(path);
    String method = exchange.getRequestMethod();
    if (!(isReport || "/".equals(path)) || !(method.equals("GET") || method.equals("HEAD"))) {
      collector.handle(exchange);
      return;
    }
    try {
      if (!mayLook(exchange)) {
        answer(
            exchange,
            403,
            "text/plain; charset=utf-8",
            (asksAll ? "" : "Look from the collector's own host at http://127.0.0.1, or ")
                .concat("add ?token= and the collector's token to the address.")
                .getBytes(UTF_8));
      } else if (isReport) {
        report(exchange);
      } else {
        exchange.getResponseHeaders().set("Content-Security-Policy", report.policy());
        answer(exchange, 200, "text/html; charset=utf-8", report.page(REPORT));
      }
    } finally {
      exchange.close();
    }
  }

  private boolean mayLook(HttpExchange exchange) {
    Headers headers = exchange.getRequestHeaders();
    String site = headers.getFirst("Sec-Fetch-Site");
    boolean isAnotherPages = site != null && !site.equals("same-origin") && !site.equals("none");
    if (isAnotherPages && !"navigate".equals(headers.getFirst("Sec-Fetch-Mode"))) {
      return false;
    }
    String host = headers.getFirst("Host");
    if (!asksAll
        && exchange.getRemoteAddress().getAddress().isLoopbackAddress()
        && host != null
        && LOOPBACK.matcher(host).matches()) {
      return true;
    }
    return writer.hasToken() && (isAuthorized(headers) || isAuthorized(exchange));
  }

  private boolean isAuthorized(Headers headers) {
    String authorization = headers.getFirst("Authorization");
    return authorization != null && isAuthorized(authorization);
  }

  /** By the address that was typed into a browser, which can send no header then. */
  private boolean isAuthorized(HttpExchange exchange) {
    return isAuthorized("Bearer " + parameter(exchange, "token"));
  }

  private boolean isAuthorized(String authorization) {
    try {
      writer.authorize(authorization);
      return true;
    } catch (Refusal refusal) {
      return false;
    }
  }

  private static String parameter(HttpExchange exchange, String name) {
    String query = exchange.getRequestURI().getRawQuery();
    for (String pair : query == null ? new String[0] : query.split("&", -1)) {
      if (pair.startsWith(name + "=")) {
        try {
          return URLDecoder.decode(pair.substring(name.length() + 1), UTF_8);
        } catch (IllegalArgumentException malformed) {
          return "";
        }
      }
    }
    return "";
  }

  private void report(HttpExchange exchange) throws IOException {
    LiveReport.Answer answer = report.ask(parameter(exchange, "have"));
    exchange.getResponseHeaders().set("ETag", answer.tag());
    switch (answer.state()) {
      case READY, EMPTY -> answer(exchange, 200, "application/json", answer.body());
      case UNCHANGED -> answer(exchange, 204, "application/json", answer.body());
      case BEING_MADE -> answer(exchange, 202, "application/json", answer.body());
      case FAILED -> answer(exchange, 500, "text/plain; charset=utf-8", answer.body());
    }
  }

  private static void answer(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", type);
    headers.set("Cache-Control", "no-store");
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer"); // the address may have a token
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    boolean isEmpty = body.length == 0 || exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, isEmpty ? -1 : body.length);
    if (!isEmpty) {
      exchange.getResponseBody().write(body);
    }
  }
}
