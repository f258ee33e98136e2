package io.rollotel.examples.agentrun;

import io.rollotel.telemetry.TraceCorrelation;
import java.io.IOException;
import java.io.Writer;
import java.util.Map;
import java.util.StringJoiner;

/** Writes records as lines of JSON; each names the span in which it was written. */
final class Records {
  private final Writer out;

  Records(Writer out) {
    this.out = out;
  }

  /** Values are numbers and text without anything to escape. */
  void write(Map<String, Object> record) throws IOException {
    StringJoiner line = new StringJoiner(", ", "{", "}\n");
    TraceCorrelation.stamp(record)
        .forEach(
            (key, value) ->
                line.add(
                    "\"" + key + "\": " + (value instanceof String ? "\"" + value + "\"" : value)));
    out.write(line.toString());
  }
}
