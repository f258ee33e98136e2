package io.rollotel.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The start of the smallest program, as a worker, with each agent in turn; without and with an
 * archive of the program's classes (AppCDS). Prints tables of Markdown: see {@code
 * benchmarks/start}.
 */
public final class Starts {

  /** One line of the table: a program under a contender. */
  private record Line(String title, Contender contender, boolean calls) {

    Class<?> program() {
      return calls ? Smallest.class : Unannotated.class;
    }

    String[] arguments() {
      return calls ? new String[] {"call"} : new String[0];
    }

    /** As {@link Targets} names it. */
    String what() {
      return calls ? "first" : "start";
    }

    boolean isDelivered() {
      return calls && contender != Contender.NOTHING && contender.isCounted();
    }
  }

  private static final List<Line> LINES =
      List.of(
          new Line("no agent", Contender.NOTHING, false),
          new Line("an empty premain", Contender.EMPTY_PREMAIN, false),
          new Line("roll-otel, disabled", Contender.OURS_OFF, false),
          new Line("roll-otel, nothing annotated", Contender.OURS, false),
          new Line("no agent, one call", Contender.NOTHING, true),
          new Line("roll-otel, one traced call", Contender.OURS, true),
          new Line("opentelemetry-javaagent, one @WithSpan", Contender.OTEL_JAVAAGENT, true));

  /**
   * How often each run measures a start that takes less than a tenth of a second. Two such starts
   * differ by more than the effect to be measured.
   */
  private static final int TIMES = 5;

  private final Medians plain = new Medians();
  private final Medians archived = new Medians();
  private final Places places;
  private final Path work;
  private final boolean isArchived;
  private final List<Line> lines = new ArrayList<>(LINES);

  private Starts(Places places, Path work, boolean isArchived) {
    this.places = places;
    this.work = work;
    this.isArchived = isArchived;
    if (!Files.exists(places.peers().resolve("opentelemetry-javaagent.jar"))) {
      lines.removeIf(line -> line.contender == Contender.OTEL_JAVAAGENT);
    }
  }

  /**
   * Runs.
   *
   * @param arguments how often; our agent; the folder of the other agents, which may be missing;
   *     the class path of the programs, of jars alone; the folder of the SDK's jars; a folder for
   *     files; {@code --short} for no archive, or nothing
   */
  public static void main(String[] arguments) throws Exception {
    Path work = Path.of(arguments[5]);
    Starts starts =
        new Starts(
            new Places(
                Path.of(arguments[1]),
                Path.of(arguments[2]),
                arguments[3],
                Path.of(arguments[4]),
                AgentJar.write(work, EmptyAgent.class)),
            work,
            arguments.length == 6);
    starts.measure(Integer.parseInt(arguments[0]));
    starts.print("", starts.plain);
    new Targets(starts.plain).print();
    if (starts.isArchived) {
      System.out.println();
      starts.print("with an archive of the program's classes: ", starts.archived);
    }
  }

  private void measure(int runs) throws IOException, InterruptedException {
    try (SpanSink sink = new SpanSink()) {
      Child child = new Child(places, work, sink.endpoint(), List.of());
      if (isArchived) {
        for (Line line : lines) {
          archive(line, sink.endpoint());
        }
      }
      // Run 0 fills the caches and is not counted; every second one goes the other way round.
      for (int run = 0; run <= runs; run++) {
        List<Line> order = new ArrayList<>(lines);
        for (int again = 1; again < (run == 0 ? 1 : TIMES); again++) {
          lines.stream().filter(line -> !line.calls).forEach(order::add);
        }
        if (run % 2 == 1) {
          Collections.reverse(order);
        }
        for (Line line : order) {
          keep(run, line, child, plain, sink);
          if (isArchived) {
            Child sharing =
                new Child(
                    places,
                    work,
                    sink.endpoint(),
                    List.of("-Xlog:disable", "-XX:SharedArchiveFile=" + archiveOf(line)));
            keep(run, line, sharing, archived, sink);
          }
        }
      }
    }
  }

  private static void keep(int run, Line line, Child child, Medians medians, SpanSink sink)
      throws IOException, InterruptedException {
    sink.taken();
    Map<String, Double> figures = child.run(line.contender, line.program(), line.arguments());
    if (line.isDelivered() && sink.taken().length != 1) {
      throw new IOException(line.title + ": its span did not arrive");
    }
    if (run > 0) {
      medians.keep(line.contender, line.what(), figures);
    }
  }

  /**
   * A JVM with an agent has one more module, so it rejects an archive made without one. The JVM
   * refuses to make an archive with an agent.
   */
  private void archive(Line line, String endpoint) throws IOException, InterruptedException {
    Path archive = archiveOf(line);
    if (!Files.exists(archive)) {
      List<String> options = new ArrayList<>();
      options.add("-Xlog:disable");
      options.add("-XX:ArchiveClassesAtExit=" + archive);
      if (line.contender != Contender.NOTHING) {
        options.add("--add-modules=java.instrument");
      }
      new Child(places, work, endpoint, options)
          .run(Contender.NOTHING, line.program(), line.arguments());
    }
  }

  private Path archiveOf(Line line) {
    String which = line.contender == Contender.NOTHING ? "" : "-instrument";
    return work.resolve(line.what() + which + ".jsa");
  }

  private void print(String how, Medians medians) {
    System.out.println(
        "| " + how + "start | wall ms | CPU ms | RSS MiB | wall added | CPU added | RSS added |");
    System.out.println("|---|---|---|---|---|---|---|");
    for (Line line : lines) {
      StringBuilder cells = new StringBuilder("| " + line.title);
      StringBuilder added = new StringBuilder();
      for (Map.Entry<String, Double> unit :
          List.of(
              Map.entry("wallSeconds", 1000.0),
              Map.entry("cpuSeconds", 1000.0),
              Map.entry("peakKib", 1.0 / 1024))) {
        String name = line.what() + "." + unit.getKey();
        double value = medians.of(line.contender, name) * unit.getValue();
        double without = medians.of(Contender.NOTHING, name) * unit.getValue();
        cells.append(String.format(Locale.ROOT, " | %.0f", value));
        added.append(
            line.contender == Contender.NOTHING
                ? " | "
                : String.format(Locale.ROOT, " | %.0f", value - without));
      }
      System.out.println(cells.append(added).append(" |"));
    }
    System.out.println();
  }
}
