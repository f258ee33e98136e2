package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.otlp.WireBuffer;
import java.util.Arrays;

/** Thrown for a refused request; contains the answer to the sender. */
final class Refusal extends Exception {

  /** How long a sender should wait before it tries again, if that helps. */
  static final int RETRY_AFTER_SECONDS = 1;

  /** The reason, with its HTTP status and its code of {@code google.rpc.Code}. */
  enum Reason {
    MALFORMED(400, 3),
    UNAUTHENTICATED(401, 16),
    /** A web page's request, if no token is required. */
    FORBIDDEN(403, 7),
    NOT_FOUND(404, 5),
    METHOD(405, 12),
    TOO_LARGE(413, 8),
    UNSUPPORTED(415, 3),
    /** The bytes in flight have reached their bound: the sender may try again. */
    OVERLOADED(429, 8),
    INTERNAL(500, 13),
    /** The run has used up its limit: sending again would not help. */
    SPENT(507, 8),
    /** The file cannot be written: the sender may try again. */
    UNWRITABLE(503, 14),
    STOPPING(503, 14),
    /**
     * A request that did not arrive completely in time; over HTTP, its connection is closed
     * instead.
     */
    STALLED(408, 4),
    /** One connection too many; closed without an answer. */
    CONNECTION(503, 14);

    private final int httpStatus;
    private final int rpcCode;

    Reason(int httpStatus, int rpcCode) {
      this.httpStatus = httpStatus;
      this.rpcCode = rpcCode;
    }

    int httpStatus() {
      return httpStatus;
    }

    int rpcCode() {
      return rpcCode;
    }

    boolean isWorthARetry() {
      return this == OVERLOADED || this == UNWRITABLE;
    }
  }

  private static final long serialVersionUID = 1L;

  private final Reason reason;
  private final String text;

  Refusal(Reason reason, String text) {
    super(text, null, false, false);
    this.reason = reason;
    this.text = text;
  }

  Reason reason() {
    return reason;
  }

  /** For people. */
  String text() {
    return text;
  }

  /**
   * A protobuf {@code google.rpc.Status}, which is the body for OTLP/HTTP and the details for gRPC.
   * It has a {@code google.rpc.RetryInfo} if a retry helps; without it, a gRPC sender must not
   * retry.
   */
  byte[] status() {
    WireBuffer status = new WireBuffer();
    status.varint(1, reason.rpcCode());
    status.text(2, text);
    if (reason.isWorthARetry()) {
      int details = status.beginMessage(3); // google.protobuf.Any
      status.text(1, "type.googleapis.com/google.rpc.RetryInfo");
      int retryInfo = status.beginMessage(2);
      int delay = status.beginMessage(1); // google.protobuf.Duration
      status.varint(1, RETRY_AFTER_SECONDS);
      status.endMessage(delay);
      status.endMessage(retryInfo);
      status.endMessage(details);
    }
    return Arrays.copyOf(status.bytes(), status.length());
  }

  /** The same in JSON. */
  byte[] jsonStatus() {
    StringBuilder json = new StringBuilder();
    json.append("{\"code\":").append(reason.rpcCode()).append(",\"message\":\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x20 || c == '"' || c == '\\' || c > 0x7e) {
        json.append(String.format("\\u%04x", (int) c));
      } else {
        json.append(c);
      }
    }
    return json.append("\"}").toString().getBytes(UTF_8);
  }
}
