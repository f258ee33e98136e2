package io.rollotel.it;

import io.rollotel.annotations.Register;
import org.jspecify.annotations.Nullable;

/**
 * Runs out of its stack through traced frames, again and again, and goes on each time. Takes how
 * often.
 */
@SuppressWarnings("roll-otel:no-carrier") // the current span is the parent
public final class StackOverflowWorker {

  private static final int STACK_BYTES = 512 << 10;

  /** Enough for the JVM to compile the code of a call. */
  private static final int WARM_UPS = 1_000;

  private static final int WARM_UP_DEPTH = 10;

  private StackOverflowWorker() {}

  /** Prints how often it caught the error. */
  public static void main(String[] arguments) throws InterruptedException {
    int times = Integer.parseInt(arguments[0]);
    Thread deep = new Thread(null, () -> overflow(times), "deep", STACK_BYTES);
    deep.start();
    deep.join();
  }

  private static void overflow(int times) {
    warmUp();
    int caught = 0;
    for (int i = 0; i < times; i++) {
      try {
        descend(Integer.MAX_VALUE, null);
      } catch (StackOverflowError e) {
        caught++;
      }
      after();
    }
    System.out.println("caught " + caught);
  }

  /**
   * The same calls with room on the stack. If the JVM first initialises a class where the stack
   * ends, nobody can use that class any more.
   */
  private static void warmUp() {
    for (int i = 0; i < WARM_UPS; i++) {
      try {
        descend(WARM_UP_DEPTH, i % 2 == 0 ? new Mute() : new StackOverflowError("made"));
      } catch (StackOverflowError made) {
        // The others take the same path.
      }
    }
  }

  @Register(trace = true)
  private static int descend(int frames, @Nullable StackOverflowError last) {
    if (frames == 0) {
      if (last != null) {
        throw last;
      }
      return 0;
    }
    return descend(frames - 1, last) + 1;
  }

  @Register(trace = true)
  private static void after() {}

  /** Tracing cannot print it, as at the end of the stack. */
  private static final class Mute extends StackOverflowError {

    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }
  }
}
