package io.rollotel.traces.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.Finding.Kind;
import org.junit.jupiter.api.Test;

/** Hosts all of whose workers are slow. */
class SlowHostsTest extends FindingsFixture {

  @Test
  void twoSlowRanksOnOneHost_areTheHost() {
    RunAnalysis run = run(Way.PAYLOAD, 20, 4, (step, worker) -> worker >= 2 ? 1200 : 200);
    assertThat(run.fanOuts().get(0).stragglers().get(0).costNanos()).isEqualTo(20 * 2);
    assertThat(of(run, Kind.SLOW_WORKER)).isEmpty();
    assertThat(of(run, Kind.SLOW_HOST)).hasSize(1);
    Finding host = of(run, Kind.SLOW_HOST).get(0);
    assertThat(host.host()).isEqualTo("host1");
    assertThat(instances(run, host)).containsExactlyInAnyOrder("w2", "w3");
    assertThat(host.savesNanos()).isEqualTo(20 * 1000);
  }

  /** Their rewards take 2.5 times as long as others, but their rollouts cost much more. */
  @Test
  void slowHost_isNamedWithTheSpansThatCostMost() {
    steps(
        20,
        2000,
        1500,
        (trace, at, root) -> {
          for (int worker = 0; worker < 4; worker++) {
            boolean isSlow = worker >= 2;
            long end = at + 10 + (isSlow ? 1200 : 600);
            planted.span(trace, root, "generate", host(worker), at + 10, end);
            planted.span(
                trace, root, "reward", host(worker), at + 1300, at + (isSlow ? 1350 : 1320));
          }
        });
    Finding host = of(planted.analysis(), Kind.SLOW_HOST).get(0);
    assertThat(planted.analysis().spans().names().text(host.name())).isEqualTo("generate");
    assertThat(host.ratio()).isEqualTo(2);
  }

  @Test
  void twoSlowRanksOnTwoHosts_areNamedTogether() {
    RunAnalysis run =
        run(Way.PAYLOAD, 20, 6, (step, worker) -> worker == 0 || worker == 5 ? 1200 : 200);
    assertThat(of(run, Kind.SLOW_HOST)).isEmpty();
    assertThat(of(run, Kind.SLOW_WORKER)).hasSize(1);
    Finding both = of(run, Kind.SLOW_WORKER).get(0);
    assertThat(instances(run, both)).containsExactlyInAnyOrder("w0", "w5");
    assertThat(both.savesNanos()).isEqualTo(20 * 1000);
  }

  @Test
  void slowRankAndSlowHost_areNamedTogetherIfEitherAloneSavesLittle() {
    RunAnalysis run =
        run(
            Way.PAYLOAD,
            20,
            8,
            (step, worker) -> worker == 0 ? 1500 : worker == 2 || worker == 3 ? 1200 : 200);
    assertThat(of(run, Kind.SLOW_HOST)).isEmpty();
    assertThat(of(run, Kind.SLOW_WORKER)).hasSize(1);
    Finding all = of(run, Kind.SLOW_WORKER).get(0);
    assertThat(instances(run, all)).containsExactlyInAnyOrder("w0", "w2", "w3");
    assertThat(all.hosts()).containsExactly("host1");
    assertThat(all.host()).isEmpty();
    FindingsTest without = new FindingsTest();
    long fastNanos = without.run(Way.PAYLOAD, 20, 8, (step, worker) -> 200).steps().wallNanos();
    assertThat(all.savesNanos()).isEqualTo(run.steps().wallNanos() - fastNanos);
  }

  @Test
  void slowRankThatMattersMore_isNamedBesideTheSlowHost() {
    RunAnalysis run =
        run(
            Way.PAYLOAD,
            20,
            8,
            (step, worker) -> worker == 0 ? 1500 : worker == 2 || worker == 3 ? 250 : 200);
    assertThat(of(run, Kind.SLOW_WORKER)).hasSize(1);
    assertThat(instances(run, of(run, Kind.SLOW_WORKER).get(0))).containsExactly("w0");
  }
}
