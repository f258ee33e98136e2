package io.rollotel.examples.cartpole;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.TracerProvider;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The training with workers in this JVM: no RMI, no tracing. */
final class TrainingTest {
  @Test
  void meanReturn_rises() {
    double[] returns = train(17, 2, 30, Runnable::run);

    assertThat(returns[0]).isBetween(10.0, 40.0);
    assertThat(returns[29]).isGreaterThan(3 * returns[0]);
  }

  @Test
  void sameSeed_sameReturns_whateverTheThreads() {
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      assertThat(train(5, 3, 8, threads)).isEqualTo(train(5, 3, 8, Runnable::run));
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void otherSeed_otherReturns() {
    assertThat(train(5, 1, 3, Runnable::run)).isNotEqualTo(train(6, 1, 3, Runnable::run));
  }

  @Test
  void slowWorker_takesSoManyTimesAsLongAndAnswersTheSame() {
    PolicyWorker usual = new PolicyWorker(0, 1, Slowness.of("1"), () -> {});
    PolicyWorker slow = new PolicyWorker(0, 1, Slowness.of("4"), () -> {});
    DataProto model = new DataProto().with("parameters", new double[Policy.PARAMETERS]);
    usual.modelUpdate(model);
    slow.modelUpdate(model);
    DataProto request =
        new DataProto().withMeta("seed", 17).withMeta("global_step", 1).withMeta("episodes", 500);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long cpuNanos = -threads.getCurrentThreadCpuTime();
    long nanos = -System.nanoTime();
    DataProto played = slow.generate(request);
    nanos += System.nanoTime();
    cpuNanos += threads.getCurrentThreadCpuTime();

    assertThat(nanos).as("asleep but for %s ns", cpuNanos).isGreaterThan(3 * cpuNanos);
    assertThat(played.column("lengths")).isEqualTo(usual.generate(request).column("lengths"));
  }

  @Test
  void everyTenthStep_isValidated() {
    Training training = training(1, 1, Runnable::run);

    assertThat(IntStream.rangeClosed(1, 20).filter(step -> isValidated(training, step)))
        .containsExactly(10, 20);
  }

  private static boolean isValidated(Training training, int step) {
    return training.step(step).validationReturn().isPresent();
  }

  private static double[] train(long seed, int workers, int steps, Executor threads) {
    Training training = training(seed, workers, threads);
    return IntStream.rangeClosed(1, steps)
        .mapToDouble(step -> training.step(step).meanReturn())
        .toArray();
  }

  private static Training training(long seed, int workers, Executor threads) {
    List<WorkerStub> stubs =
        IntStream.range(0, workers)
            .mapToObj(
                rank ->
                    new WorkerStub(
                        "local-" + rank,
                        new PolicyWorker(rank, 1, Slowness.of("1"), () -> {}),
                        threads))
            .toList();
    return new Training(stubs, seed, TracerProvider.noop().get("test"));
  }
}
