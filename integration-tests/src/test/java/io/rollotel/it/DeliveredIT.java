package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.FileSpans;
import io.rollotel.it.kit.ProgramRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * As many spans as there were calls, under the shipped jar: a number that no noise moves, since
 * what cannot be delivered in time has room in the queue, and then in the process's own file.
 */
class DeliveredIT {

  /** Fewer than the queue holds. */
  private static final int CALLS = 100_000;

  private @TempDir Path directory;

  @Test
  void burstThatTheQueueHolds_isInTheRunsFilesToTheLastSpan() throws Exception {
    ProgramRun.Result result =
        ProgramRun.of(directory, BurstWorker.class)
            .jvmOptions("-Xmx1g")
            .main(BurstWorker.class.getName(), Integer.toString(CALLS))
            .run()
            .isClean();
    assertThat(new FileSpans(result).all()).hasSize(CALLS);
  }
}
