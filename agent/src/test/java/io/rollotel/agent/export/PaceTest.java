package io.rollotel.agent.export;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PaceTest {

  @ParameterizedTest
  @CsvSource({
    "1000, 10, 90", // ten thousand a second, of which the line took a part
    "1000, 80, 80", // half of a thread
    "0, 7, 7"
  })
  void line_isFollowedByARest(int spans, long tookMillis, long restMillis) {
    assertThat(Pace.restNanos(spans, MILLISECONDS.toNanos(tookMillis)))
        .isEqualTo(MILLISECONDS.toNanos(restMillis));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2", "5, 16", "6, 30", "1000, 30"})
  void failures_areFollowedByEverLongerPauses(int failures, long seconds) {
    assertThat(Pace.backoffNanos(failures))
        .isBetween(SECONDS.toNanos(seconds) / 2, SECONDS.toNanos(seconds) * 3 / 2);
  }
}
