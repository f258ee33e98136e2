package io.rollotel.traces.page;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;

/** A run whose figures the tests of the page know. */
final class PlantedRun {

  static final long MS = 1_000_000;
  static final int STEPS = 12;

  private PlantedRun() {}

  /** Steps of 100 ms: 60 of generate, for which actor1 is always last, 30 of train. */
  static Planted steps() {
    Planted planted = new Planted().inUnitsOf(MS);
    for (int step = 0; step < STEPS; step++) {
      long at = 110L * step;
      long trace = 1 + step;
      long root =
          planted.span(
              trace, 0, "pipeline_step", "driver@a", at, at + 100, "global_step", "" + (7 + step));
      long generate = planted.span(trace, root, "generate", "driver@a", at, at + 60);
      planted.span(
          trace,
          generate,
          "worker.generate",
          "actor0@a",
          at + 2,
          at + 20,
          "batch.size",
          128L,
          "prompt",
          "an <b>attribute</b> of step " + step);
      if (step == 4) {
        planted.span(
            trace,
            generate,
            "worker.generate",
            "actor1@b",
            at + 2,
            at + 58,
            "failure",
            "out of memory");
      } else {
        planted.span(trace, generate, "worker.generate", "actor1@b", at + 2, at + 58);
      }
      planted.span(trace, root, "train", "driver@a", at + 60, at + 90);
    }
    return planted;
  }

  /** The page of planted spans. */
  static HtmlPage page(Planted planted, ReportOptions options) {
    Spans spans = new Spans(new SpanTags(new PageTags(PageLimits.FILE.tagBytes())));
    planted.spans().forEach(spans::add);
    return HtmlPage.of(spans, options);
  }
}
