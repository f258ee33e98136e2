package io.rollotel.benchmarks;

import io.rollotel.benchmarks.GeneratedClass.Traced;
import io.rollotel.benchmarks.peers.AgentJar;
import io.rollotel.benchmarks.peers.LookingAgent;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What more classes, threads, places and calls cost: each in JVMs of their own, as tables. */
public final class Growth {

  private static final int[] METHODS = {1, 4, 16};
  private static final int METHODS_SCANNED = 8;
  private static final int CLASSES_SCANNED = 20_000;
  private static final int[] SITES = {1, 1_000};
  private static final List<String> THREADS = List.of("1", "2", "8", "32");
  private static final String CLASS_PATH = System.getProperty("java.class.path");

  private final List<String> agent;
  private final Path work;
  private final boolean isShort;
  private final Figures figures = new Figures();

  private Growth(Path agent, Path work, boolean isShort) {
    this.agent = List.of("-javaagent:" + agent + "=enabled", "-Dotel.traces.exporter=none");
    this.work = work;
    this.isShort = isShort;
  }

  /** Takes the agent's jar, a folder for files, and {@code --short} or nothing. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Growth growth = new Growth(Path.of(arguments[0]), Path.of(arguments[1]), arguments.length > 2);
    growth.weaving();
    growth.scanning();
    growth.calls();
    growth.deliveredCalls();
    growth.heap();
    System.out.println(Target.HEAD);
    growth.targets();
  }

  private void weaving() throws IOException, InterruptedException {
    for (int methods : METHODS) {
      Path folder = folder("annotated" + methods);
      GeneratedClass.of(folder, methods, Traced.ANNOTATED);
      figures.add(
          methods + ".",
          Jvm.run(
              work,
              agent,
              CLASS_PATH,
              GrowthOfLoading.class,
              "weave",
              folder,
              methods,
              isShort ? 1 : 3));
    }
    progress("weaving");
    System.out.println(
        "| annotated classes, CPU µs to load each | of 10 | of 100 | of 1,000"
            + " | first call of a method |");
    System.out.println("|---|---|---|---|---|");
    for (int methods : METHODS) {
      System.out.printf(Locale.ROOT, "| of %d method%s", methods, methods == 1 ? "" : "s");
      for (int count : GrowthOfLoading.COUNTS) {
        System.out.printf(Locale.ROOT, " | %.0f", woven(methods, count));
      }
      System.out.printf(Locale.ROOT, " | %.0f |%n", figures.median(methods + ".first1000"));
    }
    System.out.println();
  }

  private double woven(int methods, int classes) {
    return figures.median(methods + ".class" + classes);
  }

  private void scanning() throws IOException, InterruptedException {
    Path folder = folder("plain" + METHODS_SCANNED);
    GeneratedClass generated = GeneratedClass.of(folder, METHODS_SCANNED, Traced.NOT);
    Path jar = folder.resolve("classes.jar");
    generated.writeJar(jar, CLASSES_SCANNED);
    List<String> looking = List.of("-javaagent:" + AgentJar.write(work, LookingAgent.class));
    int pairs = isShort ? 2 : 5;
    for (int pair = 0; pair <= pairs; pair++) {
      List<String> order = new ArrayList<>(List.of("without", "empty", "with"));
      if (pair % 2 == 1) {
        Collections.reverse(order);
      }
      for (String which : order) {
        Map<String, Double> run =
            Jvm.run(
                work,
                switch (which) {
                  case "with" -> agent;
                  case "empty" -> looking;
                  default -> List.of();
                },
                CLASS_PATH + File.pathSeparator + jar,
                GrowthOfLoading.class,
                "scan",
                CLASSES_SCANNED);
        if (pair > 0) { // the first has filled the caches
          figures.add(which + ".", run);
        }
      }
      progress("scanning, pair " + pair + " of " + pairs);
    }
    System.out.printf(
        Locale.ROOT,
        "| loading %,d classes that are not annotated, %,d bytes each |"
            + " CPU s without an agent | with one that looks at none | ratio | with ours | ratio |%n"
            + "|---|---|---|---|---|---|%n",
        CLASSES_SCANNED,
        generated.bytes(0).length);
    for (String what : List.of("thread", "process")) {
      System.out.printf(
          Locale.ROOT,
          "| %s | %.3f | %.3f | %.3f | %.3f | %.3f |%n",
          what.equals("thread") ? "the thread that loads" : "the process",
          figures.median("without." + what),
          figures.median("empty." + what),
          scanned("empty.", what),
          figures.median("with." + what),
          scanned("with.", what));
    }
    System.out.println();
  }

  /** The median of the pairs' ratios. */
  private double scanned(String which, String what) {
    return Figures.median(
        Figures.ratios(figures.all(which + what), figures.all("without." + what)));
  }

  private void calls() throws IOException, InterruptedException {
    int rounds = isShort ? 1 : 3;
    List<Traced> contenders = new ArrayList<>(List.of(Traced.values()));
    if (isShort) {
      contenders.remove(Traced.BY_HAND); // which no target needs
    }
    for (Traced traced : contenders) {
      GeneratedClass.of(folder(traced + "1"), 1, traced);
    }
    for (int round = 1; round <= rounds; round++) {
      for (int sites : SITES) {
        for (Traced which : contenders) {
          List<Object> arguments = new ArrayList<>();
          arguments.addAll(List.of("threads", folder(which + "1"), sites, isShort ? 1 : 2));
          arguments.addAll(sites == 1 ? THREADS : List.of("1"));
          figures.add(
              which + "" + sites + ".",
              Jvm.run(work, agent, CLASS_PATH, GrowthOfCalls.class, arguments.toArray()));
        }
      }
      progress("calls, round " + round + " of " + rounds);
    }
    System.out.println(
        "| CPU ns of a call | body | traced | tracing adds | of one thread, one place"
            + " | by hand adds | of one thread, one place |");
    System.out.println("|---|---|---|---|---|---|---|");
    for (String threads : THREADS) {
      row(threads + (threads.equals("1") ? " thread" : " threads"), 1, threads);
    }
    row("1 thread, in turn by 1,000 methods", SITES[1], "1");
    System.out.println();
  }

  /** Through the queue, which calls without an exporter do not use. */
  private void deliveredCalls() throws IOException, InterruptedException {
    int rounds = isShort ? 1 : 3;
    List<String> delivering =
        List.of(
            agent.get(0),
            "-Droll.otel.exporter=file",
            "-Droll.otel.output.dir=" + work.resolve("run"));
    for (int round = 1; round <= rounds; round++) {
      for (Traced which : List.of(Traced.NOT, Traced.ANNOTATED)) {
        List<Object> arguments = new ArrayList<>();
        arguments.addAll(List.of("delivered", folder(which + "1"), 1, isShort ? 2 : 5));
        arguments.addAll(THREADS);
        figures.add(
            which + ".",
            Jvm.run(work, delivering, CLASS_PATH, GrowthOfCalls.class, arguments.toArray()));
      }
      progress("calls that are delivered, round " + round + " of " + rounds);
    }
    System.out.println(
        "| CPU ns of a call, 40,000/s in bursts, spans delivered | body | traced | tracing adds"
            + " | of one thread |");
    System.out.println("|---|---|---|---|---|");
    for (String threads : THREADS) {
      System.out.printf(
          Locale.ROOT,
          "| %s | %.0f | %.0f | %.0f | %.2f |%n",
          threads + (threads.equals("1") ? " thread" : " threads"),
          figures.median(Traced.NOT + ".delivered" + threads),
          figures.median(Traced.ANNOTATED + ".delivered" + threads),
          deliveryAdds(threads),
          deliveryAdds(threads) / deliveryAdds("1"));
    }
    System.out.println();
  }

  private double deliveryAdds(String threads) {
    return figures.median(Traced.ANNOTATED + ".delivered" + threads)
        - figures.median(Traced.NOT + ".delivered" + threads);
  }

  private void row(String says, int sites, String threads) {
    System.out.printf(
        Locale.ROOT,
        "| %s | %.0f | %.0f | %.0f | %.2f | %s |%n",
        says,
        nanos(Traced.NOT, sites, threads),
        nanos(Traced.ANNOTATED, sites, threads),
        added(Traced.ANNOTATED, sites, threads),
        grown(Traced.ANNOTATED, sites, threads),
        isShort
            ? " | "
            : String.format(
                Locale.ROOT,
                "%.0f | %.2f",
                added(Traced.BY_HAND, sites, threads),
                grown(Traced.BY_HAND, sites, threads)));
  }

  private double nanos(Traced which, int sites, String threads) {
    return figures.median(which + "" + sites + ".threads" + threads);
  }

  private double added(Traced which, int sites, String threads) {
    return nanos(which, sites, threads) - nanos(Traced.NOT, sites, threads);
  }

  /** Relative to the cost on one thread at one place. */
  private double grown(Traced which, int sites, String threads) {
    return added(which, sites, threads) / added(which, 1, "1");
  }

  private void heap() throws IOException, InterruptedException {
    int millions = isShort ? 10 : 100;
    figures.add(
        "",
        Jvm.run(
            work,
            agent,
            CLASS_PATH,
            GrowthOfCalls.class,
            "heap",
            folder(Traced.ANNOTATED + "1"),
            millions));
    progress("heap");
    System.out.println("| live heap after calls, millions | KiB |");
    System.out.println("|---|---|");
    for (int point = 1; point <= GrowthOfCalls.POINTS; point++) {
      System.out.printf(
          Locale.ROOT,
          "| %d | %.0f |%n",
          millions * point / GrowthOfCalls.POINTS,
          figures.median("kib" + point));
    }
    System.out.println();
  }

  private void targets() {
    for (int methods : METHODS) {
      Target.most(
          "weaving a class of " + methods + " methods, each of 1,000, of each of 100: 1.1",
          woven(methods, 1_000) / woven(methods, 100),
          1.1);
    }
    int few = METHODS[1];
    int many = METHODS[2];
    Target.most(
        "weaving, for each method of a class of " + many + ", of that of " + few + ": 1.1",
        woven(many, 1_000) / many / (woven(few, 1_000) / few),
        1.1);
    Target.most(
        "loading 20,000 classes that are not annotated, CPU, of the same without the agent: 1.02",
        scanned("with.", "process"),
        1.02);
    for (String threads : THREADS.subList(1, THREADS.size())) {
      Target.most(
          "CPU of a traced call on " + threads + " threads, of that on one: 1.1",
          grown(Traced.ANNOTATED, 1, threads),
          1.1);
      Target.most(
          "CPU of a call whose span is delivered, on " + threads + " threads, of that on one: 1.1",
          deliveryAdds(threads) / deliveryAdds("1"),
          1.1);
    }
    Target.most(
        "CPU that tracing adds with 1,000 places in turn, of that with one: 1.1",
        grown(Traced.ANNOTATED, SITES[1], "1"),
        1.1);
    double most = Double.NEGATIVE_INFINITY;
    for (int point = 2; point <= GrowthOfCalls.POINTS; point++) {
      most = Math.max(most, figures.median("kib" + point) - figures.median("kib1"));
    }
    Target.most("live heap at any point beyond that at the first of ten, KiB: 256", most, 256);
  }

  private Path folder(String name) throws IOException {
    return Files.createDirectories(work.resolve(name));
  }

  private static void progress(String what) {
    System.err.println("benchmarks/growth: " + what);
  }
}
