package io.rollotel.traces.profile;

import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Stack traces, their frames, and texts, each a number. */
final class Stacks {

  /** Used instead of a stack, a frame or a text if there is none. */
  static final int NONE = 0;

  /** Of a frame whose line is not known. */
  static final int NO_LINE = 0;

  private final Map<String, Integer> textNumbers = new HashMap<>();
  private final List<String> texts = new ArrayList<>();
  private final Map<Frame, Integer> frameNumbers = new HashMap<>();
  private final List<Frame> frames = new ArrayList<>();
  private final Map<IntBuffer, Integer> stackNumbers = new HashMap<>();
  private final List<int[]> stacks = new ArrayList<>();

  Stacks() {
    text("");
    frame("", NO_LINE);
    stack(new int[0]);
  }

  /** The number of a text; 0 is the empty one. */
  int text(String text) {
    Integer known = textNumbers.get(text);
    if (known != null) {
      return known;
    }
    texts.add(text);
    textNumbers.put(text, texts.size() - 1);
    return texts.size() - 1;
  }

  String text(int number) {
    return texts.get(number);
  }

  /**
   * The number of a frame. There are as many frames as lines of code that were seen running, which
   * is far fewer than the entries of all stacks.
   *
   * @param method such as {@code com.acme.Actor.generate}
   * @param line a number that is not positive is none
   */
  int frame(String method, int line) {
    Frame frame = new Frame(method, Math.max(NO_LINE, line));
    Integer known = frameNumbers.get(frame);
    if (known != null) {
      return known;
    }
    Frame kept = new Frame(text(text(method)), frame.line()); // one text for all of its lines
    frames.add(kept);
    frameNumbers.put(kept, frames.size() - 1);
    return frames.size() - 1;
  }

  Frame frame(int number) {
    return frames.get(number);
  }

  /**
   * The number of a stack.
   *
   * @param frames the innermost first
   */
  int stack(int[] frames) {
    IntBuffer byContent = IntBuffer.wrap(frames);
    Integer known = stackNumbers.get(byContent);
    if (known != null) {
      return known;
    }
    stacks.add(frames);
    stackNumbers.put(byContent, stacks.size() - 1);
    return stacks.size() - 1;
  }

  /** The frames of a stack, the innermost first. */
  int[] frames(int stack) {
    return stacks.get(stack);
  }

  /**
   * The innermost frame that is not the platform's; the innermost frame if all are the platform's;
   * an empty method if there is no stack.
   */
  Frame innermost(int stack) {
    int[] numbers = frames(stack);
    for (int number : numbers) {
      if (!frames.get(number).isPlatform()) {
        return frames.get(number);
      }
    }
    return frames.get(numbers.length == 0 ? NONE : numbers[0]);
  }

  /** The method of {@link #innermost}. */
  String method(int stack) {
    return innermost(stack).method();
  }
}
