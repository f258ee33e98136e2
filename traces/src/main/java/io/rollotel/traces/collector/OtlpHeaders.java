package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.Map;
import java.util.TreeMap;

/**
 * The value of {@code OTEL_EXPORTER_OTLP_HEADERS}: {@code key=value}, separated by commas, with
 * percent-encoded values. Values may be secrets, so no message quotes one.
 */
public final class OtlpHeaders {

  private OtlpHeaders() {}

  /**
   * The headers by name, in any case.
   *
   * @throws IllegalArgumentException if one has no equals sign
   */
  public static Map<String, String> of(String text) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String header : text.split(",", -1)) {
      int equals = header.indexOf('=');
      if (equals > 0) {
        headers.put(
            header.substring(0, equals).trim(), decoded(header.substring(equals + 1).trim()));
      } else if (!header.isBlank()) {
        throw new IllegalArgumentException(
            "OTEL_EXPORTER_OTLP_HEADERS takes key=value, separated by commas, with the values"
                + " URL-encoded");
      }
    }
    return headers;
  }

  /**
   * A value, decoded. A plus stays a plus, as the specification (W3C baggage) and the SDKs of
   * Python and Go have it: Base64 contains it. What is not encoded stays as it is.
   */
  public static String decoded(String value) {
    try {
      return URLDecoder.decode(value.replace("+", "%2B"), UTF_8);
    } catch (IllegalArgumentException notEncoded) {
      return value;
    }
  }
}
