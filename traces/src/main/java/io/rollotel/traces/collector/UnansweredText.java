package io.rollotel.traces.collector;

/** What to do about an endpoint that gave no answer. */
public final class UnansweredText {

  private UnansweredText() {}

  /**
   * The part of a sentence that says what to do. The texts of the JDK and of grpc-java tell a
   * missing certificate and a wrong scheme from a dead port.
   *
   * @param endpoint with its scheme
   */
  public static String cure(String endpoint, Throwable failure) {
    String text = failure.toString();
    boolean isTls = endpoint.startsWith("https:");
    if (text.contains("PKIX")) {
      return "put the file of the authority that signed its certificate into"
          + " OTEL_EXPORTER_OTLP_CERTIFICATE";
    }
    if (text.contains("bad_certificate") || text.contains("certificate_required")) {
      return "it wants a certificate of the sender that it trusts: set"
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
