package io.rollotel.telemetry.internal;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.baggage.BaggageBuilder;
import io.opentelemetry.api.baggage.BaggageEntryMetadata;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Reads a {@code baggage} header by W3C's recommendation, whichever version of the API is there: an
 * invalid member is skipped and affects no other, an empty value is valid, a percent sign that
 * begins no octet stands for itself, octets that are not UTF-8 become U+FFFD, and the text after
 * the first semicolon is the entry's metadata.
 */
final class BaggageHeader {

  /** The number that W3C requires everybody to pass on. Of more, the first are used. */
  static final int MOST_MEMBERS = 64;

  /** The characters of a key beside letters and digits (RFC 9110, 5.6.2). */
  private static final String TOKEN = "!#$%&'*+-.^_`|~";

  private BaggageHeader() {}

  /** Empty if no member is valid. */
  static Baggage parse(String header) {
    BaggageBuilder baggage = Baggage.builder();
    int members = 0;
    for (int from = 0; from <= header.length() && members < MOST_MEMBERS; ) {
      int comma = header.indexOf(',', from);
      int to = comma < 0 ? header.length() : comma;
      if (put(header.substring(from, to), baggage)) {
        members++;
      }
      from = to + 1;
    }
    return baggage.build();
  }

  private static boolean put(String member, BaggageBuilder baggage) {
    int semicolon = member.indexOf(';');
    String pair = semicolon < 0 ? member : member.substring(0, semicolon);
    int equals = pair.indexOf('=');
    if (equals < 0) {
      return false;
    }
    String key = CarrierHeader.withoutBlanks(pair.substring(0, equals));
    String value = CarrierHeader.withoutBlanks(pair.substring(equals + 1));
    if (!isToken(key) || !isValue(value)) {
      return false;
    }
    String metadata =
        semicolon < 0 ? "" : CarrierHeader.withoutBlanks(member.substring(semicolon + 1));
    baggage.put(key, decoded(value), BaggageEntryMetadata.create(metadata));
    return true;
  }

  private static boolean isToken(String key) {
    return !key.isEmpty()
        && key.chars()
            .allMatch(
                c ->
                    (c >= 'a' && c <= 'z')
                        || (c >= 'A' && c <= 'Z')
                        || (c >= '0' && c <= '9')
                        || TOKEN.indexOf(c) >= 0);
  }

  private static boolean isValue(String value) {
    return value.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '"' && c != '\\');
  }

  private static String decoded(String value) {
    if (value.indexOf('%') < 0) {
      return value;
    }
    ByteArrayOutputStream octets = new ByteArrayOutputStream(value.length());
    for (int i = 0; i < value.length(); i++) {
      int high = value.charAt(i) == '%' && i + 2 < value.length() ? digit(value, i + 1) : -1;
      int low = high < 0 ? -1 : digit(value, i + 2);
      if (low < 0) {
        octets.write(value.charAt(i));
      } else {
        octets.write(high << 4 | low);
        i += 2;
      }
    }
    return octets.toString(StandardCharsets.UTF_8); // replaces malformed input
  }

  private static int digit(String value, int at) {
    return Character.digit(value.charAt(at), 16);
  }
}
