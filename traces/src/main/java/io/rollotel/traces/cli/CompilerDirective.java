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

  private static final String ANALYSIS =
      "\"io/rollotel/traces/analysis/*.*\", \"io/rollotel/traces/spans/*.*\"";

  /** Not Parquet's library, to which it passes values. */
  private static final String PARQUET = "\"io/rollotel/parquet/*.*\"";

  private CompilerDirective() {}

  /**
   * Keeps the second compiler from compiling the analysis: the report would be ready before the
   * compiled code pays off. Takes effect a moment later, while the command still reads the run.
   */
  static void excludeAnalysis() {
    exclude(ANALYSIS);
  }

  /** The same for the export to Parquet. */
  static void excludeParquet() {
    exclude(PARQUET);
  }

  private static void exclude(String classes) {
    String directive = "[{match: [" + classes + "], c2: {Exclude: true}}]";
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
