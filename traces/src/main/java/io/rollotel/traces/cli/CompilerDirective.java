package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * A directive to the JVM's compilers (JEP 165). Only for the JVM of a roll-otel command, never an
 * application's. On another JVM than HotSpot it has no effect.
 */
final class CompilerDirective {

  /** The loops over the bytes of recordings, and those of Parquet's library. */
  private static final String FILES =
      "\"io/rollotel/traces/profile/*.*\", \"jdk/jfr/*.*\","
          + " \"io/rollotel/parquet/*.*\", \"org/apache/*.*\"";

  /** Not Parquet's library, to which it passes values. */
  private static final String PARQUET = "\"io/rollotel/parquet/*.*\"";

  private CompilerDirective() {}

  /**
   * Lets the second compiler compile nothing but loops over the bytes of recordings and of Parquet:
   * the report is ready before other code that it compiles pays off. Takes effect a moment later,
   * while the command still reads the run.
   */
  static void compileLess() {
    add(directive(FILES, false), directive("\"*.*\"", true));
  }

  /** Keeps the second compiler from compiling the export to Parquet. */
  static void excludeParquet() {
    add(directive(PARQUET, true));
  }

  private static String directive(String classes, boolean isExcluded) {
    return "{match: [" + classes + "], c2: {Exclude: " + isExcluded + "}}";
  }

  /** The first that matches a method is valid for it. */
  private static void add(String... directives) {
    String directive = "[" + String.join(", ", directives) + "]";
    Thread thread = new Thread(() -> add(directive), "roll-otel-compiler");
    thread.setDaemon(true);
    thread.start();
  }

  private static void add(String directive) {
    try {
      Path file = Files.createTempFile("roll-otel-", ".json");
      try {
        Files.write(file, directive.getBytes(US_ASCII));
        Object unused =
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "compilerDirectivesAdd",
                    new Object[] {new String[] {file.toString()}},
                    new String[] {String[].class.getName()});
      } finally {
        Files.delete(file);
      }
    } catch (IOException | JMException | RuntimeException | LinkageError e) {
      // The result is the same, and takes more processor time.
    }
  }
}
