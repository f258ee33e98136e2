package io.rollotel.traces.report;

import static io.rollotel.traces.kit.Requests.failed;
import static io.rollotel.traces.kit.Requests.span;

import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/** Files of a planted run, and the report on them. */
abstract class RunReportFixture {

  /** 2026-11-21 13:57:02 UTC. */
  static final long START = 1_795_269_422_000_000_000L;

  static final long MS = 1_000_000;

  @TempDir Path dir;

  static String[] process(String service, String runId, String host) {
    return new String[] {
      "service.name", service, "service.instance.id", runId, "host.name", host, "roll.run_id", runId
    };
  }

  static String[] process(
      String service, String instance, String host, String pid, String... rank) {
    List<String> attributes =
        new ArrayList<>(
            List.of(
                "service.name", service,
                "service.instance.id", instance,
                "host.name", host,
                "process.pid", pid,
                "roll.run_id", "5f3a9c1e"));
    if (rank.length != 0) {
      attributes.addAll(List.of("roll.rank", rank[0]));
    }
    return attributes.toArray(String[]::new);
  }

  /** Two steps on the driver, twenty-two calls of two workers, one of them without its parent. */
  void plantedRun() throws Exception {
    write(
        "traces.jsonl",
        Requests.of(
            List.of(
                span(1, 1, 0, "pipeline_step", START, 3000 * MS),
                span(2, 2, 0, "pipeline_step", START + 3000 * MS, 500 * MS)),
            process("driver", "d:1", "node1", "10")));
    List<Span> generate = new ArrayList<>();
    for (int i = 1; i <= 20; i++) {
      Span span = span(1, 100 + i, 1, "worker.generate", START + i * MS, i * MS);
      generate.add(i == 20 ? failed(span) : span);
    }
    generate.add(span(2, 300, 999, "late", START + MS, 1000));
    write("traces.jsonl", Requests.of(generate, process("worker", "w:9", "node2", "20", "9")));
    write(
        "w-10.jsonl",
        Requests.of(
            List.of(failed(span(2, 200, 2, "worker.update_model", START + 3009 * MS, 789_000))),
            process("worker", "w:10", "node2", "21", "10")));
  }

  void write(String file, byte[] request) throws Exception {
    PlantedFile.write(dir.resolve(file), request);
  }

  RunReport read(@Nullable String runId) throws IOException {
    return RunReport.read(List.of(dir), ReportOptions.latestRun().withRun(runId));
  }

  String report(@Nullable String runId) throws IOException {
    return text(read(runId));
  }

  static String text(RunReport report) {
    StringWriter text = new StringWriter();
    report.print(new ReportWriter(text));
    return text.toString().replace(System.lineSeparator(), "\n");
  }
}
