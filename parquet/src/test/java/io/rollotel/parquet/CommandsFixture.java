package io.rollotel.parquet;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A run as lines and as Parquet. */
abstract class CommandsFixture {

  static final long START = 1_795_269_422_000_000_000L;
  static final long MS = 1_000_000;
  static final int STEPS = 20;

  @TempDir Path dir;

  Path lines;
  Path parquet;

  /** A run of steps with two calls each. */
  @BeforeEach
  void plant() throws Exception {
    lines = dir.resolve("lines/traces/traces.jsonl");
    parquet = dir.resolve("run.parquet");
    write(lines, "run-1", 0);
  }

  static void write(Path file, String run, int firstTrace) throws Exception {
    List<Span> driver = new ArrayList<>();
    List<Span> workers = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      int trace = firstTrace + step + 1;
      long at = START + 300 * MS * (firstTrace + step);
      driver.add(
          with(Requests.span(trace, 1, 0, "pipeline_step", at, 200 * MS), "global_step", step));
      for (int rank = 0; rank < 2; rank++) {
        workers.add(
            with(
                Requests.span(trace, rank + 2, 1, "generate", at, (50 + step + rank) * MS),
                "http.status_code",
                rank == 0 ? 200 : 500));
      }
    }
    PlantedFile.write(
        file,
        Requests.of(driver, "service.name", "driver", "roll.run_id", run),
        Requests.of(workers, "service.name", "actor", "roll.run_id", run, "roll.rank", "3"));
  }

  static Span with(Span span, String key, long value) {
    return span.toBuilder()
        .addAttributes(
            KeyValue.newBuilder().setKey(key).setValue(AnyValue.newBuilder().setIntValue(value)))
        .build();
  }

  Command export(Object... arguments) {
    List<Object> all = new ArrayList<>(List.of("export", "--parquet", parquet));
    all.addAll(List.of(arguments));
    return Command.of(all.toArray());
  }
}
