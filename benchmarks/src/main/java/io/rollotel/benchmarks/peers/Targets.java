package io.rollotel.benchmarks.peers;

import java.util.Locale;

/** What the figures of a race are to be, and whether they are. */
final class Targets {

  /** The median of a figure of a contender, NaN where it was not measured. */
  interface Figures {
    double of(Contender contender, String what);
  }

  private final Figures figures;

  Targets(Figures figures) {
    this.figures = figures;
  }

  /** As a table of Markdown, of those that were measured. */
  void print() {
    System.out.println("| target | is | |");
    System.out.println("|---|---|---|");
    for (int rate : Race.RATES) {
      String run = "rate" + rate + ".";
      most(
          "spans lost of " + rate + " calls/s, the own file included: none",
          figures.of(Contender.OURS, run + "calls")
              - figures.of(Contender.OURS, run + "delivered")
              - figures.of(Contender.OURS, run + "kept"),
          0);
    }
    most(
        "CPU per delivered span at 20000 calls/s, of the hand-written SDK's: 0.6",
        cpu(Contender.OURS) / cpu(Contender.BY_HAND),
        0.6);
    most(
        "start, disabled, seconds beyond an empty premain: 0.005",
        wall(Contender.OURS_OFF, "start") - wall(Contender.EMPTY_PREMAIN, "start"),
        0.005);
    most(
        "start, enabled, nothing annotated, seconds added: 0.08",
        wall(Contender.OURS, "start") - wall(Contender.NOTHING, "start"),
        0.08);
    double first = wall(Contender.OURS, "first") - wall(Contender.NOTHING, "first");
    most("start and first traced call, seconds added: 0.35", first, 0.35);
    most(
        "the same, of opentelemetry-javaagent's: 0.167",
        first / (wall(Contender.OTEL_JAVAAGENT, "first") - wall(Contender.NOTHING, "first")),
        1.0 / 6);
    most(
        "the same, MiB of RSS added: 45",
        (figures.of(Contender.OURS, "first.peakKib")
                - figures.of(Contender.NOTHING, "first.peakKib"))
            / 1024,
        45);
  }

  private double wall(Contender contender, String run) {
    return figures.of(contender, run + ".wallSeconds");
  }

  /** Beyond what the calls themselves cost, for each span that arrived. */
  double cpu(Contender contender, String run) {
    double share =
        figures.of(contender, run + ".delivered") / figures.of(contender, run + ".calls");
    return (figures.of(contender, run + ".cpuNanos")
            - figures.of(Contender.NOTHING, run + ".cpuNanos"))
        / 1000
        / (figures.of(contender, run + ".measured") * share);
  }

  private double cpu(Contender contender) {
    return cpu(contender, "rate20000");
  }

  private static void most(String target, double value, double most) {
    if (!Double.isNaN(value)) {
      System.out.println(
          "| "
              + target
              + " | "
              + String.format(Locale.ROOT, "%.3f", value)
              + (value <= most ? " | held |" : " | missed |"));
    }
  }
}
