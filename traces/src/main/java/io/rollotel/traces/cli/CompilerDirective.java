package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.rollotel.traces.otlp.LineParser;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directive to the JVM's compilers (JEP 165). Only for the JVM of a roll-otel command, never an
 * application's. On another JVM than HotSpot, and without the jar's manifest, it has no effect.
 */
final class CompilerDirective {

  /** The loops over the bytes of recordings, and those of Parquet's library. */
  private static final List<String> LOOPS =
      List.of(
          "io/rollotel/traces/profile/*.*",
          "jdk/jfr/*.*",
          "io/rollotel/parquet/*.*",
          "org/apache/*.*");

  /** Not Parquet's library, to which it passes values. */
  private static final List<String> PARQUET = List.of("io/rollotel/parquet/*.*");

  private static final String PACKAGE = "com.sun.management.internal.";

  private CompilerDirective() {}

  /**
   * Lets the second compiler compile nothing but loops over bytes: the report is ready before other
   * code that it compiles pays off.
   */
  static void compileLess() {
    Stream<String> ofLines =
        LineParser.byteLoops().stream().map(one -> one.getName().replace('.', '/') + ".*");
    List<String> loops = Stream.concat(ofLines, LOOPS.stream()).toList();
    add(directive(loops, false), directive(List.of("*.*"), true));
  }

  /** Keeps the second compiler from compiling the export to Parquet. */
  static void excludeParquet() {
    add(directive(PARQUET, true));
  }

  private static String directive(List<String> methods, boolean isExcluded) {
    return "{match: [\""
        + String.join("\", \"", methods)
        + "\"], c2: {Exclude: "
        + isExcluded
        + "}}";
  }

  /** The first that matches a method is valid for it. */
  private static void add(String... directives) {
    try {
      if (hasOneCompiler(execute("VM.flags"))) {
        return; // what it does not compile is interpreted
      }
      Path file = Files.createTempFile("roll-otel-", ".json");
      try {
        Files.write(file, ("[" + String.join(", ", directives) + "]").getBytes(US_ASCII));
        execute("Compiler.directives_add \"" + file + "\"");
      } finally {
        Files.delete(file);
      }
    } catch (IOException | ReflectiveOperationException | RuntimeException | LinkageError e) {
      // The result is the same, and takes more processor time.
    }
  }

  private static boolean hasOneCompiler(String flags) {
    return flags.contains("-XX:-TieredCompilation") || flags.contains("-XX:CompilationMode=");
  }

  /**
   * Executes a diagnostic command without an MBean server: until that is ready, a quarter of a
   * second later, the second compiler has begun. The jar's manifest opens the package.
   *
   * @return what the command prints
   */
  private static String execute(String command) throws ReflectiveOperationException {
    Class.forName(PACKAGE + "PlatformMBeanProviderImpl"); // loads the native library
    Class<?> commands = Class.forName(PACKAGE + "DiagnosticCommandImpl");
    Method instance = commands.getDeclaredMethod("getDiagnosticCommandMBean");
    Method execute = commands.getDeclaredMethod("executeDiagnosticCommand", String.class);
    instance.setAccessible(true);
    execute.setAccessible(true);
    return String.valueOf(execute.invoke(instance.invoke(null), command));
  }
}
