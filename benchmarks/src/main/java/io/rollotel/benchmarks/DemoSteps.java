package io.rollotel.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The demo's training without the agent, with it, and without it again: the same seed, so that each
 * step does the same work in all of them. The runs without it show how much two equal runs differ.
 */
public final class DemoSteps {

  /** Of the lines that the driver prints while it trains. */
  private static final int STEPS_OF_LINE = 5;

  /** The time until the driver and its workers are compiled. */
  private static final int WARM_UP_LINES = 8;

  private static final double MILLIS = 1e6;

  private final Path agent;
  private final Path example;
  private final Path work;
  private final int steps;

  private DemoSteps(Path agent, Path example, Path work, int steps) {
    this.agent = agent;
    this.example = example;
    this.work = work;
    this.steps = steps;
  }

  /**
   * Takes the agent's jar, the example's, a folder for traces, the number of rounds and of steps.
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    DemoSteps demo =
        new DemoSteps(
            Path.of(arguments[0]),
            Path.of(arguments[1]),
            Path.of(arguments[2]),
            Integer.parseInt(arguments[4]));
    int rounds = Integer.parseInt(arguments[3]);
    List<Double> traced = new ArrayList<>();
    List<Double> untraced = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    List<Double> noise = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      List<Double> before = demo.run(false, round);
      List<Double> with = demo.run(true, round);
      List<Double> after = demo.run(false, round);
      traced.addAll(with);
      untraced.addAll(before);
      untraced.addAll(after);
      // The mean of both ratios, so that neither order is favoured.
      ratios.add(
          (Figures.median(Figures.ratios(with, before))
                  + Figures.median(Figures.ratios(with, after)))
              / 2);
      noise.add(Math.abs(Figures.median(Figures.ratios(after, before)) - 1));
      System.err.println("benchmarks/demo: round " + round + " of " + rounds);
    }
    System.out.println("| a training step, ms | median | half of them | steps |");
    System.out.println("|---|---|---|---|");
    print("without the agent", untraced);
    print("traced", traced);
    System.out.println();
    System.out.println(Target.HEAD);
    double most = Collections.max(noise);
    Target.most(
        "a training step, traced, of the same step without, off by no more than two equal runs",
        Math.abs(Figures.median(ratios) - 1),
        most,
        String.format(
            Locale.ROOT,
            "traced/untraced %.3f, %.3f to %.3f in %d rounds; equal runs differ by up to %.3f",
            Figures.median(ratios),
            Collections.min(ratios),
            Collections.max(ratios),
            rounds,
            most));
  }

  private static void print(String what, List<Double> millis) {
    List<Double> sorted = millis.stream().sorted().toList();
    System.out.printf(
        Locale.ROOT,
        "| %s | %.1f | %.1f to %.1f | %d |%n",
        what,
        Figures.median(sorted),
        sorted.get(sorted.size() / 4),
        sorted.get(sorted.size() * 3 / 4),
        sorted.size() * STEPS_OF_LINE);
  }

  /** Milliseconds of a step: a mean for each line, measured by the arrival of the lines. */
  private List<Double> run(boolean isTraced, int round) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (isTraced) {
      command.add("-javaagent:" + agent);
      command.add("-Dworker.jvm.options=-javaagent:\"" + agent + "\"");
    }
    command.addAll(List.of("-jar", example.toString(), "--steps", Integer.toString(steps)));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(work.resolve("err").toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.matches("(ROLL_|OTEL_|JAVA_TOOL).*"));
    if (isTraced) {
      environment.put("ROLL_OTEL_ENABLED", "1");
      environment.put("ROLL_OTEL_OUTPUT_DIR", work.resolve("traces" + round).toString());
    }
    Process process = builder.start();
    List<Double> millis = new ArrayList<>();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      long lastNanos = 0;
      int lines = 0;
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.matches("step +\\d*[05]/.*")) {
          long nanos = System.nanoTime();
          if (++lines > WARM_UP_LINES) {
            millis.add((nanos - lastNanos) / MILLIS / STEPS_OF_LINE);
          }
          lastNanos = nanos;
        }
      }
    }
    int status = process.waitFor();
    if (status != 0 || millis.isEmpty()) {
      throw new IOException("the demo ended with " + status + " after " + millis);
    }
    return millis;
  }
}
