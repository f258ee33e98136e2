package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.spans.Spans;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import org.junit.jupiter.api.Test;

/** What is known of a run before its traces are analysed. */
class RunShapeTest {

  /** The process has no span but that one, of which the sender's name says that it is a call. */
  @Test
  void waitOfAProcessThatExecutesNothing_isAllWhileItStarts() {
    Planted planted = new Planted();
    long step = planted.span(1, 0, "pipeline_step", "driver", 0, 900);
    planted.span(1, step, "x ray.remote", "w1", 300, 800, "roll.queue_ns", 200L);
    PathShares path = planted.analysis().path();
    assertThat(path.queues().get(0).nanos()).isEqualTo(200);
    assertThat(path.startingNanos()).isEqualTo(200);
  }

  /** A directory may have thousands of runs, each with processes of its own. */
  @Test
  void shape_takesRoomForTheProcessesOfItsRunAlone() throws IOException {
    Spans columns = new Spans();
    for (int run = 0; run < 300; run++) {
      Planted planted = new Planted("run" + run);
      planted.span(run + 1, 0, "pipeline_step", "w" + run, 0, 900);
      planted.spans().forEach(columns::add);
    }
    int last = columns.runs().find("run299");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new ObjectOutputStream(bytes).writeObject(RunShape.of(columns, last, "pipeline_step"));
    assertThat(bytes.size()).isLessThan(1000);
  }
}
