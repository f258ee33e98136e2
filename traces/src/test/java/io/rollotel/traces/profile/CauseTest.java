package io.rollotel.traces.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CauseTest {

  private final Stacks stacks = new Stacks();

  private Breakdown of(Object... activitiesAndNanos) {
    Breakdown breakdown = new Breakdown(stacks);
    for (int i = 0; i < activitiesAndNanos.length; i += 3) {
      breakdown.add(
          (Activity) activitiesAndNanos[i],
          stacks.text((String) activitiesAndNanos[i + 1]),
          (Integer) activitiesAndNanos[i + 2]);
    }
    return breakdown;
  }

  private @Nullable Cause cause(Breakdown slow, Breakdown peers) {
    slow.countSpan();
    peers.countSpan();
    peers.countSpan();
    return Cause.of(slow, peers, 90);
  }

  @Test
  void activityThatHasGrownMost_isTheCauseWithWhatHasGrownInIt() {
    Cause cause =
        cause(
            of(Activity.RUNNING, "", 100, Activity.LOCK, "a", 70, Activity.LOCK, "b", 110),
            of(Activity.RUNNING, "", 160, Activity.LOCK, "a", 120));
    assertThat(cause).isNotNull();
    assertThat(cause.activity()).isEqualTo(Activity.LOCK);
    assertThat(cause.what()).isEqualTo("b");
    assertThat(cause.share()).isCloseTo(120 / 140.0, within(0.001));
    assertThat(cause.heapPercent()).isZero();
  }

  @Test
  void collections_haveTheHeap() {
    Cause cause = cause(of(Activity.GC_PAUSE, "", 50), of(Activity.RUNNING, "", 20));
    assertThat(cause).isNotNull();
    assertThat(cause.heapPercent()).isEqualTo(90);
    assertThat(cause.share()).as("the others do less of something").isEqualTo(1);
  }

  @Test
  void spansThatAreHardlyLonger_haveNone() {
    assertThat(cause(of(Activity.RUNNING, "", 100), of(Activity.SLEEPING, "", 194))).isNull();
  }

  @Test
  void timeThatNobodyKnows_isNone() {
    assertThat(cause(of(Activity.NO_PROFILE, "", 100), of(Activity.RUNNING, "", 20))).isNull();
    assertThat(cause(of(Activity.UNEXPLAINED, "", 100), of(Activity.RUNNING, "", 20))).isNull();
  }

  @Test
  void oneSideWithoutSpans_isNone() {
    Breakdown some = of(Activity.RUNNING, "", 1);
    some.countSpan();
    assertThat(Cause.of(of(), some, 0)).isNull();
    assertThat(Cause.of(some, of(), 0)).isNull();
  }
}
