package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.it.kit.ProgramRun;
import io.rollotel.it.kit.ProgramRun.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** {@code Thread.stop}, which later JDKs do not have. */
class StoppedThreadsIT {

  private @TempDir Path directory;

  @EnabledForJreRange(max = JRE.JAVA_19)
  @Test
  void threadThatIsStoppedInsideTracing_endsAndTracingGoesOn() throws Exception {
    Result result = ProgramRun.of(directory, StoppedThreadsWorker.class).run();
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.lines()).containsExactly("alive 0", "after true");
    // A stop may still reach a thread while it loads a class, which is then not woven.
    assertThat(result.err().lines().filter(line -> line.contains("ThreadDeath")))
        .allMatch(line -> line.contains(" does not hand the context on: "));
    assertThat(result.spans()).isNotEmpty();
  }
}
