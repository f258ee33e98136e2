package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.codec.http.FullHttpResponse;
import io.rollotel.traces.page.LiveReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /}: the report of the current run, for a browser. The collector handles everything
 * else.
 *
 * <p>Browsers on this host need no token unless the user has set one, but the request must name the
 * host as loopback: a foreign web page can make its own name resolve to 127.0.0.1, and a browser
 * would then let it read the answer. Browsers on other hosts, or with another name, need the
 * collector's token.
 */
final class LivePage {

  private static final String REPORT = "report.json";
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final Pattern LOOPBACK =
      Pattern.compile("(?i)(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?");

  private final LiveReport report;
  private final RequestWriter writer;
  private final boolean asksAll;

  /**
   * A page.
   *
   * @param asksAll whether browsers on this host need the token as well
   */
  LivePage(LiveReport report, RequestWriter writer, boolean asksAll) {
    this.report = report;
    this.writer = writer;
    this.asksAll = asksAll;
  }

  /** The response; null if the request is for something else. Does not wait for the report. */
  @Nullable FullHttpResponse answer(RequestHead head) {
    boolean isReport = head.path().equals("/" + REPORT);
    boolean isLook = head.isMethod("GET") || head.isMethod("HEAD");
    if (!isLook || !(isReport || head.path().equals("/"))) {
      return null;
    }
    if (!mayLook(head)) {
      return answer(
          403,
          TEXT,
          (asksAll ? "" : "Look from the collector's own host at http://127.0.0.1, or ")
              .concat("add ?token= and the collector's token to the address.")
              .getBytes(UTF_8));
    }
    return isReport ? report(head.parameter("have")) : page(isFromHere(head));
  }

  private boolean mayLook(RequestHead head) {
    String site = head.header("Sec-Fetch-Site");
    boolean isAnotherPages = site != null && !site.equals("same-origin") && !site.equals("none");
    if (isAnotherPages && !"navigate".equals(head.header("Sec-Fetch-Mode"))) {
      return false;
    }
    if (!asksAll && isFromHere(head)) {
      return true;
    }
    // A browser sends no custom header for a typed address.
    return writer.hasToken()
        && (isAuthorized(head.headerOrEmpty("Authorization"))
            || isAuthorized("Bearer " + head.parameter("token")));
  }

  private static boolean isFromHere(RequestHead head) {
    String host = head.header("Host");
    return head.sender().isLoopbackAddress() && host != null && LOOPBACK.matcher(host).matches();
  }

  private boolean isAuthorized(String authorization) {
    try {
      writer.authorize(authorization);
      return true;
    } catch (Refusal refusal) {
      return false;
    }
  }

  private FullHttpResponse page(boolean isForItsHost) {
    try {
      FullHttpResponse page =
          answer(200, "text/html; charset=utf-8", report.page(REPORT, isForItsHost));
      page.headers().set("Content-Security-Policy", report.policy());
      return page;
    } catch (IOException e) {
      throw new UncheckedIOException(e); // the jar is damaged
    }
  }

  private FullHttpResponse report(String have) {
    LiveReport.Answer made = report.ask(have);
    FullHttpResponse answer =
        switch (made.state()) {
          case READY, EMPTY -> answer(200, "application/json", made.body());
          case UNCHANGED -> answer(204, "application/json", made.body());
          case BEING_MADE -> answer(202, "application/json", made.body());
          case FAILED -> answer(500, TEXT, made.body());
        };
    if (!made.tag().isEmpty()) {
      // Proxies that compress drop a tag without quotes, and the page would get all of it each
      // time.
      answer.headers().set("ETag", '"' + made.tag() + '"');
    }
    return answer;
  }

  private static FullHttpResponse answer(int status, String type, byte[] body) {
    FullHttpResponse answer = HttpEndpoint.answer(status, type, body);
    answer
        .headers()
        .set("Cache-Control", "no-store")
        .set("X-Content-Type-Options", "nosniff")
        .set("Referrer-Policy", "no-referrer") // the address may have a token
        .set("Cross-Origin-Resource-Policy", "same-origin");
    return answer;
  }
}
