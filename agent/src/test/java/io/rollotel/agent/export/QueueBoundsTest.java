package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueueBoundsTest {

  /** How many spans may wait before they go to the own file while an answer is awaited. */
  @ParameterizedTest
  @CsvSource({
    // queue, batch, the recorder's room, high water, low water
    "1000, 100, 100000, 750, 500",
    "100000, 2048, 10000, 5904, 3936",
    "100000, 2048, 100, 4096, 2730",
    "2147483647, 1073741823, 10000, 1610612736, 1073741823",
    "2147483647, 1073741824, 10000, 1610612736, 1073741823",
    "2147483647, 2147483647, 10000, 1610612736, 1073741823",
  })
  void marks_followTheQueueOrTheRecorder(int queue, int batch, int recorded, int high, int low) {
    QueueBounds bounds = new QueueBounds();
    bounds.setCapacity(queue);
    bounds.setRecorded(recorded, batch);
    assertThat(bounds.highWater()).isEqualTo(high);
    assertThat(bounds.lowWater()).isEqualTo(low);
  }
}
