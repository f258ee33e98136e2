package io.rollotel.benchmarks.peers;

import io.rollotel.benchmarks.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * The highest rate at which a process that has warmed up delivers all of its spans. Each rate in
 * turn is tried, a second time if necessary, until spans go to the process's own file, or are lost.
 */
public final class HighestRate {

  private static final int[] RATES = {
    100_000, 150_000, 200_000, 250_000, 300_000, 400_000, 500_000, 700_000, 1_000_000
  };

  /** At this rate, all spans must be delivered. */
  private static final int WANTED = RATES[0];

  /** The machine may be busy for a moment. */
  private static final int ATTEMPTS = 2;

  private HighestRate() {}

  /**
   * Runs.
   *
   * @param arguments our agent; the class path of the program; the folder of the SDK's jars; a
   *     folder for files; for how many seconds calls are made at each rate
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path work = Path.of(arguments[3]);
    Places places =
        new Places(
            Path.of(arguments[0]),
            work,
            arguments[1],
            Path.of(arguments[2]),
            AgentJar.write(work, EmptyAgent.class));
    System.out.println("| calls/s | spans | delivered | in the own file alone | lost |");
    System.out.println("|---|---|---|---|---|");
    int highest = 0;
    for (int rate : RATES) {
      boolean isDelivered = false;
      for (int attempt = 0; attempt < ATTEMPTS && !isDelivered; attempt++) {
        isDelivered = isDelivered(places, work, rate, arguments[4]);
      }
      if (!isDelivered) {
        break;
      }
      highest = rate;
    }
    System.out.println();
    System.out.println(Target.HEAD);
    Target.least(
        String.format(
            Locale.ROOT,
            "highest rate at which all spans of a warm process are delivered, calls/s: %,d",
            WANTED),
        highest,
        WANTED);
  }

  private static boolean isDelivered(Places places, Path work, int rate, String seconds)
      throws IOException, InterruptedException {
    try (SpanSink sink = new SpanSink()) {
      Child child =
          new Child(places, work, sink.endpoint(), List.of("-Xms1g", "-Xmx1g", "-XX:+UseSerialGC"));
      OwnFiles.taken(work);
      Map<String, Double> run =
          child.run(
              Contender.OURS,
              Load.class,
              Contender.OURS.how(),
              "steady",
              Integer.toString(rate),
              seconds);
      long[] sent = sink.taken();
      long delivered = LongStream.of(sent).distinct().count();
      long all =
          LongStream.concat(Arrays.stream(sent), Arrays.stream(OwnFiles.taken(work)))
              .distinct()
              .count();
      long calls = run.getOrDefault("calls", 0.0).longValue();
      System.out.printf(
          Locale.ROOT,
          "| %,d | %,d | %,d | %,d | %,d |%n",
          rate,
          calls,
          delivered,
          all - delivered,
          calls - all);
      return delivered == calls;
    }
  }
}
