package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.traces.file.TracesReader;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * As many spans as calls, under the shipped jar: a number that noise does not change. Spans that
 * cannot be delivered in time wait in the queue, then in the process's own file. If both are too
 * slow, the calls wait.
 */
class DeliveredIT {

  private @TempDir Path directory;

  /**
   * The queue holds the first burst, a thirtieth of the second, and two thirds of the last. A
   * million also fit if the machine has time: all waits together take five seconds at most.
   */
  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({
    "BurstWorker,       100_000,   1g",
    "BurstWorker,       50_000,    32m",
    "OpenFuturesWorker, 400_000, 2g"
  })
  void callsAtOnce_areInTheRunsFilesToTheLastSpan(String program, String calls, String heap)
      throws Exception {
    String number = calls.replace("_", "");
    ProgramRun.Result result =
        ProgramRun.of(directory, BurstWorker.class)
            .jvmOptions("-Xmx" + heap)
            .main("io.rollotel.it." + program, number)
            .run()
            .isClean();
    Set<Long> ids = new HashSet<>(); // some may be there twice: delivered, and in the own file
    new TracesReader()
        .read(
            result.directory().resolve("output/otlp"),
            span -> ids.add(Long.parseUnsignedLong(span.spanId(), 16)));
    assertThat(ids).hasSize(Integer.parseInt(number));
  }
}
