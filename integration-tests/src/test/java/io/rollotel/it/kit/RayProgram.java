package io.rollotel.it.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.rollotel.it.Payload;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.recording.Recording;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** The program of Ray's calls, compiled, and what its runs leave. */
public final class RayProgram {

  /** The options that Ray's serialiser needs on Java 16 and later, in drivers and in workers. */
  public static final List<String> OPENS =
      Stream.of("lang", "math", "util", "util.concurrent", "net", "text")
          .map(name -> "--add-opens=java.base/java." + name + "=ALL-UNNAMED")
          .toList();

  private static final Path SOURCES =
      ProgramRun.ROOT.resolve("integration-tests/src/test/resources/ray");

  private final Path classes;

  private RayProgram(Path classes) {
    this.classes = classes;
  }

  /** The spans, once so many are there. */
  public static List<Span> awaitSpans(Path where, int atLeast) throws Exception {
    Patience.until(
        () -> atLeast + " spans are there: " + spans(where), () -> spans(where).size() >= atLeast);
    return spans(where);
  }

  private static List<Span> spans(Path where) throws IOException {
    return Files.isDirectory(where) ? Result.spans(where) : List.of();
  }

  public ProgramRun driver(
      RayCluster cluster, Path where, boolean agent, List<String> job, String shapes)
      throws Exception {
    return driver(cluster.address(), where, agent, job, shapes);
  }

  public ProgramRun driver(
      String address, Path where, boolean agent, List<String> job, String shapes) throws Exception {
    ProgramRun run = run(where, shapes);
    run.jvmOptions(
        "-Dray.address=" + address,
        "-Dray.job.code-search-path=" + String.join(File.pathSeparator, searchPath()));
    for (int i = 0; i < OPENS.size(); i++) {
      run.jvmOptions("-Dray.job.jvm-options." + i + "=" + OPENS.get(i));
    }
    run.jvmOptions(job.toArray(new String[0]));
    return agent ? run : run.withoutAgent().withoutEnvironment("ROLL_OTEL_ENABLED");
  }

  /** Ray needs jars: a folder on its search path is one of jars. */
  public List<String> searchPath() {
    return List.of(
        classes.resolve("calls.jar").toString(),
        ProgramRun.ROOT.resolve("integration-tests/src/test/python").toString());
  }

  public ProgramRun run(Path where, String shapes) throws IOException {
    return ProgramRun.of(where, Payload.class)
        .onlyClassPath(classes.resolve("calls.jar"))
        .classPath(RayCluster.jars().toArray(new Path[0]))
        .jvmOptions("-Xmx1g")
        .jvmOptions(OPENS.toArray(new String[0]))
        .mainWith("com.example.Calls", where.toString(), shapes);
  }

  public static RayProgram compiled(Path directory) throws Exception {
    Path folder = Files.createDirectories(directory.resolve("classes"));
    List<Path> jars = new ArrayList<>(RayCluster.jars());
    jars.add(ProgramRun.ROOT.resolve("annotations/target/classes"));
    // Named by the startup hook; the job does not bring it.
    jars.add(ProgramRun.jarOf(AutoConfigurationCustomizer.class));
    jars.addAll(ProgramRun.openTelemetryJars(System.getProperty("opentelemetry.newest"), true));
    String classPath =
        jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    String processor =
        ProgramRun.ROOT.resolve("processor/target/classes")
            + File.pathSeparator
            + ProgramRun.ROOT.resolve("annotations/target/classes");
    int exit =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "--release",
                "17",
                "-nowarn",
                "-Xlint:none",
                "--processor-path",
                processor,
                "-d",
                folder.toString(),
                "-classpath",
                classPath,
                SOURCES.resolve("Calls.java").toString(),
                SOURCES.resolve("Hook.java").toString());
    assertThat(exit).isZero();
    assertThat(
            java.util.spi.ToolProvider.findFirst("jar")
                .get()
                .run(
                    System.out,
                    System.err,
                    "cf",
                    folder.resolve("calls.jar").toString(),
                    "-C",
                    folder.toString(),
                    "com",
                    "-C",
                    folder.toString(),
                    "META-INF",
                    "-C",
                    ProgramRun.ROOT.resolve("annotations/target/classes").toString(),
                    "io"))
        .isZero();
    return new RayProgram(folder);
  }

  /** As a reader shows them: calls without a carrier joined. */
  public static List<Span> joined(Path directory) throws IOException {
    TracesReader reader = new TracesReader();
    List<Span> spans = new ArrayList<>();
    reader.read(directory.resolve("output/otlp"), spans::add);
    return spans.stream().map(reader.joins()::join).toList();
  }

  /**
   * Without those from recorder files, which have no attributes of their own. Ray kills its workers
   * when the driver leaves, so any worker may leave some.
   */
  public static List<Span> exported(List<Span> spans) {
    return spans.stream()
        .filter(span -> !span.attributes().containsKey(Recording.RECOVERED))
        .toList();
  }

  public static void tree(Span parent, List<Span> all, String depth, List<String> lines) {
    all.stream()
        .filter(
            span ->
                span.parentSpanId().equals(parent.spanId())
                    && span.traceId().equals(parent.traceId()))
        .sorted(Comparator.comparingLong(Span::startEpochNanos))
        .forEach(
            span -> {
              boolean failed = span.statusCode() == Span.STATUS_ERROR;
              lines.add(depth + " " + span.name() + (failed ? " ERROR" : ""));
              tree(span, all, depth + ">", lines);
            });
  }
}
