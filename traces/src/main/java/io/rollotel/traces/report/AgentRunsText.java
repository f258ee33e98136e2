package io.rollotel.traces.report;

import io.rollotel.traces.analysis.AgentActions;
import io.rollotel.traces.analysis.AgentRuns;
import io.rollotel.traces.analysis.OpenRun;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The runs of an agent framework in the text. */
final class AgentRunsText {

  private static final int RUN_ID_COLUMNS = 20;
  private static final int LISTED = 20;
  private static final int REASONS = 3;
  private static final int ACTIONS = 8;

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
    out.wrapped(ReportWriter.Colour.HEADING, inWords(contents.totals().agentRuns()) + ":");
    reasons(all);
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
    List<ReportContents.AgentRunRow> shown = shown(all);
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
    boolean areBefore = shown.get(0).equals(all.get(Math.max(0, all.size() - LISTED)));
    String before = areBefore ? " before them" : "";
    out.more(all.size() - LISTED, "run" + before, "runs" + before);
    if (shown.stream().anyMatch(row -> row.run().id().isEmpty() && row.run().open() != null)) {
      out.sentence(
          "  span ...: the id of the run is unknown, since neither it nor a step of it has ended; these are"
              + " the first digits of its span's id");
    }
    actions();
  }

  /** Their steps by action, unless all did the same. */
  private void actions() {
    List<AgentActions> all = contents.totals().agentRuns().actions();
    if (all.size() < 2) {
      return;
    }
    Table table =
        new Table("agent's action~", "steps>", "total>", "share>", "p95>", "failed>", "reward>");
    long totalNanos = all.stream().mapToLong(AgentActions::totalNanos).sum();
    for (AgentActions action : all.subList(0, Math.min(all.size(), ACTIONS))) {
      table.row(
          TextFormat.orDash(action.action()),
          Long.toString(action.count()),
          TextFormat.duration(action.totalNanos()),
          TextFormat.percent(ContentsBuilder.share(action.totalNanos(), totalNanos)),
          TextFormat.duration(action.p95Nanos()),
          Long.toString(action.errors()),
          TextFormat.number(action.meanReward()));
    }
    out.println();
    table.print(out);
    out.more(all.size() - ACTIONS, "action", "actions");
  }

  /** Why runs failed, the most frequent reason first. */
  private void reasons(List<ReportContents.AgentRunRow> all) {
    Map<String, List<String>> byPattern = new LinkedHashMap<>();
    for (ReportContents.AgentRunRow row : all) {
      if (row.run().state() == AgentRuns.State.FAILED && row.span() != null) {
        byPattern
            .computeIfAbsent(row.span().failurePattern(), pattern -> new ArrayList<>())
            .add(row.span().failureText());
      }
    }
    List<Map.Entry<String, List<String>>> reasons = new ArrayList<>(byPattern.entrySet());
    reasons.sort(Comparator.comparingInt(reason -> -reason.getValue().size()));
    for (Map.Entry<String, List<String>> reason :
        reasons.subList(0, Math.min(reasons.size(), REASONS))) {
      List<String> texts = reason.getValue();
      boolean isVaried = texts.stream().distinct().count() > 1;
      String why = TextFormat.orDash(isVaried ? reason.getKey() : texts.get(0));
      String line = "  " + texts.size() + " failed: " + why;
      out.line(ReportWriter.Colour.BAD, TextFormat.beginning(line, out.columns()));
    }
    out.more(reasons.size() - REASONS, "reason", "reasons");
  }

  /** The latest runs. Those that did not complete go first where there is no room for all. */
  private static List<ReportContents.AgentRunRow> shown(List<ReportContents.AgentRunRow> all) {
    BitSet chosen = new BitSet();
    for (int round = 0; round < 2; round++) {
      int most = round == 0 ? LISTED / 2 : LISTED;
      for (int i = all.size() - 1; i >= 0 && chosen.cardinality() < most; i--) {
        if (round == 1 || all.get(i).run().state() != AgentRuns.State.COMPLETED) {
          chosen.set(i);
        }
      }
    }
    return chosen.stream().mapToObj(all::get).toList();
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
    return run.state()
        + (open.isAlive()
            ? ", process alive"
            : open.hasExited() ? ", process ended" : ", process died");
  }

  private static String inWords(AgentRuns runs) {
    AgentRuns.AgentRun best = runs.best();
    StringBuilder words = new StringBuilder("Runs of an agent: ");
    words.append(runs.count(AgentRuns.State.COMPLETED)).append(" of ").append(runs.all().size());
    words.append(" completed, ");
    long failed = runs.count(AgentRuns.State.FAILED);
    long unended = runs.count(AgentRuns.State.UNENDED);
    words.append(failed == 0 ? "" : failed + " failed, ");
    words.append(unended == 0 ? "" : unended + " not ended, ");
    words.append(TextFormat.count(runs.steps(), "step", "steps"));
    if (best != null) {
      words
          .append(", mean reward ")
          .append(TextFormat.number(runs.meanTotalReward()))
          .append(over(runs))
          .append(", the best ")
          .append(TextFormat.number(best.totalReward()))
          .append(" of ")
          .append(TextFormat.name(best.id(), RUN_ID_COLUMNS));
    }
    return words.toString();
  }

  /** Of which runs the mean is: not only of the completed ones that the sentence begins with. */
  private static String over(AgentRuns runs) {
    int all = runs.all().size();
    return all == 1
        ? ""
        : runs.rewarded() == all
            ? " over all " + all
            : " over the " + runs.rewarded() + " with one";
  }
}
