package io.rollotel.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The clock is the test's. */
class FirstMinuteTest {

  private static final long BORN = 1_000_000;
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private final AtomicInteger begun = new AtomicInteger();
  private final Account account = new Account(() -> {});
  private final FirstMinute minute =
      new FirstMinute(account, Settings.read("", Map.of()), begun::incrementAndGet);

  @Test
  void nothingExported_isSaidAfterAMinuteAndOnce() {
    account.woven("acme.Worker", "train", "()V", Account.Use.TRACE);
    account.trouble("http://collector: refused");
    try (Stderr stderr = new Stderr()) {
      assertThat(minute.round(BORN)).isEqualTo(MINUTE);
      assertThat(minute.round(BORN + MINUTE - 1)).as("woken early").isEqualTo(1);
      assertThat(stderr.lines()).isEmpty();
      assertThat(minute.round(BORN + MINUTE)).as("the thread ends").isNegative();
      assertThat(stderr.lines())
          .containsExactly(
              "[roll-otel] no span was exported in the first minute: methods woven: 1,"
                  + " called: 0; 0 spans exported, 0 dropped; role auto; last trouble:"
                  + " http://collector: refused");
    }
    assertThat(begun).hasValue(1);
  }

  @Test
  void spansThatWereExported_needNoLine() {
    account.exported(3);
    try (Stderr stderr = new Stderr()) {
      minute.round(BORN);
      assertThat(minute.round(BORN + MINUTE)).isNegative();
      assertThat(stderr.lines()).isEmpty();
    }
  }

  @Test
  void spansThatWentToAnothersSdk_needNoLine() {
    account.woven("acme.Worker", "train", "()V", Account.Use.TRACE);
    account.methods().iterator().next().setRecorded();
    account.throughOthers();
    try (Stderr stderr = new Stderr()) {
      minute.round(BORN);
      assertThat(minute.round(BORN + MINUTE)).isNegative();
      assertThat(stderr.lines()).isEmpty();
    }
  }
}
