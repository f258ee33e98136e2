package io.rollotel.agent.command;

import io.rollotel.traces.collector.GrpcClient;
import io.rollotel.traces.collector.UnansweredText;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;

/** What the answer to an empty export says: whether spans will be taken, and if not, what to do. */
final class CollectorAnswer {

  /** HTTP's date has whole seconds, and the request takes its time. */
  private static final long PRECISION_MILLIS = 1_000;

  private CollectorAnswer() {}

  static Finding judged(int status, String endpoint) {
    if (status / 100 == 2) {
      return Finding.ok("export", endpoint + " accepted an empty request");
    }
    String advice =
        switch (status) {
          case 400 ->
              endpoint.startsWith("http:") ? ": if the port speaks TLS, write https://" : "";
          case 401, 403 -> ": check OTEL_EXPORTER_OTLP_HEADERS";
          case 404, 405 ->
              endpoint.endsWith("/v1/traces/v1/traces")
                  ? ": leave out /v1/traces, which the agent adds"
                  : ": is it the base URL of an OTLP/HTTP receiver?";
          case 415 -> ": it takes no http/protobuf";
          default -> "";
        };
    return Finding.fail("export", endpoint + " answers " + status + advice);
  }

  static Finding judgedGrpc(GrpcClient.Answer answer, String endpoint) {
    if (answer.code() == 0) {
      return Finding.ok("export", endpoint + " accepted an empty request, by gRPC");
    }
    String advice =
        switch (answer.code()) {
          case 7, 16 -> ": check OTEL_EXPORTER_OTLP_HEADERS";
          case 4, 14 -> ": is an OTLP/gRPC receiver running there?";
          case 12 -> ": is it an OTLP/gRPC receiver?";
          default -> "";
        };
    Throwable cause = answer.cause();
    if (cause == null) {
      String text = answer.text().lines().findFirst().orElse(""); // Netty adds its handlers
      return Finding.fail("export", endpoint + " answers " + text + advice);
    }
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return unanswered(cause, endpoint);
  }

  static Finding unanswered(Throwable failure, String endpoint) {
    String what =
        failure.toString().contains("PKIX")
            ? " has a certificate that this JVM does not trust ("
            : " does not answer (";
    return Finding.fail(
        "export",
        endpoint
            + what
            + UnansweredText.reason(failure)
            + "): "
            + UnansweredText.cure(endpoint, failure));
  }

  /** The difference between the collector's clock and ours, as precisely as whole seconds allow. */
  static Optional<Finding> clock(
      Optional<String> date, long beforeEpochMillis, long afterEpochMillis) {
    Instant theirs;
    try {
      theirs = DateTimeFormatter.RFC_1123_DATE_TIME.parse(date.orElse(""), Instant::from);
    } catch (DateTimeParseException none) {
      return Optional.empty();
    }
    long offset = 0;
    if (theirs.toEpochMilli() + PRECISION_MILLIS < beforeEpochMillis) {
      offset = theirs.toEpochMilli() + PRECISION_MILLIS - beforeEpochMillis;
    } else if (theirs.toEpochMilli() > afterEpochMillis) {
      offset = theirs.toEpochMilli() - afterEpochMillis;
    }
    if (Math.abs(offset) < PRECISION_MILLIS) {
      return Optional.of(
          Finding.ok("clock", "agrees with that of the collector's host to within a second"));
    }
    return Optional.of(
        Finding.warn(
            "clock",
            String.format(
                Locale.ROOT,
                "that of the collector's host is %.0f s %s (to the second): queue times across"
                    + " hosts will be wrong by as much; see NTP",
                Math.abs(offset) / 1_000.0,
                offset > 0 ? "ahead" : "behind")));
  }
}
