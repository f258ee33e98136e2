package io.rollotel.agent.background;

/** Makes sure that a thread has some stack left before it begins what must not be cut off. */
public final class StackRoom {

  /** More than twice what the first traced call takes on any JDK. */
  private static final int FRAMES_TO_BEGIN = 1_000;

  private StackRoom() {}

  /**
   * Returns if there is room to begin tracing. If the stack ended while a class is initialised,
   * nobody could use that class any more, and tracing would be off for the rest of the process.
   *
   * @throws StackOverflowError if not; nothing has begun, so a later call can try again
   */
  public static void require() {
    require(FRAMES_TO_BEGIN);
  }

  /**
   * Returns if there is room for so many frames.
   *
   * @throws StackOverflowError if not
   */
  public static void require(int frames) {
    descend(frames);
  }

  /** Something remains to be done after the inner call, so that each call has a frame. */
  private static int descend(int frames) {
    return frames == 0 ? 0 : descend(frames - 1) + 1;
  }
}
