package io.rollotel.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A training of many workers through collectors in tiers, all on this machine: see {@code
 * benchmarks/tiers}.
 *
 * <p>For Linux: memory is read below {@code /proc}.
 */
public final class Tiers {

  private static final int SENDERS = 8;
  private static final int STEPS_OF_A_REQUEST = 6;
  private static final int NODE_PORT = 24_417;
  private static final int KAFKA_PORT = 24_447;
  private static final int[] GATEWAY_PORTS = {24_427, 24_437};
  private static final double MILLION = 1e6;

  /** What stands behind the node's collector. */
  private enum Way {
    FILES,
    /** Gateways that wait for whole traces, and here keep all of them. */
    TAIL,
    KAFKA
  }

  private final Way way;
  private final Path engines;
  private final Path configurations;
  private final Path directory;
  private final int workers;
  private final int spans;
  private final int steps;
  private final Map<String, Process> processes = new LinkedHashMap<>();
  private final List<Path> written = new ArrayList<>();

  private Tiers(Way way, Path engines, Path configurations, Path directory, int[] amount) {
    this.way = way;
    this.engines = engines;
    this.configurations = configurations;
    this.directory = directory;
    workers = amount[0];
    spans = amount[1];
    steps = amount[2];
  }

  /** Takes the way, the folders of engines and configurations, and workers, spans and steps. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    int[] amount = new int[3];
    for (int i = 0; i < amount.length; i++) {
      amount[i] = Integer.parseInt(arguments[3 + i]);
    }
    Path directory = Files.createTempDirectory("tiers");
    Tiers tiers =
        new Tiers(
            Way.valueOf(arguments[0].toUpperCase(Locale.ROOT)),
            Path.of(arguments[1]),
            Path.of(arguments[2]),
            directory,
            amount);
    try {
      tiers.run();
    } finally {
      for (Process process : tiers.processes.values()) {
        process.destroyForcibly().waitFor();
      }
      delete(directory);
    }
  }

  private void run() throws IOException, InterruptedException {
    if (way == Way.KAFKA) {
      startKafka();
      startCollector("reader", configurations.resolve("kafka-files.yaml"), GATEWAY_PORTS[0]);
      startCollector("node", configurations.resolve("node-kafka.yaml"), NODE_PORT);
    } else {
      String gateway = way == Way.TAIL ? "gateway-tail-sampling.yaml" : "gateway-files.yaml";
      for (int port : GATEWAY_PORTS) {
        startCollector("gateway " + port, configurations.resolve(gateway), port);
      }
      Path node = directory.resolve("node.yaml");
      Files.writeString(
          node, withGateways(Files.readString(configurations.resolve("node-gateways.yaml"))));
      startCollector("node", node, NODE_PORT);
    }
    long startNanos = System.nanoTime();
    send();
    double sending = seconds(startNanos);
    double all = sending + awaitTheLast();
    List<SpanCensus> found = new ArrayList<>();
    for (Path directoryOfOne : written) {
      found.add(new SpanCensus(directoryOfOne));
    }
    print(sending, all, found);
  }

  /** The gateways by name, in the place of Kubernetes' service. */
  private static String withGateways(String configuration) {
    StringBuilder hosts = new StringBuilder();
    for (int port : GATEWAY_PORTS) {
      hosts.append(hosts.isEmpty() ? "" : ", ").append("127.0.0.1:").append(port);
    }
    return configuration
        .replaceFirst("(?s)      dns:.*?      # static:", "      static:")
        .replaceFirst("#   hostnames: .*", "  hostnames: [" + hosts + "]");
  }

  private void startCollector(String name, Path configuration, int port) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                engines.resolve("tiers/otelcol/otelcol").toString(), "--config=" + configuration));
    if (way == Way.TAIL) {
      command.add("--feature-gates=processor.tailsamplingprocessor.usetracestate");
    }
    ProcessBuilder builder = new ProcessBuilder(command);
    Map<String, String> environment = builder.environment();
    environment.put("GRPC_ENDPOINT", "127.0.0.1:" + port);
    environment.put("HTTP_ENDPOINT", "127.0.0.1:" + (port + 1));
    environment.put("HEALTH_ENDPOINT", "127.0.0.1:" + (port + 2));
    environment.put("METRICS_HOST", "127.0.0.1");
    environment.put("METRICS_PORT", Integer.toString(port + 3));
    environment.put("QUEUE_DIR", directory.resolve("queue").toString());
    environment.put("QUEUE_BYTES", "20000000000");
    environment.put("TRACES_DIR", directory.toString());
    environment.put("POD_NAME", name);
    environment.put("KAFKA_BROKERS", "[127.0.0.1:" + KAFKA_PORT + "]");
    environment.put("KAFKA_CREATE_TOPIC", "true");
    environment.put("DECISION_WAIT", "20s");
    environment.put("DECISION_WAIT_AFTER_ROOT", "10s");
    environment.put("REST_PERCENT", "100");
    start(name, builder);
    if (!name.equals("node")) {
      written.add(Files.createDirectories(directory.resolve(name)));
    }
  }

  private void start(String name, ProcessBuilder builder) throws IOException {
    processes.put(
        name,
        builder
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve(name + ".log").toFile())
            .start());
  }

  /** One broker that is a controller too. */
  private void startKafka() throws IOException, InterruptedException {
    Path properties = directory.resolve("server.properties");
    Files.writeString(
        properties,
        """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%2$d
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
        log.dirs=%3$s
        num.partitions=4
        offsets.topic.num.partitions=1
        offsets.topic.replication.factor=1
        group.initial.rebalance.delay.ms=0
        """
            .formatted(KAFKA_PORT, KAFKA_PORT + 1, directory.resolve("kafka")));
    int formatted =
        kafka(
                "kafka.tools.StorageTool",
                "format",
                "--cluster-id=" + UUID.randomUUID(),
                "--config=" + properties)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("format.log").toFile())
            .start()
            .waitFor();
    if (formatted != 0) {
      throw new IOException(Files.readString(directory.resolve("format.log")));
    }
    start("Kafka", kafka("kafka.Kafka", properties.toString()));
  }

  private ProcessBuilder kafka(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-cp",
                engines.resolve("kafka/target/lib") + "/*"));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).directory(directory.toFile());
  }

  /** Every worker sends its spans of some steps at once. The driver's roots are left out. */
  private void send() throws InterruptedException {
    int requestsOfAWorker = (steps + STEPS_OF_A_REQUEST - 1) / STEPS_OF_A_REQUEST;
    ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    AtomicInteger next = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < SENDERS; i++) {
      Thread thread =
          new Thread(
              () -> {
                try (OtlpSender sender = new GrpcSender(NODE_PORT)) {
                  for (int request = next.getAndIncrement();
                      request < requestsOfAWorker * workers;
                      request = next.getAndIncrement()) {
                    sender.send(request(request % workers, request / workers));
                  }
                }
              });
      thread.setUncaughtExceptionHandler((of, failure) -> failures.add(failure));
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (!failures.isEmpty()) {
      throw new IllegalStateException("not acknowledged", failures.peek());
    }
  }

  private byte[] request(int worker, int number) {
    int firstStep = number * STEPS_OF_A_REQUEST;
    int stepsOfIt = Math.min(STEPS_OF_A_REQUEST, steps - firstStep);
    long ofAStep = (long) workers * spans;
    return new WorkerBatch(worker, spans, stepsOfIt)
        .from(
            firstStep,
            1 + firstStep * ofAStep + (long) worker * spans,
            ofAStep,
            1 + ofAStep * steps + firstStep);
  }

  /** Until all are written, or nothing more comes; gives how many seconds that took. */
  private double awaitTheLast() throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    double lastGrowth = 0;
    long bytes = -1;
    while (seconds(startNanos) - lastGrowth < (way == Way.FILES ? 5 : 40)) {
      long now = 0;
      for (Path directoryOfOne : written) {
        now += size(directoryOfOne);
      }
      if (now != bytes) {
        lastGrowth = seconds(startNanos);
        bytes = now;
      }
      TimeUnit.MILLISECONDS.sleep(250);
    }
    return lastGrowth;
  }

  private static long size(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.mapToLong(file -> file.toFile().isFile() ? file.toFile().length() : 0).sum();
    }
  }

  private void print(double sending, double all, List<SpanCensus> found) throws IOException {
    long sent = (long) workers * spans * steps;
    BitSet spansFound = new BitSet();
    BitSet tracesOfAll = (BitSet) found.get(0).traces.clone();
    long duplicates = 0;
    long bytes = 0;
    for (SpanCensus one : found) {
      spansFound.or(one.spans);
      tracesOfAll.and(one.traces);
      duplicates += one.duplicates;
      bytes += one.bytes;
    }
    System.out.printf(
        Locale.ROOT,
        "%,d workers × %,d spans × %,d steps: %,d spans acknowledged, %,d missing, %,d twice%n",
        workers,
        spans,
        steps,
        sent,
        sent - spansFound.cardinality(),
        duplicates);
    if (found.size() > 1) {
      System.out.printf(
          Locale.ROOT, "%,d of %,d steps in two gateways%n", tracesOfAll.cardinality(), steps);
    }
    System.out.printf(
        Locale.ROOT,
        "%,.0f spans/s acknowledged, %,.0f spans/s up to the last line written; %.0f bytes a span in"
            + " the files%n%n",
        sent / sending,
        sent / all,
        (double) bytes / sent);
    System.out.println("| | CPU, s per million spans of the training | peak memory, MiB |");
    System.out.println("|---|---|---|");
    for (Map.Entry<String, Process> process : processes.entrySet()) {
      System.out.printf(
          Locale.ROOT,
          "| %s | %.2f | %.0f |%n",
          process.getKey(),
          ProcessUse.cpuSeconds(process.getValue()) / sent * MILLION,
          ProcessUse.peakMib(process.getValue()));
    }
    System.out.printf(Locale.ROOT, "%n");
    for (String name : List.of("queue", "kafka")) {
      Path kept = directory.resolve(name);
      if (Files.exists(kept)) {
        System.out.printf(Locale.ROOT, "%s on disk afterwards: %,d KiB%n", name, size(kept) / 1024);
      }
    }
  }

  private static double seconds(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
