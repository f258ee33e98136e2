package io.rollotel.agent.ledger;

import static org.assertj.core.api.Assertions.assertThat;

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

  @ParameterizedTest
  @CsvSource({"0, 0", "999, 999", "1000, '1,000'", "1234567, '1,234,567'"})
  void number_isGroupedWhateverTheLocale(long count, String text) {
    assertThat(Ledger.number(count)).isEqualTo(text);
  }
}
