package io.rollotel.traces.report;

import io.rollotel.traces.analysis.Steps;
import io.rollotel.traces.analysis.Workers;

/** The steps and their phases as JSON. */
final class StepsJson {

  /** With more, steps do not list their workers, which would take gigabytes of JSON. */
  private static final long MAX_STEP_WORKERS = 1_000_000;

  private final ReportContents contents;
  private final CommonFields common;
  private final JsonRows json;

  StepsJson(ReportContents contents, CommonFields common, JsonRows json) {
    this.contents = contents;
    this.common = common;
    this.json = json;
  }

  void write() {
    ReportContents.StepSummary steps = contents.steps();
    boolean isWithWorkers =
        (long) steps.all().size() * contents.workers().size() <= MAX_STEP_WORKERS;
    json.put("stepsAreTraces", steps.areTraces())
        .put("virtualSteps", steps.virtual())
        .put("stepWallNanos", steps.wallNanos())
        .put("unattributedNanos", steps.unattributedNanos());
    long leftOut = contents.totals().steps().leftOut();
    if (leftOut > 0) {
      json.put("stepsLeftOut", leftOut);
    }
    if (steps.perMinute() > 0) {
      json.put("stepsPerMinute", steps.perMinute());
    }
    if (steps.areOverlapping()) {
      json.object(
          "stepOverlap",
          () ->
              json.put("extentNanos", steps.overlap().extentNanos())
                  .put("unionNanos", steps.overlap().unionNanos())
                  .put("overlappedNanos", steps.overlap().overlappedNanos())
                  .put("mostAtOnce", steps.overlap().mostAtOnce()));
    }
    ReportContents.BetweenSteps between = contents.between();
    if (between != null) {
      json.object(
          "betweenSteps",
          () ->
              json.put("nanos", between.nanos())
                  .put("share", between.share())
                  .rows("work", between.work(), this::work));
    }
    json.rows("steps", steps.all(), step -> step(step, isWithWorkers));
    phases();
  }

  private void work(ReportContents.WorkRow row) {
    json.put("name", row.name().text())
        .put("count", row.count())
        .put("totalNanos", row.totalNanos())
        .object("longest", () -> common.span(row.longest()));
  }

  private void step(Steps.Step step, boolean isWithWorkers) {
    json.put("step", step.label());
    common.span(contents.span(step.span()));
    if (contents.totals().spans().isVirtual(step.span())) {
      json.put("virtual", true);
    }
    json.object(
            "phases",
            () ->
                step.phases()
                    .forEach(phase -> json.put(contents.name(phase.name()), phase.nanos())))
        .put("unattributedNanos", step.restNanos());
    if (isWithWorkers) {
      json.array(
          "workers", () -> contents.workers().forEach(worker -> stepWorker(step, worker.worker())));
    }
  }

  private void stepWorker(Steps.Step step, Workers.Worker worker) {
    ReportContents.StepWorker inStep = contents.inStep(worker, step);
    if (inStep != null) {
      json.objectElement(
          () ->
              json.put("instance", worker.process().instanceId())
                  .put("busyNanos", inStep.busyNanos())
                  .put("idleNanos", inStep.idleNanos()));
    }
  }

  private void phases() {
    json.rows(
        "phases",
        contents.steps().phases(),
        phase ->
            json.put("name", phase.name().text())
                .put("steps", phase.steps())
                .put("totalNanos", phase.totalNanos())
                .put("p50Nanos", phase.medianNanos())
                .put("maxNanos", phase.maxNanos()));
  }
}
