package io.rollotel.traces.report;

import io.rollotel.traces.analysis.Finding;
import io.rollotel.traces.profile.Cause;

/** The findings as JSON. */
final class FindingsJson {

  private final ReportContents contents;
  private final CommonFields common;
  private final JsonRows json;

  FindingsJson(ReportContents contents, CommonFields common, JsonRows json) {
    this.contents = contents;
    this.common = common;
    this.json = json;
  }

  void write() {
    json.rows("findings", contents.findings(), this::finding);
  }

  private void finding(FindingRow row) {
    Finding finding = row.finding();
    json.put("kind", finding.kind().toString());
    if (finding.name() >= 0) {
      json.put("name", contents.name(finding.name()));
    }
    if (row.workers().size() == 1) {
      json.object("worker", () -> common.process(row.workers().get(0)));
    } else if (!row.workers().isEmpty()) {
      json.rows("workers", row.workers(), common::process);
    }
    if (!finding.host().isEmpty()) {
      json.put("host", finding.host());
    }
    if (!finding.hosts().isEmpty()) {
      json.texts("hosts", finding.hosts());
    }
    if (finding.below().waitedForIn() >= 0) {
      json.put("waitedForIn", contents.name(finding.below().waitedForIn()));
    }
    if (finding.below().part() >= 0) {
      json.put("part", contents.name(finding.below().part()));
    }
    if (finding.steps().size() == 1) {
      json.put("step", finding.steps().get(0).label());
    }
    if (finding.savesNanos() != Finding.UNKNOWN) {
      json.put("savesNanos", finding.savesNanos()).put("shareOfSteps", row.share());
    }
    Finding.WaitedFor waitedFor = finding.waitedFor();
    if (waitedFor != null) {
      json.object("waitsFor", () -> waitsFor(finding, waitedFor));
    }
    Cause cause = row.cause();
    if (cause != null) {
      ProfileJson.cause(cause, json);
    }
    json.put("text", row.text()).rows("evidence", row.evidence(), common::span);
  }

  private void waitsFor(Finding finding, Finding.WaitedFor what) {
    json.put("name", contents.name(what.name()))
        .put("gapNanos", what.gapNanos())
        .put("times", finding.times())
        .put("of", finding.of());
    if (what.lastTimes() > 0) {
      json.put("lastTimes", what.lastTimes());
    }
  }
}
