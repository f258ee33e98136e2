package io.rollotel.agent.ledger;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** The rules of {@link Ledger}: each call is counted once, and a flag that was set stays so. */
final class LedgerStress {

  private LedgerStress() {}

  /** Two threads call one method, and each exports spans. */
  @JCStressTest
  @Description("Two calls of one method at once, and two exports: all are counted.")
  @Outcome(id = "2, 1, 3", expect = Expect.ACCEPTABLE, desc = "all are counted")
  @Outcome(expect = Expect.FORBIDDEN, desc = "one was not")
  @State
  public static class Counting {

    private final Ledger ledger = new Ledger();
    private final Ledger.Entry method = ledger.entry("com.acme.Worker", "step", "()V");

    @Actor
    public void first() {
      method.countWithoutContext();
      method.setRecorded();
      ledger.exported(1);
    }

    @Actor
    public void second() {
      method.countWithoutContext();
      method.setRecorded();
      ledger.exported(2);
    }

    @Arbiter
    public void counts(III_Result result) {
      result.r1 = (int) method.withoutContext();
      result.r2 = method.isRecorded() ? 1 : 0;
      result.r3 = (int) ledger.exportedSpans();
    }
  }
}
