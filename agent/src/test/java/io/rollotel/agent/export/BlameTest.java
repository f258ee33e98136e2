package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.ledger.Ledger;
import org.junit.jupiter.api.Test;

class BlameTest {

  private final Ledger ledger = new Ledger();
  private final Blame blame = new Blame(ledger);

  @Test
  void threeLinesInARow_bringTheEndpointUnderSuspicion() {
    assertThat(blame.skipped()).isEqualTo(1);
    assertThat(blame.skipped()).isEqualTo(2);
    assertThat(blame.isSuspected()).isFalse();
    assertThat(blame.skipped()).isEqualTo(3);
    assertThat(blame.isSuspected()).isTrue();
    blame.forget();
    assertThat(blame.isSuspected()).isFalse();
  }

  @Test
  void lineThatIsTaken_endsTheRow() {
    blame.skipped();
    blame.skipped();
    blame.taken();
    blame.forget();
    blame.skipped();
    assertThat(blame.isSuspected()).isFalse();
  }

  @Test
  void refusedSpans_areToBlameOnceOthersAreTaken() {
    blame.skipped();
    assertThat(blame.isOfSpans()).isFalse();
    ledger.exported(1); // a live one
    assertThat(blame.isOfSpans()).isTrue();
  }

  @Test
  void linesThatAreGivenUp_needOthersTakenSinceTheLastOfThem() {
    blame.skipped();
    ledger.exported(1);
    blame.ended(0);
    assertThat(blame.isOfSpans()).isTrue();
    blame.ended(0);
    assertThat(blame.isOfSpans()).isFalse();
    ledger.exported(1);
    assertThat(blame.isOfSpans()).isTrue();
  }
}
