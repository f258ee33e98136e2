package io.rollotel.traces.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;

/**
 * The page without its data: markup, style and script, from resources beside this class.
 *
 * <p>A policy tells the browser to run only this script, and which addresses the page may connect
 * to. So even a text that is mistaken for markup could do nothing.
 */
final class PageTemplate {

  /** The addresses that a page in a file may connect to. */
  static final String NO_NETWORK = "'none'";

  /** The addresses that a page from a collector may connect to. */
  static final String ITS_SERVER = "'self'";

  /** In the order of their dependencies. */
  private static final List<String> SCRIPTS =
      List.of(
          "dom",
          "format",
          "theme",
          "packed",
          "workers",
          "model",
          "renumbered",
          "colors",
          "query",
          "matches",
          "search",
          "completion",
          "query-field",
          "filter",
          "address",
          "export",
          "picture",
          "overview",
          "graph",
          "services",
          "steps",
          "slices",
          "heat",
          "heatpaint",
          "heatmap",
          "runs",
          "rewards",
          "labels",
          "mix",
          "bars",
          "draw",
          "pauses",
          "lanes",
          "strips",
          "heads",
          "controls",
          "range",
          "map",
          "pointer",
          "view",
          "timeline",
          "tracerows",
          "trace",
          "callslices",
          "calls",
          "profile",
          "why",
          "percentiles",
          "durations",
          "pair",
          "against",
          "tables",
          "breakdown",
          "events",
          "details",
          "live",
          "page");

  /** Those of the page of all runs. */
  private static final List<String> SCRIPTS_OF_RUNS =
      List.of("dom", "format", "theme", "address", "export", "runs-index");

  private static final String DATA = "@DATA@";

  private final String html;
  private final String style;
  private final String script;

  private PageTemplate(String html, String style, String script) {
    this.html = html;
    this.style = style;
    this.script = script;
  }

  static PageTemplate load() throws IOException {
    return load("page.html", SCRIPTS);
  }

  /** That of all runs of a directory. */
  static PageTemplate ofRuns() throws IOException {
    return load("runs.html", SCRIPTS_OF_RUNS);
  }

  private static PageTemplate load(String markup, List<String> scripts) throws IOException {
    StringBuilder script = new StringBuilder("'use strict';\n");
    for (String name : scripts) {
      script.append(resource("page-" + name + ".js"));
    }
    return new PageTemplate(resource(markup), resource("page.css"), script.toString());
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = PageTemplate.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("the page's " + name + " is not in the jar");
      }
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  /** The content security policy, for a header or for the page itself. */
  String policy(String connectsTo) {
    return "default-src 'none'; img-src data:; script-src 'sha256-"
        + sha256(script)
        + "'; style-src 'sha256-"
        + sha256(style)
        + "'; connect-src "
        + connectsTo
        + "; base-uri 'none'; form-action 'none'";
  }

  String beforeData(String connectsTo) {
    String page =
        html.replace("@POLICY@", policy(connectsTo))
            .replace("@STYLE@", style)
            .replace("@SCRIPT@", script);
    return page.substring(0, page.indexOf(DATA));
  }

  String afterData() {
    String page = html.replace("@STYLE@", style).replace("@SCRIPT@", script);
    return page.substring(page.indexOf(DATA) + DATA.length());
  }

  private static String sha256(String text) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
