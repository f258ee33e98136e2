package io.rollotel.benchmarks.peers;

import io.rollotel.benchmarks.Figures;
import io.rollotel.benchmarks.Target;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** The targets for the figures of a race. */
final class Targets {

  private final Medians runs;

  Targets(Medians runs) {
    this.runs = runs;
  }

  /** Prints the measured ones as a table of Markdown. */
  void print() {
    System.out.println(Target.HEAD);
    for (int rate : Race.RATES) {
      String run = "rate" + rate + ".";
      List<Double> lost = new ArrayList<>();
      List<Double> calls = runs.all(Contender.OURS, run + "calls");
      for (int i = 0; i < calls.size(); i++) {
        lost.add(
            calls.get(i)
                - runs.all(Contender.OURS, run + "delivered").get(i)
                - runs.all(Contender.OURS, run + "kept").get(i));
      }
      if (!lost.isEmpty()) {
        Target.most(
            String.format(
                Locale.ROOT, "spans lost of %,d calls/s in any run, own file included: 0", rate),
            Collections.max(lost),
            0,
            String.format(
                Locale.ROOT,
                "%.0f in the own file alone, %.0f in both",
                median(Contender.OURS, run + "kept"),
                median(Contender.OURS, run + "twice")));
      }
    }
    cpu();
    for (String figure : List.of("nanos", "bytes")) {
      Target.most(
          (figure.equals("nanos") ? "time of a call, of" : "bytes of a call, of")
              + " opentelemetry-javaagent's bare @WithSpan: "
              + (figure.equals("nanos") ? "0.65" : "0.5"),
          median(Contender.OURS, "loop." + figure)
              / median(Contender.OTEL_JAVAAGENT, "loop." + figure),
          figure.equals("nanos") ? 0.65 : 0.5);
    }
    Target.most(
        "start, disabled, seconds beyond an empty premain: 0.005",
        wall(Contender.OURS_OFF, "start") - wall(Contender.EMPTY_PREMAIN, "start"),
        0.005);
    Target.most(
        "start, enabled, nothing annotated, seconds added: 0.08",
        wall(Contender.OURS, "start") - wall(Contender.NOTHING, "start"),
        0.08);
    double first = wall(Contender.OURS, "first") - wall(Contender.NOTHING, "first");
    Target.most(
        "start and first traced call, seconds added: 0.15",
        first,
        0.15,
        Figures.range(
            beyond("first.wallSeconds", median(Contender.NOTHING, "first.wallSeconds")), "runs"));
    Target.most(
        "the same, of opentelemetry-javaagent's: 0.167",
        first / (wall(Contender.OTEL_JAVAAGENT, "first") - wall(Contender.NOTHING, "first")),
        1.0 / 6);
    Target.most(
        "the same, MiB of RSS added: 20",
        (median(Contender.OURS, "first.peakKib") - median(Contender.NOTHING, "first.peakKib"))
            / 1024,
        20);
  }

  /** By pairs of neighbouring runs. */
  private void cpu() {
    List<Double> ratios =
        Figures.ratios(
            cpuOfRuns(Contender.OURS, "rate20000"), cpuOfRuns(Contender.BY_HAND, "rate20000"));
    if (!ratios.isEmpty()) {
      Target.most(
          "CPU per delivered span at 20,000 calls/s, of the hand-written SDK's: 0.6",
          Figures.median(ratios),
          0.6,
          Figures.range(ratios, "pairs"));
    }
  }

  /** Each of our runs, beyond what the program alone takes. */
  private List<Double> beyond(String figure, double alone) {
    return runs.all(Contender.OURS, figure).stream().map(value -> value - alone).toList();
  }

  private double wall(Contender contender, String run) {
    return median(contender, run + ".wallSeconds");
  }

  private double median(Contender contender, String what) {
    return runs.of(contender, what);
  }

  /** Of µs, beyond what the calls themselves cost, for each span that arrived. */
  double cpu(Contender contender, String run) {
    return Figures.median(cpuOfRuns(contender, run));
  }

  private List<Double> cpuOfRuns(Contender contender, String run) {
    List<Double> each = new ArrayList<>();
    List<Double> delivered = runs.all(contender, run + ".delivered");
    for (int i = 0; i < delivered.size(); i++) {
      double share = delivered.get(i) / runs.all(contender, run + ".calls").get(i);
      each.add(
          (runs.all(contender, run + ".cpuNanos").get(i)
                  - median(Contender.NOTHING, run + ".cpuNanos"))
              / 1000
              / (runs.all(contender, run + ".measured").get(i) * share));
    }
    return each;
  }
}
