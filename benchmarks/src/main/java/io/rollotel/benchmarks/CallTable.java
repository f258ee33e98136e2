package io.rollotel.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * JMH's figures of {@link TracedCall} and {@link Handover} as tables of Markdown, each woven call
 * beside one by hand. A ratio is the median of those of several rounds, so that a machine that is
 * slower for a minute slows both.
 */
public final class CallTable {

  private static final String BYTES = "gc.alloc.rate.norm";

  /** Of the columns Benchmark, Mode, Threads, Samples, Score, Error, Unit. */
  private static final int SCORE = 4;

  /**
   * A woven call beside one traced by hand: the ending of the benchmarks' names, and the highest
   * ratio aimed at.
   */
  private record Pair(String ending, String says, double most) {}

  private static final List<Pair> PAIRS =
      List.of(
          new Pair("", "with a carrier", 0.55),
          new Pair("Attributes", "with two attributes more", 0.6),
          new Pair("SampledOut", "of a sender that is not sampled", 0.45),
          new Pair("Root", "without a carrier, a new root", 0.5),
          new Pair("Child", "a call inside a call: two spans", Double.NaN),
          new Pair("Future", "that returns a future", 0.5));

  private final Figures nanos = new Figures();
  private final Figures bytes = new Figures();

  /** Takes the files that JMH has written with {@code -prof gc -rf csv}, one for each round. */
  public static void main(String[] arguments) throws IOException {
    CallTable table = new CallTable();
    for (String file : arguments) {
      table.add(Files.readAllLines(Path.of(file)));
    }
    table.print();
  }

  private void add(List<String> csv) {
    Map<String, Double> nanosOfRound = new HashMap<>();
    Map<String, Double> bytesOfRound = new HashMap<>();
    for (String line : csv.subList(1, csv.size())) {
      String[] columns = line.replace("\"", "").split(",", -1);
      String name = columns[0].substring(columns[0].lastIndexOf('.', endOfName(columns[0])) + 1);
      double score = Double.parseDouble(columns[SCORE]);
      int colon = name.indexOf(':');
      if (colon < 0) {
        nanosOfRound.put(name, score);
      } else if (name.endsWith(BYTES)) {
        bytesOfRound.put(name.substring(0, colon), score);
      }
    }
    nanos.add("", nanosOfRound);
    bytes.add("", bytesOfRound);
  }

  /** Before the name of a profiler's figure, which has points as well. */
  private static int endOfName(String column) {
    int colon = column.indexOf(':');
    return colon < 0 ? column.length() : colon;
  }

  private void print() {
    System.out.println(
        "| call | ns woven | by hand | ratio | least to most | bytes woven | by hand | ratio |");
    System.out.println("|---|---|---|---|---|---|---|---|");
    for (Pair pair : PAIRS) {
      print(pair.says, "woven" + pair.ending, "byHand" + pair.ending);
    }
    print("a task that takes its context along", "followed", "wrappedByHand");
    System.out.println();
    System.out.println("| call | ns | bytes |");
    System.out.println("|---|---|---|");
    print("the body alone", "untraced");
    print("woven, tracing disabled", "wovenDisabled");
    print("the body alone, without payload", "untracedSuppressed");
    print("woven, suppressed", "wovenSuppressed");
    print("the task alone", "unwoven");
    System.out.println();
    System.out.println(Target.HEAD);
    for (Pair pair : PAIRS) {
      target("time of a call " + pair.says, pair);
    }
    required("time", nanos);
    required("bytes", bytes);
    List<Double> ratios = beyondTask();
    Target.most(
        "time that the context adds to a task, of by hand: 1",
        Figures.median(ratios),
        1,
        Figures.range(ratios, "rounds"));
    Target.most(
        "a suppressed call beyond its body, ns: 25",
        nanos.median("wovenSuppressed") - nanos.median("untracedSuppressed"),
        25);
    ratios = ratios(nanos, "wovenDisabled", "untraced");
    Target.most(
        "a call with tracing disabled, of the body alone: 1, within 5 %",
        Figures.median(ratios), 1.05, Figures.range(ratios, "rounds"));
  }

  private static void required(String what, Figures figures) {
    List<Double> ratios = ratios(figures, "woven", "byHand");
    Target.most(
        what + " of a traced call, of the hand-written SDK's: must be 0.95",
        Figures.median(ratios),
        0.95,
        Figures.range(ratios, "rounds"));
  }

  private void target(String what, Pair pair) {
    List<Double> ratios = ratios(nanos, "woven" + pair.ending, "byHand" + pair.ending);
    if (!Double.isNaN(pair.most)) {
      Target.most(
          String.format(Locale.ROOT, "%s, of the hand-written SDK's: aim %s", what, pair.most),
          Figures.median(ratios),
          pair.most,
          Figures.range(ratios, "rounds"));
    }
  }

  /** The cost of the context of a task, relative to its cost by hand, for each round. */
  private List<Double> beyondTask() {
    List<Double> alone = nanos.all("unwoven");
    return Figures.ratios(
        beyond(nanos.all("followed"), alone), beyond(nanos.all("wrappedByHand"), alone));
  }

  private static List<Double> beyond(List<Double> values, List<Double> alone) {
    List<Double> beyond = new ArrayList<>();
    for (int i = 0; i < Math.min(values.size(), alone.size()); i++) {
      beyond.add(values.get(i) - alone.get(i));
    }
    return beyond;
  }

  private static List<Double> ratios(Figures figures, String of, String to) {
    return Figures.ratios(figures.all(of), figures.all(to));
  }

  private void print(String says, String woven, String byHand) {
    List<Double> ratios = ratios(nanos, woven, byHand);
    if (!ratios.isEmpty()) {
      System.out.printf(
          Locale.ROOT,
          "| %s | %.0f | %.0f | %.2f | %s | %.0f | %.0f | %.2f |%n",
          says,
          nanos.median(woven),
          nanos.median(byHand),
          Figures.median(ratios),
          Figures.range(ratios, "rounds"),
          bytes.median(woven),
          bytes.median(byHand),
          bytes.median(woven) / bytes.median(byHand));
    }
  }

  private void print(String says, String name) {
    if (!nanos.all(name).isEmpty()) {
      System.out.printf(
          Locale.ROOT, "| %s | %.1f | %.0f |%n", says, nanos.median(name), bytes.median(name));
    }
  }
}
