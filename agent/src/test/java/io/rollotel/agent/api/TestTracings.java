package io.rollotel.agent.api;

/** Copies for tests in other packages. */
public final class TestTracings {

  private TestTracings() {}

  public static TracingCopies of(Tracing tracing) {
    TracingCopies copies = new TracingCopies();
    copies.add(tracing);
    return copies;
  }
}
