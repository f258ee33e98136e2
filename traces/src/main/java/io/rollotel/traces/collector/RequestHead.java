package io.rollotel.traces.collector;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.codec.http.HttpRequest;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import org.jspecify.annotations.Nullable;

/** The first line and the headers of a request over HTTP, and who sent it. */
record RequestHead(HttpRequest request, URI uri, InetAddress sender) {

  static RequestHead of(HttpRequest request, InetAddress sender) throws Refusal {
    // The refusal is logged, and an address may contain a token, so no part of the request is
    // repeated.
    if (request.decoderResult().isFailure()) {
      throw malformed("the first line or the headers are not well formed, or too long");
    }
    try {
      return new RequestHead(request, new URI(request.uri()), sender);
    } catch (URISyntaxException e) {
      throw malformed(e.getReason() + " at index " + e.getIndex() + " of the address");
    }
  }

  private static Refusal malformed(String what) {
    return new Refusal(Refusal.Reason.MALFORMED, "malformed HTTP: " + what);
  }

  boolean isMethod(String method) {
    return request.method().name().equals(method);
  }

  String path() {
    String path = uri.getPath();
    return path == null ? "" : path;
  }

  /** The value of a header, the first of several; null if there is none. */
  @Nullable String header(String name) {
    return request.headers().get(name);
  }

  /** The same, empty if there is none. */
  String headerOrEmpty(String name) {
    String value = header(name);
    return value == null ? "" : value;
  }

  /** The value of a parameter behind the path, empty if there is none. */
  String parameter(String name) {
    String query = uri.getRawQuery();
    for (String pair : query == null ? new String[0] : query.split("&", -1)) {
      if (pair.startsWith(name + "=")) {
        try {
          return URLDecoder.decode(pair.substring(name.length() + 1), UTF_8);
        } catch (IllegalArgumentException malformed) {
          return "";
        }
      }
    }
    return "";
  }
}
