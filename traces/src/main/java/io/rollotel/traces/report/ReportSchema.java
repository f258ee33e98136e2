package io.rollotel.traces.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The JSON Schema of reports and comparisons. */
public final class ReportSchema {

  /** Increased if a key is removed or changes its meaning; not for a new key. */
  static final int VERSION = 1;

  private ReportSchema() {}

  /** The schema's text: docs/report.schema.json. */
  public static String text() {
    try (InputStream in = ReportSchema.class.getResourceAsStream("report.schema.json")) {
      if (in == null) {
        throw new IllegalStateException("the JSON Schema is missing from the jar");
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
