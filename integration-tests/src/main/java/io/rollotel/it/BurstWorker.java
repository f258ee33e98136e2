package io.rollotel.it;

import io.rollotel.annotations.Register;

/** Makes the given number of calls as fast as it can, and ends. */
public final class BurstWorker {

  private static int sum;

  private BurstWorker() {}

  /** Takes their number. */
  public static void main(String[] arguments) {
    int calls = Integer.parseInt(arguments[0]);
    for (int i = 0; i < calls; i++) {
      step(i);
    }
    System.out.println("sum " + sum % 2);
  }

  @Register(trace = true)
  @SuppressWarnings("roll-otel:no-carrier") // each is a root
  private static void step(int i) {
    sum += i;
  }
}
