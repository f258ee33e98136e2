package io.rollotel.benchmarks.peers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs a program under a contender and reads its output and the shell's figures. */
final class Child {

  /** The children's line of bash's {@code times}: user and system. */
  private static final Pattern TIMES =
      Pattern.compile("(\\d+)m([\\d.]+)s (\\d+)m([\\d.]+)s\\s*\\z");

  /** So that the program's own process can be looked at while it runs. */
  private static final String RUN =
      "\"$@\" & echo $! >pid; wait $!; status=$?; times >times; exit $status";

  private static final Pattern PEAK = Pattern.compile("VmHWM:\\s*(\\d+)");
  private static final long LOOK_EVERY_MILLIS = 5;

  private final Places places;
  private final Path work;
  private final String sink;
  private final List<String> common;

  Child(Places places, Path work, String sink, List<String> common) {
    this.places = places;
    this.work = work;
    this.sink = sink;
    this.common = common;
  }

  /**
   * What the program printed, with {@code wallSeconds}, {@code cpuSeconds} and, on Linux, {@code
   * peakKib} of the process.
   */
  Map<String, Double> run(Contender contender, Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("bash", "-c", RUN, "-"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(common);
    command.addAll(contender.options(places, sink));
    command.add("-cp");
    command.add(places.classes(contender));
    command.add(program.getName());
    command.addAll(List.of(arguments));
    Path out = work.resolve("out");
    ProcessBuilder builder = new ProcessBuilder(command).directory(work.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.matches("(ROLL_|OTEL_|DD_|ELASTIC_|JAVA_TOOL).*"));
    environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", sink);
    environment.put("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
    environment.put("OTEL_METRICS_EXPORTER", "none");
    environment.put("OTEL_LOGS_EXPORTER", "none");
    Files.deleteIfExists(work.resolve("pid"));
    long startNanos = System.nanoTime();
    Process process =
        builder.redirectOutput(out.toFile()).redirectError(work.resolve("err").toFile()).start();
    double peakKib = Double.NaN;
    while (!process.waitFor(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
      double now = peakKib();
      peakKib = Double.isNaN(now) ? peakKib : now;
    }
    int status = process.exitValue();
    double wallSeconds = (System.nanoTime() - startNanos) / 1e9;
    if (status != 0) {
      throw new IOException(
          contender + " ended with " + status + ": " + Files.readString(work.resolve("err")));
    }
    Map<String, Double> figures = new HashMap<>();
    for (String line : Files.readString(out, StandardCharsets.UTF_8).lines().toList()) {
      if (line.matches("\\w+=[-+.\\dE]+")) {
        String[] pair = line.split("=", 2);
        figures.put(pair[0], Double.valueOf(pair[1]));
      }
    }
    figures.put("wallSeconds", wallSeconds);
    if (!Double.isNaN(peakKib)) {
      figures.put("peakKib", peakKib);
    }
    Matcher times = TIMES.matcher(Files.readString(work.resolve("times")));
    if (!times.find()) {
      throw new IOException("bash's times said " + Files.readString(work.resolve("times")));
    }
    figures.put(
        "cpuSeconds",
        60 * Double.parseDouble(times.group(1))
            + Double.parseDouble(times.group(2))
            + 60 * Double.parseDouble(times.group(3))
            + Double.parseDouble(times.group(4)));
    return figures;
  }

  /** The most that the process has had resident so far; NaN if that is unknown. */
  private double peakKib() {
    try {
      String pid = Files.readString(work.resolve("pid")).strip();
      Matcher peak = PEAK.matcher(Files.readString(Path.of("/proc", pid, "status")));
      return peak.find() ? Double.parseDouble(peak.group(1)) : Double.NaN;
    } catch (IOException notYetOrNoMore) {
      return Double.NaN;
    }
  }
}
