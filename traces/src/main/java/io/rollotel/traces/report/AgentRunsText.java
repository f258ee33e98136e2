package io.rollotel.traces.report;

import io.rollotel.traces.analysis.AgentRuns;
import io.rollotel.traces.analysis.OpenRun;
import java.util.List;

/** The runs of an agent framework in the text. */
final class AgentRunsText {

  private static final int RUN_ID_COLUMNS = 20;
  private static final int LISTED = 20;

  private final ReportContents contents;
  private final ReportWriter out;

  AgentRunsText(ReportContents contents, ReportWriter out) {
    this.contents = contents;
    this.out = out;
  }

  void print() {
    List<ReportContents.AgentRunRow> all = contents.agentRuns();
    if (all.isEmpty()) {
      return;
    }
    out.println();
    out.line(ReportWriter.Colour.HEADING, inWords(contents.totals().agentRuns()) + ":");
    Table table =
        new Table(
            "agent's run~",
            "",
            "steps>",
            "failed>",
            "reward>",
            "?a step>",
            "?best>",
            "took>",
            "longest step>");
    List<ReportContents.AgentRunRow> shown =
        all.subList(Math.max(0, all.size() - LISTED), all.size());
    for (ReportContents.AgentRunRow row : shown) {
      AgentRuns.AgentRun one = row.run();
      table.row(
          TextFormat.orDash(one.label()),
          state(one),
          Integer.toString(one.steps().size()),
          Long.toString(row.failedSteps()),
          TextFormat.number(one.totalReward()),
          TextFormat.number(one.meanReward()),
          TextFormat.number(one.bestReward()),
          one.open() == null ? TextFormat.duration(one.nanos()) : age(one.open(), one.nanos()),
          longestStep(row));
    }
    table.print(out);
    if (all.size() > LISTED) {
      out.printf("  and %d more runs before them (--json has them)%n", all.size() - LISTED);
    }
    if (shown.stream().anyMatch(row -> row.run().id().isEmpty() && row.run().open() != null)) {
      out.sentence(
          "  trace ...: the id of the run is unknown, since neither it nor a step of it has ended; these are"
              + " the first digits of its trace's id");
    }
  }

  /** How long it took; of an open one, how long it has been open. */
  private static String longestStep(ReportContents.AgentRunRow row) {
    AgentRuns.AgentRun run = row.run();
    OpenRun open = run.open();
    if (open != null && !open.steps().isEmpty()) {
      long nanos = open.steps().get(0).ageNanos();
      if (run.steps().isEmpty() || nanos >= row.longestStepNanos()) {
        return age(open, nanos) + ", open";
      }
    }
    return run.steps().isEmpty() ? "-" : TextFormat.duration(row.longestStepNanos());
  }

  /** 0 if a span began after the process's last sign of life. */
  private static String age(OpenRun open, long nanos) {
    return nanos == 0 && !open.isAlive() ? OpenSpansText.NO_AGE : TextFormat.duration(nanos);
  }

  private static String state(AgentRuns.AgentRun run) {
    OpenRun open = run.open();
    if (open == null) {
      return run.state().toString();
    }
    return run.state() + (open.isAlive() ? ", process alive" : ", process died");
  }

  private static String inWords(AgentRuns runs) {
    AgentRuns.AgentRun best = runs.best();
    StringBuilder words = new StringBuilder("Runs of an agent: ");
    words.append(runs.count(AgentRuns.State.COMPLETED)).append(" of ").append(runs.all().size());
    words.append(" completed, ").append(TextFormat.count(runs.steps(), "step", "steps"));
    if (best != null) {
      words
          .append(", mean reward ")
          .append(TextFormat.number(runs.meanTotalReward()))
          .append(", the best ")
          .append(TextFormat.number(best.totalReward()))
          .append(" of ")
          .append(TextFormat.name(best.id(), RUN_ID_COLUMNS));
    }
    return words.toString();
  }
}
