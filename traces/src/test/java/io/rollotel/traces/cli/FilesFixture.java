package io.rollotel.traces.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rollotel.traces.collector.CollectorSettings;
import io.rollotel.traces.collector.EmbeddedCollector;
import io.rollotel.traces.kit.PlantedFile;
import io.rollotel.traces.kit.Requests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of every kind that commands read. */
@Timeout(600)
abstract class FilesFixture {

  /** As ROLL writes it: another order, names of enums, an empty request. */
  static final String OF_ROLL =
      """
      {"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00000000000000000000000000000001",\
      "spanId":"0000000000000004","name":"r","kind":"SPAN_KIND_INTERNAL",\
      "status":{"code":"STATUS_CODE_ERROR"},"flags":257}]}]}]}
      """;

  CommandRun last = new CommandRun(0, "", "");

  @TempDir Path dir;
  Path traces;

  @BeforeEach
  void files() throws Exception {
    traces = dir.resolve("traces");
    Path ours = traces.resolve("traces.jsonl");
    for (int id = 1; id <= 3; id++) {
      PlantedFile.write(
          ours,
          Requests.of(
              List.of(Requests.span(1, id, 0, "a", 5, 3), Requests.span(2, id, 0, "b", 5, 3))));
    }
    byte[] sentTwice = (OF_ROLL + Files.readString(ours)).getBytes(UTF_8);
    Files.write(traces.resolve("traces.1.jsonl.gz"), PlantedFile.gzip(sentTwice));
    Files.writeString(
        traces.resolve("own.jsonl"), "{\"resourceSpans\":[\n{\"a\":{}}\n{}\n" + OF_ROLL + "{\"re");
  }

  EmbeddedCollector collector(Path there) throws IOException {
    return EmbeddedCollector.start(
        there.toFile(), "5ecret", CollectorSettings.ofDriver(), line -> {});
  }

  int run(String... arguments) {
    last = CommandRun.of(arguments);
    return last.code();
  }
}
