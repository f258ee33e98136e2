package io.rollotel.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccountTest {

  private final AtomicInteger first = new AtomicInteger();
  private final Account account = new Account(first::incrementAndGet);

  @Test
  void firstAnnotatedClass_isTold() {
    account.leftAlone("acme.Worker", "train", "()V");
    assertThat(first).hasValue(0);
    account.failed("acme.Worker", "play", "()V", "too large");
    account.woven("acme.Worker", "train", "(I)V", Account.Use.TRACE);
    assertThat(first).hasValue(1);
  }

  @Test
  void wovenAfterAFailure_isWoven() {
    account.failed("acme.Worker", "train", "()V", "not seen");
    account.woven("acme.Worker", "train", "()V", Account.Use.TRACE);
    assertThat(account.methods()).singleElement().matches(Account.Entry::isWoven);
    account.failed("acme.Worker", "this JVM does not change it");
    assertThat(account.methods()).singleElement().matches(entry -> !entry.isWoven());
  }

  @Test
  void methodsBeyondTheBound_areForgotten() {
    for (int i = 0; i < 30_000; i++) {
      account.woven("acme.Worker", "m" + i, "()V", Account.Use.TRACE);
    }
    assertThat(account.methods()).hasSize(20_000);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "999, 999", "1000, '1,000'", "1234567, '1,234,567'"})
  void number_isGroupedWhateverTheLocale(long count, String text) {
    assertThat(Account.number(count)).isEqualTo(text);
  }
}
