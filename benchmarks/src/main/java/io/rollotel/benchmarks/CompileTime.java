package io.rollotel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.TypeElement;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * What the processor adds to the time that javac takes for 500 annotated methods in 50 classes:
 * processor time, without any, with an empty one and with ours in turn, in this JVM and in
 * processes of their own.
 */
public final class CompileTime {

  private static final int CLASSES = 50;
  private static final int METHODS = 10;
  private static final int WARM_UP = 15;
  private static final int WARM = 31;
  private static final int COLD = 11;

  /** Without annotation processing, with a processor that does nothing, with the project's. */
  private static final List<String> MODES = List.of("none", "empty", "ours");

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

  private CompileTime() {}

  /**
   * Without arguments all of it; a process of its own gets a folder, the sources' below it, and the
   * mode.
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (arguments.length == 2) {
      compile(Path.of(arguments[0]), arguments[1]);
      System.out.println(SYSTEM.getProcessCpuTime()); // the start of the JVM is part of it
      return;
    }
    Path folder = Files.createTempDirectory("roll-otel-compile");
    try {
      writeSources(folder.resolve("src"));
      measure(folder);
    } finally {
      try (Stream<Path> files = Files.walk(folder)) {
        files.sorted((a, b) -> b.compareTo(a)).forEach(file -> file.toFile().delete());
      }
    }
  }

  private static void measure(Path folder) throws IOException, InterruptedException {
    double[][] warm = new double[MODES.size()][WARM];
    for (int i = -WARM_UP; i < WARM; i++) {
      for (int mode = 0; mode < MODES.size(); mode++) {
        double milliseconds = compile(folder, MODES.get(mode));
        if (i >= 0) {
          warm[mode][i] = milliseconds;
        }
      }
    }
    print("one warmed JVM", warm);
    double[][] cold = new double[MODES.size()][COLD];
    for (int i = 0; i < COLD; i++) {
      for (int mode = 0; mode < MODES.size(); mode++) {
        cold[mode][i] = inAProcess(folder, MODES.get(mode));
      }
    }
    print("a process each", cold);
  }

  /** Milliseconds of processor time; javac works on the thread that calls it. */
  private static double compile(Path folder, String mode) throws IOException {
    Path root = Path.of("..").toAbsolutePath();
    List<String> options = new ArrayList<>(List.of("--release", "17", "-nowarn"));
    options.addAll(List.of("-classpath", root.resolve("annotations/target/classes").toString()));
    options.addAll(List.of("-d", folder.resolve("out-" + mode).toString()));
    if (mode.equals("none")) {
      options.add("-proc:none");
    } else if (mode.equals("ours")) {
      String separator = System.getProperty("path.separator");
      options.add("-processorpath");
      options.add(
          root.resolve("processor/target/classes")
              + separator
              + root.resolve("annotations/target/classes"));
    }
    Files.createDirectories(folder.resolve("out-" + mode));
    StringWriter said = new StringWriter();
    long before = THREADS.getCurrentThreadCpuTime();
    boolean compiled;
    try (StandardJavaFileManager files = COMPILER.getStandardFileManager(null, null, UTF_8);
        Stream<Path> sources = Files.list(folder.resolve("src"))) {
      JavaCompiler.CompilationTask task =
          COMPILER.getTask(
              said,
              files,
              null,
              options,
              null,
              files.getJavaFileObjectsFromPaths(sources.toList()));
      if (mode.equals("empty")) {
        task.setProcessors(List.of(new Empty()));
      }
      compiled = task.call();
    }
    double milliseconds = (THREADS.getCurrentThreadCpuTime() - before) / 1e6;
    if (!compiled || said.getBuffer().length() > 0) {
      throw new IllegalStateException("not a clean project: " + said);
    }
    return milliseconds;
  }

  private static double inAProcess(Path folder, String mode)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                CompileTime.class.getName(),
                folder.toString(),
                mode)
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    if (process.waitFor() != 0) {
      throw new IllegalStateException(said);
    }
    return Long.parseLong(said) / 1e6;
  }

  /** The ratio within each round: other work on the machine does not move their median. */
  private static void print(String where, double[][] milliseconds) {
    double[] none = milliseconds[0];
    System.out.printf(
        Locale.ROOT, "%s, %d rounds: none %.0f ms%n", where, none.length, quantile(none, 0.5));
    for (int mode = 1; mode < MODES.size(); mode++) {
      double[] with = milliseconds[mode];
      double[] ratios = new double[with.length];
      Arrays.setAll(ratios, i -> with[i] / none[i]);
      System.out.printf(
          Locale.ROOT,
          "  %s %.0f ms, ratio %.3f (quartiles %.3f, %.3f)%n",
          MODES.get(mode),
          quantile(with, 0.5),
          quantile(ratios, 0.5),
          quantile(ratios, 0.25),
          quantile(ratios, 0.75));
    }
  }

  /**
   * What annotation processing costs by itself: another round, in which javac enters everything
   * again.
   */
  private static final class Empty extends AbstractProcessor {
    @Override
    public Set<String> getSupportedAnnotationTypes() {
      return Set.of("*");
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
      return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
      return false;
    }
  }

  private static double quantile(double[] values, double share) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(int) ((sorted.length - 1) * share)];
  }

  /** Methods as workers have them: a payload in, some arithmetic, a payload out. */
  private static void writeSources(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(
        folder.resolve("DataProto.java"),
        """
        package bench;
        import java.util.HashMap;
        import java.util.Map;
        public class DataProto {
          private final Map<String, Object> metaInfo = new HashMap<>();
          public final float[] values;
          public DataProto(float[] values) { this.values = values; }
          public Map<String, Object> metaInfo() { return metaInfo; }
        }
        """);
    for (int i = 0; i < CLASSES; i++) {
      StringBuilder source = new StringBuilder();
      source.append("package bench;\nimport io.rollotel.annotations.*;\nimport java.util.*;\n");
      source.append("public class Worker").append(i).append(" {\n");
      for (int j = 0; j < METHODS; j++) {
        source.append(
            """
              @Register(trace = true)
              public DataProto step%d(DataProto request, @SpanAttribute("step") int step) {
                float[] out = new float[request.values.length];
                Map<String, List<Float>> groups = new HashMap<>();
                for (int i = 0; i < out.length; i++) {
                  out[i] = request.values[i] * 0.5f + step;
                  groups.computeIfAbsent("g" + i %% 7, key -> new ArrayList<>()).add(out[i]);
                }
                double sum = groups.values().stream()
                    .mapToDouble(group -> group.stream().mapToDouble(Float::doubleValue).sum())
                    .sum();
                if (Double.isNaN(sum)) {
                  throw new IllegalStateException("step " + step + " of %d: " + groups.keySet());
                }
                return new DataProto(out);
              }
            """
                .formatted(j, i));
      }
      Files.writeString(folder.resolve("Worker" + i + ".java"), source.append("}\n"));
    }
  }
}
