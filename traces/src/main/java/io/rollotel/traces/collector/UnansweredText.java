package io.rollotel.traces.collector;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.regex.Pattern;

/** Why an endpoint gave no answer, and what to do about it. */
public final class UnansweredText {

  private static final String UNKNOWN_HOST = "its host is unknown";
  private static final String REFUSED = "connection refused";
  private static final String UNREACHABLE = "no route to its host";
  private static final String NOT_IN_TIME = "no connection in time";

  /** The name of an exception's class, before its message. */
  private static final Pattern CLASS =
      Pattern.compile("\\b(?:[a-z]\\w*\\.)+[A-Z][\\w$]*(?:Exception|Error)(?:: )?");

  private UnansweredText() {}

  /** The reason, without the names of Java's classes where there are any words. */
  public static String reason(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
        return UNKNOWN_HOST;
      }
      if (cause instanceof HttpConnectTimeoutException) {
        return NOT_IN_TIME;
      }
      if (cause instanceof NoRouteToHostException) {
        return UNREACHABLE;
      }
    }
    String said = failure.getMessage();
    if (failure instanceof ConnectException
        && (said == null || said.startsWith("Connection refused"))) {
      return REFUSED; // the JDK's client for HTTP keeps no message of it
    }
    String plain = CLASS.matcher(said == null ? "" : said).replaceAll("").strip();
    return plain.isEmpty() ? failure.toString() : plain;
  }

  /**
   * The part of a sentence that says what to do. The texts of the JDK and of grpc-java tell a
   * missing certificate and a wrong scheme from a dead port.
   *
   * @param endpoint with its scheme
   */
  public static String cure(String endpoint, Throwable failure) {
    String reason = reason(failure);
    if (reason.equals(UNKNOWN_HOST)) {
      return "check the name of the host";
    }
    if (reason.equals(UNREACHABLE) || reason.equals(NOT_IN_TIME)) {
      return "check the address, and whether a firewall lets this host connect";
    }
    String text = failure.toString();
    boolean isTls = endpoint.startsWith("https:");
    if (text.contains("PKIX")) {
      return "put the file of the authority that signed its certificate into"
          + " OTEL_EXPORTER_OTLP_CERTIFICATE";
    }
    if (text.contains("bad_certificate") || text.contains("certificate_required")) {
      return "it requires a certificate from the sender that it trusts: set"
          + " OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY";
    }
    if (text.contains("No name matching") || text.contains("No subject alternative")) {
      return "its certificate is for other names: write one of these into the endpoint";
    }
    if (isTls && (text.contains("SSL message") || text.contains("not an SSL/TLS record"))) {
      return "the port does not speak TLS: write http://";
    }
    if (!isTls && text.contains("received no bytes")) {
      return "if the port speaks TLS, write https://";
    }
    if (text.contains("http.HttpTimeoutException")) {
      return "it is connected, but slow or hung: look at its log";
    }
    return "is the collector running?";
  }
}
