package io.rollotel.examples.cartpole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SlownessTest {

  @ParameterizedTest
  @ValueSource(strings = {"2", "gc", "lock", "cpu", "io"})
  void slowWorker_answersTheSame(String slowness) {
    DataProto model =
        new DataProto().with("parameters", Policy.initialParameters(Seeds.generator(17, 0, -1, 0)));
    DataProto request =
        new DataProto().withMeta("seed", 17).withMeta("global_step", 1).withMeta("episodes", 50);
    assertThat(gradient(Slowness.of(slowness), model, request))
        .isEqualTo(gradient(Slowness.of(Slowness.NONE), model, request));
  }

  private static double[] gradient(Slowness slowness, DataProto model, DataProto request) {
    PolicyWorker worker = new PolicyWorker(0, 1, slowness, () -> {});
    worker.modelUpdate(model);
    DataProto played = worker.generate(request);
    played.with("advantages", worker.computeRewards(played).column("advantages"));
    return worker.trainStep(played).column("gradient");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2", "gc", "lock", "cpu", "io"})
  void call_takesAsLongAgain(String slowness) {
    Slowness slow = Slowness.of(slowness);
    long nanos = TimeUnit.MILLISECONDS.toNanos(30);
    long start = System.nanoTime();
    slow.prolong(nanos);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(nanos * 9 / 10);
  }

  @ParameterizedTest
  @CsvSource({"1, ''", "2.5, ''", "lock, ''", "cpu, ''", "io, ''", "gc, -Xms96m -Xmx96m"})
  void jvmOptions_areAHeapForCollectionsAlone(String slowness, String options) {
    assertThat(Slowness.jvmOptions(slowness))
        .isEqualTo(options.isEmpty() ? List.of() : List.of(options.split(" ")));
  }

  @ParameterizedTest
  @CsvSource({
    "disk, 'a factor or gc|lock|cpu|io, not disk'",
    "0.5, 'a factor from 1 to 1000, not 0.5'",
    "'', 'a factor or gc|lock|cpu|io, not '",
  })
  void otherText_saysWhatIsNeeded(String slowness, String message) {
    assertThatThrownBy(() -> Slowness.of(slowness))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
