package io.rollotel.traces.collector;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Locale;

/** An HTTP/1.1 answer during reception. Only a bounded part of an endless answer is read. */
final class HttpAnswer {

  private static final int MOST_OF_LINES = 64 << 10;

  private static final int MOST_OF_A_BODY = 64 << 10;

  private static final int UNKNOWN = -1;

  private final HttpConnection connection;
  private final long deadlineNanos;

  private final ByteArrayOutputStream body = new ByteArrayOutputStream(0);
  private int lineBytes;
  private long bodyBytes;
  private int status;
  private int contentLength = UNKNOWN;
  private boolean isChunked;
  private boolean isLast;

  private HttpAnswer(HttpConnection connection, long deadlineNanos) {
    this.connection = connection;
    this.deadlineNanos = deadlineNanos;
  }

  /** Waits for the head of an answer that is not one of the preliminary ones, 1xx. */
  static HttpAnswer await(HttpConnection connection, long deadlineNanos) throws IOException {
    HttpAnswer answer = new HttpAnswer(connection, deadlineNanos);
    do {
      answer.readHead();
    } while (answer.status / 100 == 1);
    return answer;
  }

  int status() {
    return status;
  }

  /** The part of the body that {@link #leavesTheConnection} has read. */
  byte[] body() {
    return body.toByteArray();
  }

  /**
   * Reads the body. False if the connection cannot be reused; the answer is valid even then, since
   * its status has arrived.
   */
  boolean leavesTheConnection() {
    if (isLast) {
      return false;
    }
    try {
      if (status == 204 || status == 304) {
        return true;
      }
      if (isChunked) {
        return readChunks();
      }
      return contentLength != UNKNOWN && read(contentLength);
    } catch (IOException | NumberFormatException e) {
      return false;
    }
  }

  private void readHead() throws IOException {
    String start = line();
    status = isOfVersion1(start) ? number(start.substring(9, 12)) : UNKNOWN;
    if (status < 100) {
      throw new IOException("the answer is none of HTTP/1.1");
    }
    if (status == 101) {
      throw new IOException("the server asks for another protocol");
    }
    isLast = start.charAt(7) == '0';
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        readHeader(
            line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
      }
    }
  }

  private static boolean isOfVersion1(String start) {
    return start.startsWith("HTTP/1.")
        && start.length() >= 12
        && start.charAt(8) == ' '
        && (start.length() == 12 || start.charAt(12) == ' ');
  }

  private void readHeader(String name, String value) {
    switch (name) {
      case "content-length" -> {
        int length = number(value);
        // An answer with two lengths is ambiguous, so no second answer is read.
        isLast |= contentLength != UNKNOWN && contentLength != length;
        contentLength = length;
      }
      case "transfer-encoding" -> {
        isChunked = value.equalsIgnoreCase("chunked");
        isLast |= !isChunked; // ends with the connection
      }
      case "connection" -> isLast |= value.toLowerCase(Locale.ROOT).contains("close");
      default -> {}
    }
  }

  /** Unknown if there is none, or it is irrelevantly large. */
  private static int number(String digits) {
    int number = digits.isEmpty() ? UNKNOWN : 0;
    for (int i = 0; i < digits.length(); i++) {
      char digit = digits.charAt(i);
      if (digit < '0' || digit > '9' || number > Integer.MAX_VALUE / 10 - 1) {
        return UNKNOWN;
      }
      number = number * 10 + digit - '0';
    }
    return number;
  }

  private boolean readChunks() throws IOException {
    while (true) {
      String size = line();
      int end = size.indexOf(';');
      long bytes = Long.parseLong((end < 0 ? size : size.substring(0, end)).trim(), 16);
      if (bytes == 0) {
        while (!line().isEmpty()) {
          // A trailer.
        }
        return true;
      }
      if (bytes < 0 || !read(bytes) || !line().isEmpty()) {
        return false;
      }
    }
  }

  /** False, without reading, if that is more than a body may have. */
  private boolean read(long bytes) throws IOException {
    bodyBytes += bytes;
    if (bytes > MOST_OF_A_BODY || bodyBytes > MOST_OF_A_BODY) {
      return false;
    }
    for (long i = 0; i < bytes; i++) {
      body.write(connection.next(deadlineNanos));
    }
    return true;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = connection.next(deadlineNanos);
        next != '\n';
        next = connection.next(deadlineNanos)) {
      if (++lineBytes > MOST_OF_LINES) {
        throw new IOException("the answer's head has no end");
      }
      line.append((char) next);
    }
    int end = line.length();
    return end > 0 && line.charAt(end - 1) == '\r' ? line.substring(0, end - 1) : line.toString();
  }
}
