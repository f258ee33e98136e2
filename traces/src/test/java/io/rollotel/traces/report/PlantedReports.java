package io.rollotel.traces.report;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.Spans;
import java.util.List;

/** Runs with steps, calls and hosts, and the reports on them. */
final class PlantedReports {

  private static final String SENT = "generate ray.remote";

  static ReportOptions template() {
    return ReportOptions.latestRun().withTraceUrl("https://jaeger/{trace_id}/{span_id}");
  }

  static RunReport of(Planted planted, ReportOptions options, Recording... recordings) {
    return of(planted.spans(), options, recordings);
  }

  static RunReport of(List<Span> spans, ReportOptions options, Recording... recordings) {
    Spans columns = new Spans();
    spans.forEach(columns::add);
    return RunReport.ofNewest(List.of(), options, columns, new OpenSpans(List.of(recordings)));
  }

  /** Steps of 1000 and a bit, with two phases, calls that wait in queues, and work left behind. */
  static Planted training(String runId, int steps, double weight) {
    Planted run = new Planted(runId).standingFor(weight);
    for (int step = 1; step <= steps; step++) {
      long at = 2000L * step;
      long root =
          run.span(step, 0, "pipeline_step", "driver@a", at, at + 1000 + step, "global_step", step);
      long rollout = run.span(step, root, "rollout", "driver@a", at, at + 700);
      for (int rank = 0; rank < 3; rank++) {
        long send = at + 10 + rank;
        long call =
            run.span(step, rollout, SENT, "driver@a", send, send + 5, "kind", Span.PRODUCER);
        run.span(
            step,
            call,
            SENT + "_worker",
            "w" + rank + "@b",
            at + 100,
            at + 600 + 10L * rank,
            "kind",
            Span.CONSUMER,
            "roll.queue_ns",
            90L - rank);
      }
      run.span(step, root, "save", "w1@b", at + 700, at + 1800);
      run.span(step, root, "train", "w0@b", at + 750, at + 900, "failure", "no step " + step);
    }
    return run;
  }

  /** Steps of 500 by that factor on one host, and of 500 on the other. */
  static Planted onHosts(String runId, double slower) {
    Planted run = new Planted(runId);
    for (int step = 1; step <= 20; step++) {
      long at = 2000L * step;
      long root = run.span(step, 0, "pipeline_step", "driver@a", at, at + (long) (600 * slower));
      for (int rank = 0; rank < 4; rank++) {
        long takes = (long) ((500 + (7 * step + 3 * rank) % 10) * (rank < 2 ? slower : 1));
        run.span(step, root, "train", "w" + rank + "@h" + rank / 2, at, at + takes);
      }
    }
    return run;
  }

  static Planted withMoreSaves(int steps) {
    Planted run = training("saves", steps, 1);
    for (int step = 1; step <= steps; step++) {
      long root = 10L * step - 9;
      for (int i = 0; i < 6; i++) {
        long at = 2000L * step + 900 + 10 * i;
        run.span(step, root, "save", "w1@b", at, at + 9);
      }
    }
    return run;
  }

  private PlantedReports() {}
}
