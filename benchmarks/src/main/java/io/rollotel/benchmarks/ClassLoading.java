package io.rollotel.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the agent adds to the loading of a class of four methods: scanning where none is annotated,
 * weaving where all are. Each invocation loads all classes anew, in a loader of its own.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 6, time = 1)
@Fork(
    value = 3,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-XX:+UseSerialGC"})
public class ClassLoading {

  private static final int CLASSES = 200;

  /** The annotations of their methods. */
  @Param({"", "@io.rollotel.annotations.Register(trace = true)"})
  private String annotation = "";

  private final Map<String, byte[]> classes = new LinkedHashMap<>();

  /** For JMH. */
  public ClassLoading() {}

  /** Compiles them. */
  @Setup
  public void compile() throws IOException {
    Path folder = Files.createTempDirectory("class-loading");
    List<Path> sources = new ArrayList<>();
    for (int i = 0; i < CLASSES; i++) {
      StringBuilder source = new StringBuilder("public class C" + i + " {\n");
      for (int j = 0; j < 4; j++) {
        source.append(annotation).append("  public int step").append(j).append("(int n) {\n");
        source.append("    int sum = 0;\n    for (int i = 0; i < n; i++) { sum += i * ");
        source.append(i + j).append("; }\n    return sum;\n  }\n");
      }
      sources.add(Files.writeString(folder.resolve("C" + i + ".java"), source.append("}\n")));
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of(
              "-proc:none",
              "-classpath",
              Path.of("../annotations/target/classes").toString(),
              "-d",
              folder.toString());
      if (!compiler
          .getTask(null, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
          .call()) {
        throw new IllegalStateException("does not compile");
      }
    }
    try (Stream<Path> all = Files.list(folder)) {
      all.filter(file -> file.toString().endsWith(".class"))
          .forEach(
              file -> classes.put(file.getFileName().toString().replace(".class", ""), read(file)));
    }
    try (Stream<Path> all = Files.list(folder)) {
      all.forEach(file -> file.toFile().delete());
    }
    Files.delete(folder);
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** With the agent. */
  @Benchmark
  @OperationsPerInvocation(CLASSES)
  @Fork(
      value = 3,
      jvmArgsAppend = {
        "-javaagent:../agent/target/roll-otel-agent.jar",
        "-Droll.otel.enabled=true",
        "-Dotel.traces.exporter=none",
        "-Xms1g",
        "-Xmx1g",
        "-XX:+UseSerialGC"
      })
  public Object agent() {
    return load();
  }

  /** Without it. */
  @Benchmark
  @OperationsPerInvocation(CLASSES)
  public Object nothing() {
    return load();
  }

  private Object load() {
    Loader loader = new Loader();
    Class<?> last = Object.class;
    for (Map.Entry<String, byte[]> one : classes.entrySet()) {
      last = loader.define(one.getKey(), one.getValue());
    }
    return Objects.requireNonNull(last);
  }

  private static final class Loader extends ClassLoader {

    Loader() {
      super(ClassLoading.class.getClassLoader());
    }

    /** By name, because for a class without a name the agent does not learn the owner. */
    Class<?> define(String name, byte[] bytes) {
      return defineClass(name, bytes, 0, bytes.length);
    }
  }
}
