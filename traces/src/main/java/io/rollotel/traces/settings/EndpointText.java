package io.rollotel.traces.settings;

import java.util.ArrayList;
import java.util.List;

/** The text of a setting that names endpoints. */
public final class EndpointText {

  private EndpointText() {}

  /**
   * The addresses in a setting that names endpoints, in the order in which they are tried: split at
   * each comma that precedes a scheme. Usually it is a single address, returned unchanged.
   */
  public static List<String> split(String given) {
    List<String> all = new ArrayList<>();
    int from = 0;
    for (int comma = given.indexOf(','); comma >= 0; comma = given.indexOf(',', comma + 1)) {
      if (hasScheme(given, comma + 1)) {
        all.add(given.substring(from, comma).trim());
        from = comma + 1;
      }
    }
    all.add(from == 0 ? given : given.substring(from).trim());
    return all;
  }

  private static boolean hasScheme(String text, int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) == ' ') {
      at++;
    }
    int start = at;
    while (at < text.length() && Character.isLetter(text.charAt(at))) {
      at++;
    }
    return at > start && text.startsWith("://", at);
  }

  /** Endpoints for messages: without users and passwords, whatever characters these contain. */
  public static String withoutUser(String endpoints) {
    List<String> all = split(endpoints);
    if (all.size() == 1) {
      return withoutItsUser(endpoints);
    }
    StringBuilder shown = new StringBuilder();
    for (String endpoint : all) {
      shown.append(shown.length() == 0 ? "" : ",").append(withoutItsUser(endpoint));
    }
    return shown.toString();
  }

  private static String withoutItsUser(String endpoint) {
    int scheme = endpoint.indexOf("://");
    int from = scheme < 0 ? 0 : scheme + 3;
    int at = endpoint.lastIndexOf('@');
    return at < from ? endpoint : endpoint.substring(0, from) + endpoint.substring(at + 1);
  }
}
