package io.rollotel.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.analysis.PartedRuns;
import io.rollotel.traces.cli.choice.AnalysisChoice;
import io.rollotel.traces.cli.choice.WhereChoice;
import io.rollotel.traces.page.HtmlPage;
import io.rollotel.traces.query.Query;
import io.rollotel.traces.report.HarmlessWriter;
import io.rollotel.traces.report.ReportOptions;
import io.rollotel.traces.report.ReportWriter;
import io.rollotel.traces.report.RunReport;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.serializer.JavaSerializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The main class for {@code spark-submit}: where the time of a run went. */
@Command(
    name = "spark-submit … roll-otel-spark.jar",
    description = {
      "Shows where the time of a run went, its critical path, and its bottleneck. This is the"
          + " report of roll-otel, computed by a Spark cluster for runs that are too large for"
          + " one machine.",
      "docs/analysis.md explains the terms, docs/spark.md how to use a cluster."
    },
    footer = {
      "",
      "Does not read recorder files of dead processes or flight recordings. For these, use java"
          + " -jar roll-otel-agent.jar report on one machine.",
      "",
      "Exit codes: 0; 1 nothing found or not readable; 2 wrong usage."
    },
    mixinStandardHelpOptions = true,
    versionProvider = SparkReport.Version.class)
public final class SparkReport implements Callable<Integer> {

  private static final int FAILED = 1;
  private static final long MOST_PARTITIONS = 4096;

  /** The build writes it into a resource. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
      try (InputStream in = SparkReport.class.getResourceAsStream("version.txt")) {
        String version = in == null ? "unknown" : new String(in.readAllBytes(), UTF_8).trim();
        return new String[] {"roll-otel " + version, "Java " + Runtime.version()};
      }
    }
  }

  @Spec private CommandSpec spec = CommandSpec.create(); // picocli puts the real one here

  @Parameters(
      arity = "1..*",
      paramLabel = "DIR",
      description =
          "Output directories of a run, or traces files, on any file system that Spark can read:"
              + " hdfs://, s3a://, file://. Reads files that end in .jsonl, .jsonl.gz and .parquet")
  private List<String> dirs = List.of();

  @Option(
      names = "--run",
      paramLabel = "ID",
      description = "Which run, if there are several; default: the latest")
  private @Nullable String runId;

  @Option(names = "--json", description = "Prints the whole report as one JSON object")
  private boolean isJson;

  @Option(
      names = "--runs",
      description =
          "Shows all runs side by side instead of one. Takes another job for each of them")
  private boolean isOfRuns;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description =
          "Writes the report to a file on any file system that Spark can write, not to the"
              + " driver's standard output")
  private @Nullable String output;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description =
          "Writes the whole report as a self-contained page for a browser, on any file system"
              + " that Spark can write. This also keeps all attributes of spans on the"
              + " executors' disks")
  private @Nullable String html;

  @Mixin private AnalysisChoice analysis = new AnalysisChoice();

  @Mixin private WhereChoice where = new WhereChoice();

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description =
          "The number of parts in which the spans are analysed, a power of two up to 4096. A"
              + " part in progress takes about 450 bytes of an executor's heap for each span."
              + " Default: one for 250,000 spans, two for each core of the cluster, at least"
              + " 16")
  private @Nullable Integer partitions;

  @Option(
      names = "--piece",
      hidden = true,
      paramLabel = "BYTES",
      defaultValue = "" + InputFiles.PIECE_BYTES,
      description = "How many bytes of a file one task reads")
  private long pieceBytes = InputFiles.PIECE_BYTES;

  private SparkReport() {}

  /** Ends the JVM only where something went wrong: a cluster manager takes that for a failure. */
  public static void main(String... args) {
    int code = commandLine().execute(args);
    if (code != 0) {
      System.exit(code);
    }
  }

  static CommandLine commandLine() {
    return new CommandLine(new SparkReport())
        .setExecutionExceptionHandler(
            (e, line, parsed) -> {
              if (!(e instanceof IOException) && !(e instanceof UncheckedIOException)) {
                throw e;
              }
              Throwable inner = e instanceof UncheckedIOException ? e.getCause() : null;
              Throwable cause = inner == null ? e : inner;
              boolean isMissing = cause instanceof FileNotFoundException;
              line.getErr().println((isMissing ? "Not found: " : "") + cause.getMessage());
              return FAILED;
            });
  }

  @Override
  public Integer call() throws IOException {
    Integer asked = partitions;
    if (asked != null && (asked < 1 || asked > MOST_PARTITIONS || Integer.bitCount(asked) != 1)) {
      throw new ParameterException(
          spec.commandLine(), "--partitions has to be a power of two up to " + MOST_PARTITIONS);
    }
    if (html != null && (isJson || isOfRuns || output != null)) {
      throw new ParameterException(
          spec.commandLine(), "--html goes with none of --json, --runs, --output.");
    }
    if (isOfRuns && where.isGiven()) {
      throw new ParameterException(spec.commandLine(), "--where does not go with --runs.");
    }
    ReportOptions options =
        analysis.in(ReportOptions.latestRun().withRun(runId)).withWhere(where.query());
    SparkConf configuration = new SparkConf();
    configuration.setIfMissing("spark.app.name", "roll-otel report");
    // Spark only carries bytes here. Another serializer would have to know our classes.
    configuration.set("spark.serializer", JavaSerializer.class.getName());
    try (JavaSparkContext spark = new JavaSparkContext(configuration)) {
      return report(spark, options);
    }
  }

  private int report(JavaSparkContext spark, ReportOptions options) throws IOException {
    InputFiles files = new InputFiles(dirs, spark.hadoopConfiguration());
    if (!files.leftOut().isEmpty()) {
      spec.commandLine()
          .getErr()
          .println(
              "Read on one machine alone, and left out: " + String.join(", ", files.leftOut()));
    }
    int parts = partitions == null ? partitions(files, spark.defaultParallelism()) : partitions;
    Query query = options.where();
    boolean areWhole = html != null || (query != null && query.needsContents());
    ShuffledSpans spans = new ShuffledSpans(spark, files, pieceBytes, parts, areWhole);
    SparkPasses passes = new SparkPasses(spark, spans);
    PartedRuns.Options how =
        new PartedRuns.Options(
            options.stepName(),
            options.isClockCorrected(),
            /* isCompared= */ false,
            /* threads= */ 1,
            new DriverMemory(spark.getConf())
                .mostExact(spans.spans(), query != null && html == null),
            (done, of) -> {});
    PartedRuns runs = new PartedRuns(passes, spans.joins(), OpenSpans.NONE, how);
    RunReport report =
        RunReport.ofParts(
            files.where(),
            options,
            spans.summary(passes.duplicates()),
            runs,
            OpenSpans.NONE,
            /* mostProfileBytes= */ 0);
    if (report.isEmpty()) {
      report.print(new ReportWriter(new HarmlessWriter(spec.commandLine().getErr())));
      return FAILED;
    }
    String page = html;
    String file = output;
    Configuration configuration = spark.hadoopConfiguration();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    if (page != null) {
      HtmlPage.ofParts(report, options).write(bytes);
      write(page, bytes, configuration);
      spec.commandLine().getOut().println("The page: " + page);
    } else if (file != null) {
      print(report, new PrintWriter(new OutputStreamWriter(bytes, UTF_8)));
      write(file, bytes, configuration);
      spec.commandLine().getOut().println("The report: " + file);
    } else {
      print(report, spec.commandLine().getOut());
    }
    return 0;
  }

  /** Takes the place of a file only when all work is done, which may fail. */
  private static void write(String file, ByteArrayOutputStream bytes, Configuration configuration)
      throws IOException {
    Path path = new Path(file);
    try (OutputStream to = path.getFileSystem(configuration).create(path, true)) {
      bytes.writeTo(to);
    }
  }

  private void print(RunReport report, PrintWriter to) {
    PrintWriter out = new PrintWriter(new HarmlessWriter(to));
    if (isOfRuns && isJson) {
      report.allRuns().writeJson(out);
    } else if (isOfRuns) {
      report.allRuns().print(new ReportWriter(out));
    } else if (isJson) {
      report.writeJson(out);
    } else {
      report.print(new ReportWriter(out));
    }
    out.flush();
  }

  /** Small enough for any executor, and enough of them to keep all cores at work. */
  private static int partitions(InputFiles files, int cores) {
    long wanted = Math.max(2L * cores, files.estimatedSpans() / 250_000);
    int parts = 16;
    while (parts < MOST_PARTITIONS && parts < wanted) {
      parts *= 2;
    }
    return parts;
  }
}
