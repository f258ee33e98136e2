package io.rollotel.traces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A call whose two ends name the attribute that joins them: all ways through the file give the same
 * report.
 */
class JoinedCallsTest {

  private static final String TEXT = "{\"key\":\"%s\",\"value\":{\"stringValue\":\"%s\"}}";

  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({
    "ray.task_id, JOIN BY, KIND ATTRIBUTES",
    "ray.task_id, BY JOIN, KIND ATTRIBUTES",
    "message.id, JOIN BY, KIND ATTRIBUTES",
    "message.id, BY JOIN, KIND ATTRIBUTES",
    "message.id, BY JOIN, ATTRIBUTES KIND",
    "message.id, BY OTHER JOIN, KIND ATTRIBUTES",
    "global_step, JOIN OTHER BY, ATTRIBUTES KIND",
  })
  void callJoinedByAnyAttribute_isOneTraceInEachReport(String by, String attributes, String fields)
      throws Exception {
    String call =
        fields
            .replace(" ", ",")
            .replace("KIND", "\"kind\":%d")
            .replace("ATTRIBUTES", "\"attributes\":[" + attributes.replace(" ", ",") + "]")
            .replace("JOIN", TEXT.formatted("roll.join", by))
            .replace("BY", TEXT.formatted(by, "m1"))
            .replace("OTHER", "{\"key\":\"n\",\"value\":{\"intValue\":\"7\"}}");
    Path output = directory.resolve("output");
    Files.write(
        Files.createDirectories(output.resolve("traces")).resolve("traces.jsonl"),
        List.of(
            line("driver", span(1, 1, 0, "pipeline_step", 0, 1_000_000_000, "\"kind\":1")),
            line("driver", span(1, 2, 1, "send", 1_000_000, 2_000_000, call.formatted(4))),
            line("worker", span(2, 3, 0, "receive", 3_000_000, 900_000_000, call.formatted(5))),
            line("worker", span(2, 4, 3, "part", 4_000_000, 500_000_000, "\"kind\":1"))));

    String inMemory = report(output, "--json");
    assertThat(inMemory)
        .contains("\"traces\":1,\"spans\":4", "\"missingExecutions\":{\"count\":0,");
    assertThat(report(output, "--json", "--cache", directory.resolve("cache").toString()))
        .isEqualTo(inMemory);
    Path merged = directory.resolve("merged.jsonl");
    assertThat(CommandRun.of("merge", output.toString(), "-o", merged.toString()).code()).isZero();
    assertThat(report(merged, "--json")).isEqualTo(inMemory);
  }

  private static String report(Path of, String... options) {
    String[] command = new String[options.length + 2];
    command[0] = "report";
    command[1] = of.toString();
    System.arraycopy(options, 0, command, 2, options.length);
    CommandRun run = CommandRun.of(command);
    assertThat(run.code()).as(run.err()).isZero();
    return run.out();
  }

  private static String line(String instance, String span) {
    return "{\"resourceSpans\":[{\"resource\":{\"attributes\":["
        + TEXT.formatted("service.instance.id", instance)
        + ","
        + TEXT.formatted("roll.run_id", "run")
        + "]},\"scopeSpans\":[{\"spans\":["
        + span
        + "]}]}]}";
  }

  private static String span(
      int trace, int id, int parent, String name, long start, long end, String more) {
    long from = 1_795_269_422_000_000_000L;
    return """
    {"traceId":"%032x","spanId":"%016x","parentSpanId":"%s","name":"%s",\
    "startTimeUnixNano":"%d","endTimeUnixNano":"%d",%s}\
    """
        .formatted(
            trace,
            id,
            parent == 0 ? "" : "%016x".formatted(parent),
            name,
            from + start,
            from + end,
            more);
  }
}
