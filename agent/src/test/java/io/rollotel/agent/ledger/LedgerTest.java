package io.rollotel.agent.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.hook.TraceHook;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LedgerTest {

  private final Ledger ledger = new Ledger();

  @Test
  void firstMethodToWeave_beginsTheLedgerWovenOrNot() {
    ledger.leftAlone("acme.Worker", "train", "()V");
    assertThat(ledger.isBegun()).isFalse();
    ledger.failed("acme.Worker", "play", "()V", "too large");
    assertThat(ledger.isBegun()).isTrue();
  }

  @Test
  void wovenAfterAFailure_isWoven() {
    ledger.failed("acme.Worker", "train", "()V", "not seen");
    ledger.woven("acme.Worker", "train", "()V", Ledger.Use.TRACE);
    assertThat(ledger.methods()).singleElement().matches(Ledger.Entry::isWoven);
    ledger.failed("acme.Worker", "this JVM does not change it");
    assertThat(ledger.methods()).singleElement().matches(entry -> !entry.isWoven());
  }

  @Test
  void methodsBeyondTheBound_areForgotten() {
    for (int i = 0; i < 30_000; i++) {
      ledger.woven("acme.Worker", "m" + i, "()V", Ledger.Use.TRACE);
    }
    assertThat(ledger.methods()).hasSize(20_000);
  }

  @Test
  void failuresInsideTracing_areInTheLineOfTheSpans() {
    assertThat(ledger.spans()).isEqualTo("0 spans exported, 0 dropped");
    TraceHook.failed(new StackOverflowError()); // the application's own
    TraceHook.failed(new OutOfMemoryError());
    assertThat(ledger.spans())
        .isEqualTo(
            "0 spans exported, 0 dropped, 1 failure inside tracing (each may have cost a span)");
    TraceHook.failed(new IllegalStateException());
    assertThat(ledger.spans()).contains(", 2 failures inside tracing");
    assertThat(new Ledger().spans()).isEqualTo("0 spans exported, 0 dropped");
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "999, 999", "1000, '1,000'", "1234567, '1,234,567'"})
  void number_isGroupedWhateverTheLocale(long count, String text) {
    assertThat(Ledger.number(count)).isEqualTo(text);
  }
}
