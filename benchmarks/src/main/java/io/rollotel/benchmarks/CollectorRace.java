package io.rollotel.benchmarks;

import java.io.BufferedInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * {@code collect} and otelcol with its file exporter, in turn, each a process of its own that gets
 * the same spans over OTLP/gRPC or OTLP/HTTP: processor time, spans a second and peak memory, as a
 * table.
 *
 * <p>For Linux: processor time and memory are read below {@code /proc}.
 */
public final class CollectorRace {

  private static final int CONNECTIONS = 2;
  private static final int PORT = 24_317;
  private static final double MILLION = 1e6;

  /** One run with one collector. */
  private record Run(double firstCpu, double cpu, double spansPerSecond, double peakMib) {}

  private final Path agent;
  private final Path otelcol;
  private final boolean isHttp;
  private final int requestSpans;
  private final long warmUpRequests;
  private final long requests;

  private CollectorRace(
      Path agent, Path otelcol, boolean isHttp, int requestSpans, double millions) {
    this.agent = agent;
    this.otelcol = otelcol;
    this.isHttp = isHttp;
    this.requestSpans = requestSpans;
    this.warmUpRequests = (long) MILLION / requestSpans;
    this.requests = (long) (millions * MILLION) / requestSpans;
  }

  /**
   * Takes the agent's jar, otelcol, {@code grpc} or {@code http}, the number of spans in a request,
   * of pairs of runs, and of millions of spans.
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    String protocol = arguments[2];
    int requestSpans = Integer.parseInt(arguments[3]);
    int pairs = Integer.parseInt(arguments[4]);
    CollectorRace race =
        new CollectorRace(
            Path.of(arguments[0]),
            Path.of(arguments[1]),
            protocol.equals("http"),
            requestSpans,
            Double.parseDouble(arguments[5]));
    List<Run> ours = new ArrayList<>();
    List<Run> theirs = new ArrayList<>();
    for (int pair = 1; pair <= pairs; pair++) {
      // The two take turns to be the first of a pair.
      if (pair % 2 == 0) {
        ours.add(race.run(true));
      }
      theirs.add(race.run(false));
      if (pair % 2 == 1) {
        ours.add(race.run(true));
      }
      System.err.println("benchmarks/collector: pair " + pair + " of " + pairs);
    }
    System.out.printf(
        Locale.ROOT,
        "| %s, %,d spans a request | collect | otelcol | ratio | least to most |%n",
        protocol,
        requestSpans);
    System.out.println("|---|---|---|---|---|");
    List<Double> cpu = print("CPU, s per million spans", ours, theirs, Run::cpu);
    print("CPU of the first million, s", ours, theirs, Run::firstCpu);
    List<Double> rate = print("spans a second", ours, theirs, Run::spansPerSecond);
    print("peak memory, MiB", ours, theirs, Run::peakMib);
    System.out.println();
    System.out.println(Target.HEAD);
    String how = String.format(Locale.ROOT, ", %s, %,d spans a request", protocol, requestSpans);
    for (double most : new double[] {0.5, 0.45}) {
      Target.most(
          "CPU a span, of otelcol's" + how + (most == 0.5 ? ": must be 0.5" : ": aim 0.45"),
          Figures.median(cpu),
          most,
          Figures.range(cpu, "pairs"));
    }
    List<Double> slower = rate.stream().map(ratio -> 1 / ratio).toList();
    Target.most(
        "time a span, of otelcol's" + how + ": 0.667",
        Figures.median(slower),
        2.0 / 3,
        Figures.range(slower, "pairs"));
  }

  /** Prints a row, and returns the ratios of neighbouring runs. */
  private static List<Double> print(
      String what, List<Run> ours, List<Run> theirs, ToDoubleFunction<Run> value) {
    List<Double> of = values(ours, value);
    List<Double> to = values(theirs, value);
    List<Double> ratios = Figures.ratios(of, to);
    System.out.printf(
        Locale.ROOT,
        "| %s | %s | %s | %.2f | %s |%n",
        what,
        text(Figures.median(of)),
        text(Figures.median(to)),
        Figures.median(ratios),
        Figures.range(ratios, "pairs"));
    return ratios;
  }

  private static List<Double> values(List<Run> runs, ToDoubleFunction<Run> value) {
    return runs.stream().map(value::applyAsDouble).toList();
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%,.0f", value);
  }

  private Run run(boolean isOurs) throws IOException, InterruptedException {
    Path dir = Files.createTempDirectory("collector-race");
    Process process = isOurs ? collect(dir) : otelcol(dir);
    List<OtlpSender> senders = new ArrayList<>();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        senders.add(isHttp ? new HttpSender(PORT) : new GrpcSender(PORT));
      }
      AtomicLong next = new AtomicLong();
      send(senders, next, 1); // it has started
      double startCpu = ProcessUse.cpuSeconds(process);
      send(senders, next, warmUpRequests);
      double warmCpu = ProcessUse.cpuSeconds(process);
      long startNanos = System.nanoTime();
      send(senders, next, warmUpRequests + requests);
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      TimeUnit.SECONDS.sleep(1); // for its work after the acknowledgements
      double cpu = ProcessUse.cpuSeconds(process) - warmCpu;
      double peakMib = ProcessUse.peakMib(process);
      process.destroy();
      process.waitFor();
      long lines = lines(isOurs ? dir.resolve("traces/traces.jsonl") : dir.resolve("traces.jsonl"));
      if (lines != warmUpRequests + requests) {
        throw new IOException(
            warmUpRequests + requests + " requests acknowledged, " + lines + " in the file");
      }
      double spans = (double) requests * requestSpans;
      double warmUpSpans = (double) warmUpRequests * requestSpans;
      return new Run(
          (warmCpu - startCpu) / warmUpSpans * MILLION,
          cpu / spans * MILLION,
          spans / seconds,
          peakMib);
    } finally {
      senders.forEach(OtlpSender::close);
      process.destroyForcibly().waitFor();
      delete(dir);
    }
  }

  private Process collect(Path dir) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            java,
            "-jar",
            agent.toString(),
            "collect",
            "--dir=" + dir,
            "--http=" + (isHttp ? PORT : 0),
            "--grpc=" + (isHttp ? "none" : PORT));
    builder.environment().keySet().removeIf(name -> name.startsWith("ROLL_OTEL_"));
    builder.environment().put("ROLL_OTEL_FILE_MAX_BYTES", "0"); // as otelcol: one file
    return start(builder, dir);
  }

  private Process otelcol(Path dir) throws IOException {
    Path config = dir.resolve("otelcol.yaml");
    Files.writeString(
        config,
        """
        receivers: {otlp: {protocols: {%s: {endpoint: "127.0.0.1:%d"}}}}
        exporters: {file: {path: "%s"}}
        service:
          telemetry: {metrics: {level: none}}
          pipelines: {traces: {receivers: [otlp], exporters: [file]}}
        """
            .formatted(isHttp ? "http" : "grpc", PORT, dir.resolve("traces.jsonl")));
    return start(new ProcessBuilder(otelcol.toString(), "--config", config.toString()), dir);
  }

  private static Process start(ProcessBuilder builder, Path dir) throws IOException {
    File log = dir.resolve("log").toFile();
    return builder.redirectErrorStream(true).redirectOutput(log).start();
  }

  /** Sends until so many requests have been sent in all. */
  private void send(List<OtlpSender> senders, AtomicLong next, long end)
      throws InterruptedException {
    List<Throwable> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (OtlpSender sender : senders) {
      OtlpBatch batch = new OtlpBatch(threads.size(), requestSpans);
      Thread thread = new Thread(() -> sender.send(batch, next, end));
      thread.setUncaughtExceptionHandler(
          (of, failure) -> {
            synchronized (failures) {
              failures.add(failure);
            }
          });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    next.set(end); // each sender has taken one more than there were
    synchronized (failures) {
      if (!failures.isEmpty()) {
        throw new IllegalStateException("not acknowledged", failures.get(0));
      }
    }
  }

  private static long lines(Path file) throws IOException {
    long lines = 0;
    byte[] part = new byte[1 << 16];
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      for (int count = in.read(part); count >= 0; count = in.read(part)) {
        for (int i = 0; i < count; i++) {
          lines += part[i] == '\n' ? 1 : 0;
        }
      }
    }
    return lines;
  }

  private static void delete(Path dir) throws IOException {
    try (Stream<Path> all = Files.walk(dir)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
