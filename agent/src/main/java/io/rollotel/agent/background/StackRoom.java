package io.rollotel.agent.background;

/**
 * Makes sure that a thread has some stack left before it begins tracing. If the stack ends while a
 * class is initialised, nobody can use that class any more, and tracing would be off for the rest
 * of the process.
 */
public final class StackRoom {

  /** More than twice what the first traced call takes on any JDK. */
  private static final int FRAMES = 1_000;

  private StackRoom() {}

  /**
   * Returns if there is room.
   *
   * @throws StackOverflowError if not; nothing has begun, so a later call can try again
   */
  public static void require() {
    descend(FRAMES);
  }

  /** Something remains to be done after the inner call, so that each call has a frame. */
  private static int descend(int frames) {
    return frames == 0 ? 0 : descend(frames - 1) + 1;
  }
}
