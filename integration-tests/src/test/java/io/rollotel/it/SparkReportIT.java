package io.rollotel.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.Finished;
import io.rollotel.it.kit.Launched;
import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.SparkCluster;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The report as a Spark application, on a cluster with two executors, each a JVM: it says what the
 * report of one process says. More spans by hand: {@code -Dspark.it.spans=5000000}, which takes
 * {@code -Dfailsafe.jvm.arguments=-Xmx6g}, since the reports are compared in memory.
 */
@Tag("engines")
class SparkReportIT {

  private static final Path JAR = ProgramRun.ROOT.resolve("spark/target/roll-otel-spark.jar");
  private static final Path PARQUET =
      ProgramRun.ROOT.resolve("parquet/target/roll-otel-parquet.jar");
  private static final int SPANS = Integer.getInteger("spark.it.spans", 100_000);
  private static final int WORKERS = 8;

  /** Each step, its calls, what is below them, and the two ends of a call that is joined. */
  private static final int STEPS = SPANS / (1 + 2 * WORKERS + 2);

  private static final int BATCH = 100;
  private static final long START = 1_795_269_422_000_000_000L;

  private static @TempDir Path directory;
  private static Path run;
  private static SparkCluster cluster;

  @BeforeAll
  static void plant() throws Exception {
    run = directory.resolve("run");
    Path traces = Files.createDirectories(run.resolve("traces"));
    try (Writer out = Files.newBufferedWriter(traces.resolve("a-driver.jsonl"))) {
      for (int from = 0; from < STEPS; from += BATCH) {
        out.write(line(0, from));
        out.write(from == 5 * BATCH ? "this is no span\n" : "");
      }
    }
    try (OutputStream file = Files.newOutputStream(traces.resolve("b-workers.jsonl.gz"));
        Writer out = new OutputStreamWriter(new GZIPOutputStream(file), UTF_8)) {
      writeWorkers(out, 1, WORKERS / 2);
    }
    Path lines = directory.resolve("workers.jsonl");
    try (Writer out = Files.newBufferedWriter(lines)) {
      writeWorkers(out, WORKERS / 2 + 1, WORKERS);
    }
    Path agent = Files.copy(ProgramRun.AGENT, directory.resolve("roll-otel-agent.jar"));
    Files.copy(PARQUET, directory.resolve("roll-otel-parquet.jar"));
    Path parquet = traces.resolve("c-workers.parquet");
    onOneMachine(agent, "export", "--parquet", parquet.toString(), lines.toString()).isWell();
    try (Writer out = Files.newBufferedWriter(traces.resolve("d-again.jsonl"))) {
      out.write(line(0, 0)); // came twice
      out.write(line(1, 0).substring(0, 500)); // its process was killed
    }
    cluster = new SparkCluster(directory.resolve("spark"));
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static void writeWorkers(Writer out, int first, int last) throws IOException {
    for (int process = first; process <= last; process++) {
      for (int from = 0; from < STEPS; from += BATCH) {
        out.write(line(process, from));
      }
    }
  }

  /** The spans of a process, in some steps; process 0 is the driver. */
  private static String line(int process, int from) {
    StringBuilder text = new StringBuilder();
    text.append("{\"resourceSpans\":[{\"resource\":{\"attributes\":[")
        .append(attribute("service.name", process == 0 ? "driver" : "worker"))
        .append(',')
        .append(attribute("service.instance.id", "p" + process))
        .append(',')
        .append(attribute("host.name", "host" + process % 3))
        .append(',')
        .append(attribute("roll.run_id", "on-spark"))
        .append("]},\"scopeSpans\":[{\"scope\":{},\"spans\":[");
    for (int step = from; step < Math.min(STEPS, from + BATCH); step++) {
      text.append(step == from ? "" : ",");
      if (process == 0) {
        driver(text, step);
      } else {
        worker(text, step, process);
      }
    }
    return text.append("]}]}]}\n").toString();
  }

  private static void driver(StringBuilder text, int step) {
    long at = START + step * 1_000_000L;
    String trace = "%032x".formatted(step + 1);
    span(text, trace, 1, 0, "pipeline_step", 1, at, at + 900_000, "");
    String by = step % 2 == 0 ? "message.id" : "ray.task_id";
    String task =
        ",\"attributes\":[" + attribute("roll.join", by) + "," + attribute(by, "task" + step) + "]";
    text.append(',');
    span(text, trace, 2, 1, "reward ray.remote", 4, at + 10_000, at + 20_000, task);
    text.append(',');
    String other = "%032x".formatted(1_000_000_000L + step);
    span(text, other, 3, 0, "reward ray.remote_worker", 5, at + 30_000, at + 90_000, task);
  }

  private static void worker(StringBuilder text, int step, int process) {
    // The clock of one host is ahead.
    long at = START + step * 1_000_000L + (process % 3 == 2 ? 70_000_000_000L : 0);
    long end = at + 100_000 + process * 10_000L + (step * 31L + process * 17L) % 977 * 100;
    String trace = "%032x".formatted(step + 1);
    boolean isFailed = (step + process) % 101 == 0;
    String failed = ",\"status\":{\"code\":2,\"message\":\"out of memory at " + step + "\"}";
    String name = process % 2 == 0 ? "generate" : "train";
    span(text, trace, 10 + process, 1, name, 1, at + 50_000, end, isFailed ? failed : "");
    text.append(',');
    span(text, trace, 100 + process, 10 + process, "forward", 1, at + 60_000, end - 5_000, "");
  }

  private static void span(
      StringBuilder text,
      String trace,
      int id,
      int parent,
      String name,
      int kind,
      long start,
      long end,
      String more) {
    text.append(
        String.format(
            Locale.ROOT,
            "{\"traceId\":\"%s\",\"spanId\":\"%016x\",%s\"name\":\"%s\",\"kind\":%d,"
                + "\"startTimeUnixNano\":\"%d\",\"endTimeUnixNano\":\"%d\"%s}",
            trace,
            id,
            parent == 0 ? "" : "\"parentSpanId\":\"%016x\",".formatted(parent),
            name,
            kind,
            start,
            end,
            more));
  }

  private static String attribute(String key, String value) {
    return "{\"key\":\"" + key + "\",\"value\":{\"stringValue\":\"" + value + "\"}}";
  }

  private static Finished onOneMachine(Path agent, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(List.of(Finished.jdk("java"), "-Xmx3g", "-jar", agent.toString()));
    command.addAll(List.of(arguments));
    return Finished.of(Launched.clean(new ProcessBuilder(command)));
  }

  private static String known(String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("report", run.toString()));
    arguments.addAll(List.of(options));
    return onOneMachine(directory.resolve("roll-otel-agent.jar"), arguments.toArray(String[]::new))
        .isWell()
        .out();
  }

  private static ProcessBuilder onSpark(String... options) throws IOException {
    return cluster.submit("1g", "io.rollotel.spark.SparkReport", arguments(options));
  }

  /** Small pieces, so that each executor has several tasks. */
  private static List<String> arguments(String... options) {
    List<String> arguments = new ArrayList<>(List.of(JAR.toString(), run.toString()));
    arguments.addAll(List.of("--piece", Integer.toString(SPANS * 30), "--partitions", "16"));
    arguments.addAll(List.of(options));
    return arguments;
  }

  @Test
  void twoExecutors_sayWhatOneProcessSays() throws Exception {
    Path output = directory.resolve("out/report.json");
    Finished report = Finished.of(onSpark("--json", "--output", output.toString())).isWell();
    assertThat(report.out()).contains("The report: " + output);
    assertThat(output).content().isEqualTo(known("--json"));
  }

  @Test
  void pageOfTwoExecutors_isThatOfOneProcessInParts() throws Exception {
    Path page = directory.resolve("page/report.html");
    Finished report = Finished.of(onSpark("--html", page.toString())).isWell();
    assertThat(report.out()).contains("The page: " + page);
    Path known = directory.resolve("known.html");
    String cache = directory.resolve("cache").toString();
    known("--html", known.toString(), "--cache", cache);
    assertThat(page).hasSameTextualContentAs(known);
  }

  @Test
  void query_findsWhatItFindsInOneProcess() throws Exception {
    // One that needs attributes that no analysis reads.
    String query = "status:error OR ray.task_id=task7";
    // Many clusters have this serializer by default, and some must be told all classes.
    ProcessBuilder report =
        cluster.submit(
            "1g",
            "io.rollotel.spark.SparkReport",
            arguments("--where", query),
            "spark.serializer=org.apache.spark.serializer.KryoSerializer",
            "spark.kryo.registrationRequired=true");
    assertThat(Finished.of(report).isWell().out())
        .contains("Spans that match " + query)
        .isEqualTo(known("--where", query));
  }

  @Test
  void damagedFileOfAnotherFileSystem_isNamedWithItsScheme() throws Exception {
    List<String> arguments = arguments("--json");
    arguments.set(1, "viewfs://there/run");
    ProcessBuilder report =
        cluster.submit(
            "1g",
            "io.rollotel.spark.SparkReport",
            arguments,
            "spark.hadoop.fs.viewfs.mounttable.there.link./run=" + run.toUri());
    assertThat(Finished.of(report).isWell().out())
        .isEqualTo(known("--json").replace(run.toString(), "viewfs://there/run"))
        .contains("\"file\":\"viewfs://there/run/traces/a-driver.jsonl\"");
  }

  @Test
  void killedExecutor_changesNothing() throws Exception {
    Path err = directory.resolve("killed.txt");
    Path out = directory.resolve("killed-report.txt");
    Process application =
        onSpark().redirectError(err.toFile()).redirectOutput(out.toFile()).start();
    try {
      cluster.killExecutorInStage(9, application); // when the parts are on its disk
      assertThat(application.waitFor()).as(() -> read(err)).isZero();
    } finally {
      application.destroyForcibly();
    }
    assertThat(err).content().contains("Lost executor");
    assertThat(out)
        .content()
        .contains("duplicate spans left out; 1 truncated line and 1 unreadable line skipped")
        .contains("a-driver.jsonl, line 7")
        .isEqualTo(known());
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
