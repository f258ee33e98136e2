package io.rollotel.traces.collector;

import io.rollotel.traces.recording.HostName;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Detects requests that a web page makes its visitor's browser send. Without a token, any page can
 * reach the collector through a browser on this host, and a page whose own name resolves to
 * 127.0.0.1 can even read the answers.
 */
final class WebPages {

  private static final Set<String> NOT_ANOTHERS = Set.of("same-origin", "none");

  private static final Pattern PORT = Pattern.compile(":\\d{1,5}$");

  /** Names that do not depend on a name server. */
  private static final Pattern FIXED =
      Pattern.compile("([a-z0-9-]+\\.)*localhost|\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-f:.%]+]");

  private WebPages() {}

  /** Why a request may be a web page's; null if it is not. */
  static @Nullable String objection(RequestHead head) {
    String site = head.header("Sec-Fetch-Site");
    if (site != null && !NOT_ANOTHERS.contains(site)) {
      return "requests from web pages are refused (Sec-Fetch-Site: " + site + ")";
    }
    String host = head.header("Host");
    String origin = head.header("Origin");
    boolean isOurName = host != null && isOurs(host);
    if (origin != null
        && !(isOurName && origin.replaceFirst("(?i)^https?://", "").equalsIgnoreCase(host))) {
      return "requests from web pages are refused (Origin: " + origin + ")";
    }
    // A sender on another host may use names for this host that are unknown here.
    boolean isLocal = head.sender().isLoopbackAddress();
    if (isLocal && host != null && !isOurName) {
      return "the Host header " + host + " does not name this host; to accept it, set a token";
    }
    return null;
  }

  private static boolean isOurs(String host) {
    String name = PORT.matcher(host.toLowerCase(Locale.ROOT)).replaceFirst("");
    return FIXED.matcher(name).matches() || name.equalsIgnoreCase(HostName.get());
  }
}
