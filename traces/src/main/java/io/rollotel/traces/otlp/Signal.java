package io.rollotel.traces.otlp;

import java.util.Locale;

/** A kind of telemetry: each has its own export request and file. */
public enum Signal {
  /** Spans. */
  TRACES,
  /** Data points of metrics. */
  METRICS,
  /** Log records. */
  LOGS;

  OtlpMessage request() {
    return switch (this) {
      case TRACES -> OtlpMessage.TRACES;
      case METRICS -> OtlpMessage.METRICS;
      case LOGS -> OtlpMessage.LOGS;
    };
  }

  /** {@code traces}, {@code metrics} or {@code logs}: in OTLP/HTTP's paths and in file names. */
  public String plural() {
    return name().toLowerCase(Locale.ROOT);
  }
}
