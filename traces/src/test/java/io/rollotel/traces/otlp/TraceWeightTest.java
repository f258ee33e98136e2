package io.rollotel.traces.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceWeightTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | 1",
        "ot=th:0 | 1",
        "ot=th:8 | 2",
        "ot=th:c | 4",
        "ot=th:f8 | 32",
        "ot=th:ffffff | 16777216",
        "ot=th:fd70a3d70a3d71 | 100",
        "ot=rv:12345678901234;th:8 | 2",
        "vendor=x, ot=th:c;rv:12345678901234 ,another=y | 4",
        "ot=th:C | 4",
        "ot=th: | 1",
        "ot=th:xyz | 1",
        "ot=th:ffffffffffffff | 72057594037927936",
        "ot=th:fffffffffffffff | 1",
        "vendor=th:8 | 1",
        "ot | 1",
      })
  void state_saysForHowManyOneStands(String state, double weight) {
    assertThat(TraceWeight.of(state)).isCloseTo(weight, within(weight * 1e-9));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | ''",
        "ot=th:8 | ''",
        "roll=0123456789abcdef0123456789abcdef | 0123456789abcdef0123456789abcdef",
        "roll=0123456789abcdef0123456789abcdef,ot=th:8 | 0123456789abcdef0123456789abcdef",
        "roll=0123456789abcdef | ''",
        "roll=0123456789abcdef0123456789abcdeg | ''",
        "roll= | ''",
      })
  void state_saysWithWhichTraceASpanWasThinnedOut(String state, String traceId) {
    assertThat(TraceWeight.traceId(state)).isEqualTo(traceId);
  }
}
