package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;

/** Thrown for a request that is not taken; says what the sender is answered. */
final class HttpRefusal extends Exception {

  // Codes of google.rpc.Code.
  static final int INVALID_ARGUMENT = 3;
  static final int NOT_FOUND = 5;
  static final int RESOURCE_EXHAUSTED = 8;
  static final int UNIMPLEMENTED = 12;
  static final int INTERNAL = 13;
  static final int UNAVAILABLE = 14;
  static final int UNAUTHENTICATED = 16;

  private static final long serialVersionUID = 1L;

  private final int httpStatus;
  private final int rpcCode;
  private final String reason;

  HttpRefusal(int httpStatus, int rpcCode, String reason) {
    super(reason, null, false, false);
    this.httpStatus = httpStatus;
    this.rpcCode = rpcCode;
    this.reason = reason;
  }

  int httpStatus() {
    return httpStatus;
  }

  String reason() {
    return reason;
  }

  /** A protobuf {@code google.rpc.Status}, the body that OTLP/HTTP asks for: code 1, message 2. */
  byte[] body() {
    byte[] message = reason.getBytes(UTF_8);
    ByteArrayOutputStream body = new ByteArrayOutputStream(message.length + 8);
    body.write(1 << 3);
    body.write(rpcCode);
    body.write(2 << 3 | 2);
    int length = message.length;
    for (; length > 0x7f; length >>>= 7) {
      body.write((length & 0x7f) | 0x80);
    }
    body.write(length);
    body.write(message, 0, message.length);
    return body.toByteArray();
  }
}
