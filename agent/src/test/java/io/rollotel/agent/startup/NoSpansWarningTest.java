package io.rollotel.agent.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.api.ApiCopies;
import io.rollotel.agent.api.SharedParts;
import io.rollotel.agent.api.Shutdown;
import io.rollotel.agent.api.TracingCopies;
import io.rollotel.agent.ledger.ExitReport;
import io.rollotel.agent.ledger.Ledger;
import io.rollotel.agent.log.Stderr;
import io.rollotel.agent.settings.CurrentSettings;
import io.rollotel.agent.settings.Settings;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The clock is the test's. */
class NoSpansWarningTest {

  private static final long BORN = 1_000_000;
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private final Ledger account = new Ledger();
  private final CurrentSettings settings = new CurrentSettings(Settings.read("", Map.of()));
  private final Shutdown shutdown =
      new Shutdown(
          null,
          settings,
          new SharedParts(settings, () -> {}),
          new TracingCopies(),
          new ExitReport(settings, account));
  private final NoSpansWarning minute = new NoSpansWarning(account, settings, shutdown);

  @AfterEach
  void leaveNoExitHook() {
    new ApiCopies(
            settings, new SharedParts(settings, () -> {}), account, new TracingCopies(), shutdown)
        .detach();
  }

  @Test
  void nothingExported_isSaidAfterAMinuteAndOnce() {
    account.woven("acme.Worker", "train", "()V", Ledger.Use.TRACE);
    account.trouble("http://collector: refused");
    try (Stderr stderr = new Stderr()) {
      assertThat(minute.round(BORN)).isEqualTo(MINUTE);
      assertThat(minute.round(BORN + MINUTE - 1)).as("woken early").isEqualTo(1);
      assertThat(stderr.lines()).isEmpty();
      assertThat(minute.round(BORN + MINUTE)).as("the thread ends").isNegative();
      assertThat(stderr.lines())
          .containsExactly(
              "[roll-otel] no span was exported in the first minute: methods woven: 1,"
                  + " called: 0; 0 spans exported, 0 dropped; role auto; last problem:"
                  + " http://collector: refused");
    }
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
    account.woven("acme.Worker", "train", "()V", Ledger.Use.TRACE);
    account.methods().iterator().next().setRecorded();
    account.throughOthers();
    try (Stderr stderr = new Stderr()) {
      minute.round(BORN);
      assertThat(minute.round(BORN + MINUTE)).isNegative();
      assertThat(stderr.lines()).isEmpty();
    }
  }
}
