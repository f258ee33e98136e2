package io.rollotel.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * JMH's figures of {@link TracedCall} as tables of Markdown, each woven call beside one by hand.
 */
public final class CallTable {

  private static final String BYTES = "gc.alloc.rate.norm";

  /** Of the columns Benchmark, Mode, Threads, Samples, Score, Error, Unit. */
  private static final int SCORE = 4;

  /** What follows "woven" and "byHand" in the names of the benchmarks, and what it says. */
  private static final Map<String, String> PAIRS = new LinkedHashMap<>();

  static {
    PAIRS.put("", "with a carrier");
    PAIRS.put("Attributes", "with two attributes more");
    PAIRS.put("SampledOut", "of a sender that is not sampled");
    PAIRS.put("Root", "without a carrier, a new root");
    PAIRS.put("Child", "a call inside a call: two spans");
    PAIRS.put("Future", "returns a future");
  }

  private final Map<String, Double> nanos = new LinkedHashMap<>();
  private final Map<String, Double> bytes = new LinkedHashMap<>();

  private CallTable(List<String> csv) {
    for (String line : csv.subList(1, csv.size())) {
      String[] columns = line.replace("\"", "").split(",", -1);
      String name = columns[0].substring(columns[0].indexOf("TracedCall.") + 11);
      double score = Double.parseDouble(columns[SCORE]);
      int colon = name.indexOf(':');
      if (colon < 0) {
        nanos.put(name, score);
      } else if (name.endsWith(BYTES)) {
        bytes.put(name.substring(0, colon), score);
      }
    }
  }

  /** Takes the file that JMH has written with {@code -prof gc -rf csv}. */
  public static void main(String[] arguments) throws IOException {
    new CallTable(Files.readAllLines(Path.of(arguments[0]))).print();
  }

  private void print() {
    System.out.println("| call | ns woven | by hand | ratio | bytes woven | by hand | ratio |");
    System.out.println("|---|---|---|---|---|---|---|");
    PAIRS.forEach(
        (pair, says) -> {
          String woven = "woven" + pair;
          String byHand = "byHand" + pair;
          if (nanos.containsKey(woven) && nanos.containsKey(byHand)) {
            System.out.printf(
                Locale.ROOT,
                "| %s | %.0f | %.0f | %.2f | %.0f | %.0f | %.2f |%n",
                says,
                of(nanos, woven),
                of(nanos, byHand),
                of(nanos, woven) / of(nanos, byHand),
                of(bytes, woven),
                of(bytes, byHand),
                of(bytes, woven) / of(bytes, byHand));
          }
        });
    System.out.println();
    System.out.println("| call | ns | bytes |");
    System.out.println("|---|---|---|");
    print("the body alone", "untraced");
    print("woven, tracing disabled", "wovenDisabled");
    print("the body alone, without payload", "untracedSuppressed");
    print("woven, suppressed", "wovenSuppressed");
    System.out.println();
    System.out.println(Target.HEAD);
    for (Map<String, Double> figure : List.of(nanos, bytes)) {
      String what = figure == nanos ? "time" : "bytes";
      double ratio = of(figure, "woven") / of(figure, "byHand");
      Target.most(what + " of a traced call, of the hand-written SDK's: must be 0.95", ratio, 0.95);
      Target.most(what + " of a traced call, of the hand-written SDK's: aim 0.6", ratio, 0.6);
    }
    Target.most(
        "time of a call sampled out by its sender, of hand-written: 0.6",
        of(nanos, "wovenSampledOut") / of(nanos, "byHandSampledOut"),
        0.6);
    Target.most(
        "a suppressed call beyond its body, ns: 25",
        of(nanos, "wovenSuppressed") - of(nanos, "untracedSuppressed"),
        25);
    Target.most(
        "a call with tracing disabled, of the body alone: 1, within 5 %",
        of(nanos, "wovenDisabled") / of(nanos, "untraced"), 1.05);
  }

  private void print(String says, String name) {
    if (nanos.containsKey(name)) {
      System.out.printf(
          Locale.ROOT, "| %s | %.1f | %.0f |%n", says, of(nanos, name), of(bytes, name));
    }
  }

  /** NaN if it was not measured. */
  private static double of(Map<String, Double> figure, String name) {
    return figure.getOrDefault(name, Double.NaN);
  }
}
