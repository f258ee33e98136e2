package io.rollotel.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/** The same programs under each contender in turn, and the medians as a table of Markdown. */
public final class Race {

  static final int[] RATES = {20_000, 100_000};

  /** The one at which spans' cost is compared, twice in a round. */
  private static final int COMPARED = RATES[0];

  /** With fewer, only what the targets need. */
  private static final int SECONDS_OF_ALL = 3;

  private final Medians figures = new Medians();
  private final Places places;
  private final Path work;
  private final Set<String> what;
  private final Set<Contender> who;
  private final int seconds;

  private Race(Places places, Path work, Set<String> what, Set<Contender> who, int seconds) {
    this.seconds = seconds;
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
   *     and which contenders, both with commas between or "all"; for how many seconds calls are
   *     made at each rate
   */
  public static void main(String[] arguments) throws Exception {
    Path work = Path.of(arguments[5]);
    Places places =
        new Places(
            Path.of(arguments[1]),
            Path.of(arguments[2]),
            arguments[3],
            Path.of(arguments[4]),
            AgentJar.write(work, EmptyAgent.class));
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
    Race race = new Race(places, work, what, who, Integer.parseInt(arguments[8]));
    int rounds = Integer.parseInt(arguments[0]);
    for (int round = 1; round <= rounds; round++) {
      race.round(round, "round " + round + " of " + rounds + ", ");
    }
    race.print();
    System.out.println();
    new Targets(race.figures).print();
  }

  /**
   * The first contender of a round is the last of the next one, so that none always profits from a
   * warm machine.
   */
  private void round(int round, String says) throws IOException, InterruptedException {
    List<Contender> order = new ArrayList<>(who);
    if (round % 2 == 0) {
      Collections.reverse(order);
    }
    try (SpanSink sink = new SpanSink()) {
      Child small = new Child(places, work, sink.endpoint(), List.of("-Xshare:auto"));
      Child large =
          new Child(places, work, sink.endpoint(), List.of("-Xms1g", "-Xmx1g", "-XX:+UseSerialGC"));
      for (Contender contender : order) {
        if (!contender.needsSdk() && what.contains("start")) {
          keep(contender, "start", small.run(contender, Unannotated.class));
          keep(contender, "first", small.run(contender, Smallest.class, "call"));
          System.err.println("benchmarks/peers: " + says + "start, " + contender.title());
        }
      }
      for (Contender contender : order) {
        if (contender.isLoaded() && isNeeded(contender) && what.contains("loop")) {
          keep(contender, "loop", large.run(contender, Load.class, contender.how(), "loop"));
          System.err.println("benchmarks/peers: " + says + "loop, " + contender.title());
        }
      }
      for (int rate : RATES) {
        for (Contender contender : order) {
          if (rate == COMPARED || isNeeded(contender)) {
            rate(large, sink, contender, rate, says);
          }
        }
      }
      // Once more, in the other order, unless the run is short.
      List<Contender> compared =
          new ArrayList<>(List.of(Contender.OURS, Contender.BY_HAND, Contender.NOTHING));
      compared.retainAll(seconds < SECONDS_OF_ALL ? Set.of() : who);
      if (round % 2 == 0) {
        Collections.reverse(compared);
      }
      for (Contender contender : compared) {
        rate(large, sink, contender, COMPARED, says);
      }
    }
  }

  /** The cost of an untraced loop is informative, but no target depends on it. */
  private boolean isNeeded(Contender contender) {
    return contender != Contender.NOTHING || seconds >= SECONDS_OF_ALL;
  }

  private void rate(Child child, SpanSink sink, Contender contender, int rate, String says)
      throws IOException, InterruptedException {
    if (!what.contains("rate") || !contender.isCounted()) {
      return;
    }
    sink.taken();
    OwnFiles.taken(work);
    Map<String, Double> run =
        child.run(
            contender,
            Load.class,
            contender.how(),
            "rate",
            Integer.toString(rate),
            Integer.toString(seconds));
    long[] sent = sink.taken();
    long[] own = OwnFiles.taken(work);
    double delivered = distinct(sent);
    double all = distinct(LongStream.concat(LongStream.of(sent), LongStream.of(own)).toArray());
    run.put("delivered", delivered);
    run.put("kept", all - delivered);
    run.put("twice", sent.length + own.length - all);
    keep(contender, "rate" + rate, run);
    System.err.printf(
        Locale.ROOT,
        "benchmarks/peers: %s%d calls/s, %s: %.0f of %.0f delivered, %.0f kept, %.0f twice%n",
        says,
        rate,
        contender.title(),
        run.get("delivered"),
        run.get("calls"),
        run.get("kept"),
        run.get("twice"));
  }

  private static int distinct(long[] ids) {
    Arrays.sort(ids);
    int distinct = 0;
    for (int i = 0; i < ids.length; i++) {
      distinct += i == 0 || ids[i] != ids[i - 1] ? 1 : 0;
    }
    return distinct;
  }

  private void keep(Contender contender, String what, Map<String, Double> run) {
    figures.keep(contender, what, run);
  }

  private double median(Contender contender, String what) {
    return figures.of(contender, what);
  }

  private void print() {
    System.out.println(
        "| (in brackets: of the SDK by hand) | ns a call, of the calling thread | bytes a call"
            + " | delivered of 20,000 calls/s | CPU µs per delivered span"
            + " | delivered of 100,000 calls/s | CPU µs per delivered span"
            + " | start added, wall s (CPU s) | start and first traced call added"
            + " | RSS added under load, MiB |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|");
    for (Contender contender : who) {
      if (!contender.isLoaded() && !what.contains("start")) {
        continue;
      }
      System.out.println(
          "| "
              + String.join(
                  " | ",
                  contender.title(),
                  loop(contender, "loop.nanos"),
                  loop(contender, "loop.bytes"),
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

  private String loop(Contender contender, String what) {
    double value = median(contender, what);
    return shown("%.0f", value) + of(value, median(Contender.BY_HAND, what));
  }

  private static String of(double value, double byHand) {
    return shown(" (%.2f)", value / byHand);
  }

  private String delivered(Contender contender, int rate) {
    if (contender == Contender.NOTHING) {
      return "";
    }
    return shown(
        "%.1f %%",
        100
            * median(contender, "rate" + rate + ".delivered")
            / median(contender, "rate" + rate + ".calls"));
  }

  private String cpu(Contender contender, int rate) {
    if (contender == Contender.NOTHING) {
      return "";
    }
    Targets targets = new Targets(figures);
    double value = targets.cpu(contender, "rate" + rate);
    return shown("%.1f", value) + of(value, targets.cpu(Contender.BY_HAND, "rate" + rate));
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
