package io.rollotel.traces.report;

import io.rollotel.traces.profile.Breakdown;
import io.rollotel.traces.profile.Cause;

/** The activity of spans' threads as JSON. */
final class ProfileJson {

  private static final int MOST_LINES = 5;

  private final CommonFields common;
  private final JsonRows json;

  ProfileJson(CommonFields common, JsonRows json) {
    this.common = common;
    this.json = json;
  }

  void write(ProfileRows profile) {
    json.object(
        "profile",
        () ->
            json.put("processes", profile.processes())
                .put("files", profile.files())
                .texts("problems", profile.problems())
                .rows("criticalPath", profile.path(), this::row)
                .rows("names", profile.names(), this::row));
  }

  private void row(ProfileRows.Row row) {
    json.put("name", row.name().text());
    if (row.process() != null) {
      common.process(row.process());
    }
    json.put("nanos", Math.round(row.nanos()))
        .put("samples", Math.round(row.breakdown().samples()))
        .rows("activities", row.activities(), this::activity);
  }

  private void activity(ProfileRows.ActivityRow row) {
    json.put("activity", row.activity().toString())
        .put("nanos", Math.round(row.nanos()))
        .put("share", Math.min(1, row.share()))
        .rows("details", row.details(), this::detail);
  }

  private void detail(Breakdown.Detail detail) {
    json.put("what", detail.what()).put("nanos", Math.round(detail.nanos()));
    if (!detail.lines().isEmpty()) {
      json.rows(
          "lines",
          detail.lines().stream().limit(MOST_LINES).toList(),
          line -> json.put("line", line.line()).put("nanos", Math.round(line.nanos())));
    }
  }

  static void cause(Cause cause, JsonRows json) {
    json.object(
        "cause",
        () -> {
          json.put("activity", cause.activity().toString()).put("share", cause.share());
          if (!cause.what().isEmpty()) {
            json.put("what", cause.what());
          }
          if (cause.heapPercent() > 0) {
            json.put("heapPercent", cause.heapPercent());
          }
        });
  }
}
