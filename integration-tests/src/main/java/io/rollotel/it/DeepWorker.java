package io.rollotel.it;

import io.rollotel.annotations.Register;

/**
 * Makes its first traced call near the end of the stack, and five more afterwards. Takes how many
 * frames of its own have returned before the first.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class DeepWorker {

  private static final int CALLS = 5;

  private static int framesToLeave;

  private DeepWorker() {}

  /** Prints that it is done. */
  public static void main(String[] arguments) {
    framesToLeave = Integer.parseInt(arguments[0]);
    dive();
    for (int i = 0; i < CALLS; i++) {
      work();
    }
    System.out.println("done");
  }

  @SuppressWarnings("InfiniteRecursion") // that is the point
  private static void dive() {
    try {
      dive();
    } catch (StackOverflowError e) {
      if (framesToLeave > 0) {
        framesToLeave--;
        throw e;
      }
      callOnce();
    }
  }

  private static void callOnce() {
    try {
      work();
    } catch (StackOverflowError asExpected) {
      // Like any call of the program here.
    }
  }

  @Register(trace = true)
  private static void work() {}
}
