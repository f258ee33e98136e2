package io.rollotel.traces.report;

import io.rollotel.traces.analysis.ClockSkew;
import io.rollotel.traces.analysis.Clocks;

/** Clocks in JSON: their own rows, and a mark on rows that depend on them. */
final class ClocksJson {

  private final ReportContents contents;
  private final Clocks clocks;
  private final JsonRows json;

  ClocksJson(ReportContents contents, JsonRows json) {
    this.contents = contents;
    this.clocks = contents.clocks();
    this.json = json;
  }

  void write() {
    json.rows("clocks", clocks.pairs(), this::pair);
    json.rows(
        "clockCorrections",
        clocks.corrected(),
        shift ->
            json.put("host", shift.host())
                .put("aheadOf", shift.reference())
                .put("correctionNanos", shift.nanos())
                .put("uncertaintyNanos", shift.uncertaintyNanos())
                .put("atLeast", shift.isAtLeast()));
  }

  private void pair(ClockSkew.Hosts hosts) {
    json.put("host", hosts.second())
        .put("aheadOf", hosts.first())
        .put("pairs", hosts.pairs())
        .put("outside", hosts.sticksOut());
    if (hosts.hasLow()) {
      json.put("atLeastNanos", hosts.lowNanos());
    }
    if (hosts.hasHigh()) {
      json.put("atMostNanos", hosts.highNanos());
    }
    if (!hosts.isContradictory()) {
      json.put("estimateNanos", hosts.estimateNanos())
          .put("uncertaintyNanos", hosts.uncertaintyNanos());
    }
    long correctionNanos = clocks.correctionNanos(hosts);
    json.put("skewed", hosts.isSkewed())
        .put("contradictory", hosts.isContradictory())
        .put("corrected", correctionNanos != 0)
        .put("correctionNanos", correctionNanos);
  }

  /** Marks rows about the whole run. */
  void mark() {
    mark(!clocks.doubtful().isEmpty());
  }

  /** Marks rows about spans of a name. */
  void mark(ReportContents.NameRef name) {
    mark(contents.isDoubtful(name));
  }

  /** Marks data that depends on clocks that do not agree. */
  void mark(boolean isDoubtful) {
    if (isDoubtful) {
      json.put("clocksDisagree", true);
    }
  }
}
