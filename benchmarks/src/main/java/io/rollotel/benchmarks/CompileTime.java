package io.rollotel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * What the processor adds to the time that javac takes for 500 annotated methods in 50 classes:
 * processor time, with and without it in turn, in this JVM and in processes of their own.
 */
public final class CompileTime {

  private static final int CLASSES = 50;
  private static final int METHODS = 10;
  private static final int WARM_UP = 30;
  private static final int WARM = 41;
  private static final int COLD = 15;

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

  private CompileTime() {}

  /**
   * Without arguments all of it; a process of its own gets a folder, the sources' below it, and
   * whether to run the processor.
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (arguments.length == 2) {
      compile(Path.of(arguments[0]), Boolean.parseBoolean(arguments[1]));
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
    for (int i = 0; i < WARM_UP; i++) {
      compile(folder, i % 2 == 0);
    }
    double[] without = new double[WARM];
    double[] with = new double[WARM];
    for (int i = 0; i < WARM; i++) {
      boolean first = i % 2 == 0;
      (first ? with : without)[i] = compile(folder, first);
      (first ? without : with)[i] = compile(folder, !first);
    }
    print("one warmed JVM", without, with);
    double[] coldWithout = new double[COLD];
    double[] coldWith = new double[COLD];
    for (int i = 0; i < COLD; i++) {
      boolean first = i % 2 == 0;
      (first ? coldWith : coldWithout)[i] = inAProcess(folder, first);
      (first ? coldWithout : coldWith)[i] = inAProcess(folder, !first);
    }
    print("a process each", coldWithout, coldWith);
  }

  /** Milliseconds of processor time, of all threads. */
  private static double compile(Path folder, boolean withProcessor) throws IOException {
    Path root = Path.of("..").toAbsolutePath();
    List<String> options = new ArrayList<>(List.of("--release", "17", "-nowarn"));
    options.addAll(List.of("-classpath", root.resolve("annotations/target/classes").toString()));
    options.addAll(List.of("-d", folder.resolve("out-" + withProcessor).toString()));
    options.addAll(
        withProcessor
            ? List.of(
                "-processorpath",
                root.resolve("processor/target/classes")
                    + System.getProperty("path.separator")
                    + root.resolve("annotations/target/classes"))
            : List.of("-proc:none"));
    Files.createDirectories(folder.resolve("out-" + withProcessor));
    StringWriter said = new StringWriter();
    long before = SYSTEM.getProcessCpuTime();
    boolean compiled;
    try (StandardJavaFileManager files = COMPILER.getStandardFileManager(null, null, UTF_8);
        Stream<Path> sources = Files.list(folder.resolve("src"))) {
      compiled =
          COMPILER
              .getTask(
                  said,
                  files,
                  null,
                  options,
                  null,
                  files.getJavaFileObjectsFromPaths(sources.toList()))
              .call();
    }
    double milliseconds = (SYSTEM.getProcessCpuTime() - before) / 1e6;
    if (!compiled || said.getBuffer().length() > 0) {
      throw new IllegalStateException("not a clean project: " + said);
    }
    return milliseconds;
  }

  private static double inAProcess(Path folder, boolean withProcessor)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                CompileTime.class.getName(),
                folder.toString(),
                Boolean.toString(withProcessor))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    if (process.waitFor() != 0) {
      throw new IllegalStateException(said);
    }
    return Long.parseLong(said) / 1e6;
  }

  /** The ratio of each pair; their median is not moved by what else the machine does. */
  private static void print(String where, double[] without, double[] with) {
    double[] ratios = new double[with.length];
    Arrays.setAll(ratios, i -> with[i] / without[i]);
    System.out.printf(
        Locale.ROOT,
        "%s: without %.0f ms, with %.0f ms, ratio %.3f (quartiles %.3f, %.3f; %d pairs)%n",
        where,
        quantile(without, 0.5),
        quantile(with, 0.5),
        quantile(ratios, 0.5),
        quantile(ratios, 0.25),
        quantile(ratios, 0.75),
        ratios.length);
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
