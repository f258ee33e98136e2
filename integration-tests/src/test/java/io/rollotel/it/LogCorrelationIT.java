package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import io.rollotel.traces.otlp.Span;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Log lines name the span in which they were logged, with the shipped jar and no code. */
class LogCorrelationIT {

  private static final Map<String, String> SPAN_OF_LINE =
      Map.of(
          "inside", "worker.inside",
          "outer, before", "worker.outer",
          "outer, after", "worker.outer",
          "inner", "worker.inner",
          "throwing", "worker.throwing",
          "async", "worker.async");

  private static final Pattern LINE =
      Pattern.compile(
          "line (?<text>[^\\[]+) \\[(?<trace>[^\\]]*)\\]\\[(?<span>[^\\]]*)\\]"
              + "\\[(?<parent>[^\\]]*)\\]\\[(?<user>[^\\]]*)\\]");

  private static final String FIELDS = "[%X{trace_id}][%X{span_id}][%X{traceparent}][%X{user}]";

  private @TempDir Path directory;

  @Tag("campaign")
  @ParameterizedTest(name = "{0}, {1}, {2}, {3}")
  @CsvSource({
    "logback, early, sync,",
    "logback, late, sync,",
    "logback, early, async,",
    "logback, late, async,",
    "log4j, early, sync,",
    "log4j, late, sync,",
    "log4j, early, async,",
    "log4j, early, sync, -Dlog4j2.garbagefreeThreadContextMap=true",
    "log4j, late, async, -Dlog4j2.garbagefreeThreadContextMap=true",
    "logback of long ago, early, async,",
    "log4j of long ago, early, sync,",
    "log4j of long ago, late, async,",
    "log4j of long ago, early, sync, -Dlog4j2.enable.threadlocals=false",
    "jul, early, sync,",
    "jul, late, sync,"
  })
  void lines_nameTheirSpans(String library, String when, String appender, String option)
      throws Exception {
    ProgramRun program = program(library, when, appender);
    if (option != null) {
      program.jvmOptions(option);
    }
    Result result = program.run();
    Map<String, Matcher> lines = lines(library, result);

    assertThat(lines).hasSize(when.equals("early") ? 12 : 11);
    for (Map.Entry<String, Matcher> line : lines.entrySet()) {
      Matcher fields = line.getValue();
      String name = SPAN_OF_LINE.get(line.getKey());
      if (name == null) {
        assertThat(fields.group("trace") + fields.group("span") + fields.group("parent"))
            .as(line.getKey())
            .isEmpty();
      } else {
        Span span = result.span(name);
        assertThat(fields.group("trace")).as(line.getKey()).isEqualTo(span.traceId());
        assertThat(fields.group("span")).as(line.getKey()).isEqualTo(span.spanId());
        assertThat(fields.group("parent"))
            .isEqualTo("00-" + span.traceId() + "-" + span.spanId() + "-01");
      }
      if (!library.equals("jul") && !line.getKey().matches("async|pool")) {
        assertThat(fields.group("user")).as("the application's own").isEqualTo("u1");
      }
    }
    assertThat(result.lines()).contains("left {user=u1}");
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"logback", "log4j"})
  void switchedOff_linesNameNone(String library) throws Exception {
    Result result =
        program(library, "early", "sync").environment("ROLL_OTEL_LOG_CORRELATION", "off").run();
    assertThat(lines(library, result).values())
        .hasSize(12)
        .allSatisfy(fields -> assertThat(fields.group("trace")).isEmpty());
    assertThat(result.spans()).isNotEmpty();
  }

  private ProgramRun program(String library, String when, String appender) throws Exception {
    String name = library.split(" ")[0];
    ProgramRun program = ProgramRun.of(directory, LogWorker.class, name, when);
    Path folder = Files.createDirectories(directory.resolve(name));
    if (name.equals("logback")) {
      Files.writeString(folder.resolve("logback.xml"), logback(appender.equals("async")));
    } else if (name.equals("log4j")) {
      Files.writeString(folder.resolve("log4j2.xml"), log4j(appender.equals("async")));
    } else {
      jul(program);
    }
    return program.classPath(folder).classPath(jars(library));
  }

  private static Path[] jars(String library) throws URISyntaxException {
    Path old = ProgramRun.ROOT.resolve("integration-tests/target/old-logging");
    return switch (library) {
      case "logback" ->
          new Path[] {
            ProgramRun.jarOf(ch.qos.logback.classic.Logger.class),
            ProgramRun.jarOf(ch.qos.logback.core.Appender.class),
            ProgramRun.jarOf(org.slf4j.Logger.class)
          };
      case "log4j" ->
          new Path[] {
            ProgramRun.jarOf(org.apache.logging.log4j.core.Logger.class),
            ProgramRun.jarOf(org.apache.logging.log4j.Logger.class)
          };
      case "logback of long ago" ->
          new Path[] {
            old.resolve("logback-classic.jar"),
            old.resolve("logback-core.jar"),
            old.resolve("slf4j-api.jar")
          };
      case "log4j of long ago" ->
          new Path[] {old.resolve("log4j-core.jar"), old.resolve("log4j-api.jar")};
      default -> new Path[0];
    };
  }

  private static String logback(boolean async) {
    return """
        <configuration>
          <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
            <encoder><pattern>line %%msg %s%%n</pattern></encoder>
          </appender>
          <appender name="async" class="ch.qos.logback.classic.AsyncAppender">
            <appender-ref ref="out"/>
          </appender>
          <shutdownHook class="ch.qos.logback.core.hook.DefaultShutdownHook"/>
          <root level="info"><appender-ref ref="%s"/></root>
        </configuration>
        """
        .formatted(FIELDS, async ? "async" : "out");
  }

  private static String log4j(boolean async) {
    return """
        <Configuration>
          <Appenders>
            <Console name="out"><PatternLayout pattern="line %%m %s%%n"/></Console>
            <Async name="async"><AppenderRef ref="out"/></Async>
          </Appenders>
          <Loggers><Root level="info"><AppenderRef ref="%s"/></Root></Loggers>
        </Configuration>
        """
        .formatted(FIELDS, async ? "async" : "out");
  }

  private void jul(ProgramRun program) throws IOException, URISyntaxException {
    Path settings = directory.resolve("logging.properties");
    Files.writeString(
        settings,
        """
        handlers = java.util.logging.ConsoleHandler
        java.util.logging.ConsoleHandler.formatter = io.rollotel.telemetry.TraceLogFormatter
        io.rollotel.telemetry.TraceLogFormatter.format = line %5$s [%7$s][%8$s][%9$s][]%n
        """);
    program.telemetry().jvmOptions("-Djava.util.logging.config.file=" + settings);
  }

  private static Map<String, Matcher> lines(String library, Result result) {
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.said()).isEmpty();
    Map<String, Matcher> lines = new TreeMap<>();
    String where = library.equals("jul") ? result.err() : result.out();
    for (String line : where.lines().toList()) {
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches()) {
        assertThat(lines.put(matcher.group("text"), matcher)).as(line).isNull();
      }
    }
    return lines;
  }
}
