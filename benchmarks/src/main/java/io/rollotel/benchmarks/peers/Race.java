package io.rollotel.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The same programs under each contender in turn, and the medians as a table of Markdown. */
public final class Race {

  static final int[] RATES = {20_000, 100_000};
  private static final int RATE_SECONDS = 4;

  /** Of a start, in a round: the figure that varies most, and the cheapest. */
  private static final int STARTS = 3;

  private final Medians figures = new Medians();
  private final Places places;
  private final Path work;
  private final Set<String> what;
  private final Set<Contender> who;

  private Race(Places places, Path work, Set<String> what, Set<Contender> who) {
    this.places = places;
    this.work = work;
    this.what = what;
    this.who = who;
  }

  /**
   * Runs.
   *
   * @param arguments rounds; our agent; the folder of the other agents; the class path of the
   *     programs; the folder of the SDK's jars; a folder for files; which of start, loop and rate,
   *     and which contenders, both with commas between or "all"
   */
  public static void main(String[] arguments) throws Exception {
    Path work = Path.of(arguments[5]);
    Places places =
        new Places(
            Path.of(arguments[1]),
            Path.of(arguments[2]),
            arguments[3],
            Path.of(arguments[4]),
            Places.emptyAgent(work));
    Set<String> what =
        arguments[6].equals("all")
            ? Set.of("start", "loop", "rate")
            : Set.of(arguments[6].split(",", -1));
    Set<Contender> who = EnumSet.allOf(Contender.class);
    if (!arguments[7].equals("all")) {
      who.clear();
      for (String name : arguments[7].split(",", -1)) {
        who.add(Contender.valueOf(name));
      }
      who.add(Contender.NOTHING); // what the others' costs are counted from
    }
    Race race = new Race(places, work, what, who);
    int rounds = Integer.parseInt(arguments[0]);
    for (int round = 1; round <= rounds; round++) {
      race.round(round);
      System.err.println("benchmarks/peers: round " + round + " of " + rounds);
    }
    race.print();
    System.out.println();
    new Targets(race::median).print();
  }

  /** The first is the last in the next round, so that nobody always profits from a warm machine. */
  private void round(int round) throws IOException, InterruptedException {
    List<Contender> order = new ArrayList<>(who);
    if (round % 2 == 0) {
      Collections.reverse(order);
    }
    try (SpanSink sink = new SpanSink()) {
      Child small = new Child(places, work, sink.endpoint(), List.of("-Xshare:auto"));
      Child large =
          new Child(places, work, sink.endpoint(), List.of("-Xms1g", "-Xmx1g", "-XX:+UseSerialGC"));
      for (int i = 0; i < STARTS && what.contains("start"); i++) {
        for (Contender contender : order) {
          if (contender.needsSdk()) {
            continue;
          }
          keep(contender, "start", small.run(contender, Unannotated.class));
          keep(contender, "first", small.run(contender, Smallest.class, "call"));
        }
      }
      for (Contender contender : order) {
        if (contender.isLoaded() && what.contains("loop")) {
          keep(contender, "loop", large.run(contender, Load.class, contender.how(), "loop"));
        }
      }
      for (int rate : RATES) {
        for (Contender contender : order) {
          if (!what.contains("rate")
              || (contender != Contender.NOTHING && !contender.speaksOtlp())) {
            continue;
          }
          sink.taken();
          OwnFiles.taken(work);
          Map<String, Double> run =
              large.run(
                  contender,
                  Load.class,
                  contender.how(),
                  "rate",
                  Integer.toString(rate),
                  Integer.toString(RATE_SECONDS));
          run.put("delivered", (double) sink.taken());
          run.put("kept", (double) OwnFiles.taken(work));
          keep(contender, "rate" + rate, run);
        }
      }
    }
  }

  private void keep(Contender contender, String what, Map<String, Double> run) {
    figures.keep(contender, what, run);
  }

  private double median(Contender contender, String what) {
    return figures.of(contender, what);
  }

  private void print() {
    System.out.println(
        "| | ns a call, closed loop | bytes a call | delivered of 20,000 calls/s"
            + " | CPU µs per delivered span | delivered of 100,000 calls/s"
            + " | CPU µs per delivered span | start added, wall s (CPU s)"
            + " | start and first traced call added | RSS added under load, MiB |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|");
    for (Contender contender : who) {
      System.out.println(
          "| "
              + String.join(
                  " | ",
                  contender.title(),
                  shown("%.0f", median(contender, "loop.nanos")),
                  shown("%.0f", median(contender, "loop.bytes")),
                  delivered(contender, RATES[0]),
                  cpu(contender, RATES[0]),
                  delivered(contender, RATES[1]),
                  cpu(contender, RATES[1]),
                  added(contender, "start"),
                  added(contender, "first"),
                  shown(
                      "%.0f",
                      (median(contender, "rate20000.rssKib")
                              - median(Contender.NOTHING, "rate20000.rssKib"))
                          / 1024))
              + " |");
    }
  }

  private String delivered(Contender contender, int rate) {
    if (!contender.speaksOtlp()) {
      return "";
    }
    return shown(
        "%.1f %%",
        100
            * median(contender, "rate" + rate + ".delivered")
            / median(contender, "rate" + rate + ".calls"));
  }

  private String cpu(Contender contender, int rate) {
    if (!contender.speaksOtlp()) {
      return "";
    }
    return shown("%.1f", new Targets(this::median).cpu(contender, "rate" + rate));
  }

  private String added(Contender contender, String run) {
    if (contender == Contender.NOTHING) {
      return "";
    }
    return shown(
            "%.2f",
            median(contender, run + ".wallSeconds")
                - median(Contender.NOTHING, run + ".wallSeconds"))
        + shown(
            " (%.2f)",
            median(contender, run + ".cpuSeconds")
                - median(Contender.NOTHING, run + ".cpuSeconds"));
  }

  private static String shown(String format, double value) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, format, value);
  }
}
