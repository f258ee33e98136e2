package io.rollotel.it;

import io.rollotel.annotations.Register;

/** Runs out of its stack through traced frames, again and again, and goes on each time. */
@SuppressWarnings("roll-otel:no-carrier") // the current span is the parent
public final class StackOverflowWorker {

  private static final int TIMES = 20;

  private StackOverflowWorker() {}

  /** Prints how often it caught the error. */
  public static void main(String[] arguments) throws Exception {
    Thread deep =
        new Thread(
            null,
            () -> {
              int caught = 0;
              for (int i = 0; i < TIMES; i++) {
                try {
                  descend(0);
                } catch (StackOverflowError e) {
                  caught++;
                }
                after();
              }
              System.out.println("caught " + caught);
            },
            "deep",
            1 << 20);
    deep.start();
    deep.join();
  }

  @Register(trace = true)
  private static int descend(int depth) {
    return depth < 0 ? 0 : descend(depth + 1) + 1;
  }

  @Register(trace = true)
  private static void after() {}
}
