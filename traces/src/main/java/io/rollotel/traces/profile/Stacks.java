package io.rollotel.traces.profile;

import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Stack traces and texts, each a number. */
final class Stacks {

  /** In place of a stack: there is none. */
  static final int NONE = 0;

  private static final List<String> PLATFORM =
      List.of("java.", "javax.", "jdk.", "sun.", "com.sun.", "io.rollotel.agent.");

  private final Map<String, Integer> textNumbers = new HashMap<>();
  private final List<String> texts = new ArrayList<>();
  private final Map<IntBuffer, Integer> stackNumbers = new HashMap<>();
  private final List<int[]> stacks = new ArrayList<>();

  Stacks() {
    text("");
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
   * The number of a stack.
   *
   * @param frames texts such as {@code com.acme.Actor.generate}, the innermost first
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
   * The innermost method that is not the platform's; of a stack that is the platform's alone the
   * innermost; empty where there is no stack.
   */
  String method(int stack) {
    int[] frames = frames(stack);
    for (int frame : frames) {
      if (!isPlatform(texts.get(frame))) {
        return texts.get(frame);
      }
    }
    return frames.length == 0 ? "" : texts.get(frames[0]);
  }

  /** Whether it is a method of the JDK or of the agent. */
  static boolean isPlatform(String method) {
    for (String prefix : PLATFORM) {
      if (method.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }
}
