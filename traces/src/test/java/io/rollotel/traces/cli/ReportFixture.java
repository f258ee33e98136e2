package io.rollotel.traces.cli;

import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Two runs of a directory, and commands that read them. */
abstract class ReportFixture {

  static final String TEMPLATE = "roll.otel.trace.url.template";
  static final long START = 1_795_269_422_000_000_000L;
  static final long MS = 1_000_000;

  CommandRun last = new CommandRun(0, "", "");

  @TempDir Path dir;

  /** Two runs of twenty steps each, of which the second's train takes half as long again. */
  @BeforeEach
  void runs() throws Exception {
    plant("one", 1, START, 100);
    plant("two", 101, START + 1_000_000 * MS, 150);
  }

  @AfterEach
  void forget() {
    System.clearProperty(TEMPLATE);
  }

  void plant(String runId, int firstTrace, long start, long trainMillis) throws Exception {
    plant(runId, firstTrace, start, trainMillis, 20);
  }

  void plant(String runId, int firstTrace, long start, long trainMillis, int steps)
      throws Exception {
    List<Span> spans = new ArrayList<>();
    long at = start;
    for (int step = 0; step < steps; step++) {
      long trace = firstTrace + step;
      long train = trainMillis * MS + step;
      spans.add(Requests.span(trace, 1, 0, "pipeline_step", at, train + 50 * MS));
      spans.add(Requests.span(trace, 2, 1, "generate", at, 50 * MS + 7 * (step % 3)));
      spans.add(Requests.span(trace, 3, 1, "train", at + 50 * MS, train));
      at += 300 * MS;
    }
    PlantedFile.write(
        dir.resolve(runId).resolve("traces/traces.jsonl"),
        Requests.of(spans, "roll.run_id", runId, "service.name", "driver"));
  }

  int run(String... arguments) {
    last = CommandRun.of(arguments);
    return last.code();
  }
}
