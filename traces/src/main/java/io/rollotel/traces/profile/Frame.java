package io.rollotel.traces.profile;

import java.util.List;

/**
 * A place in the code.
 *
 * @param method such as {@code com.acme.Actor.generate}
 * @param line in the file of its class; 0 if unknown
 */
public record Frame(String method, int line) {

  private static final List<String> PLATFORM =
      List.of("java.", "javax.", "jdk.", "sun.", "com.sun.", "io.rollotel.agent.");

  /** The method alone. */
  public Frame withoutLine() {
    return line == Stacks.NO_LINE ? this : new Frame(method, Stacks.NO_LINE);
  }

  /** Whether it is the JDK's or the agent's. */
  public boolean isPlatform() {
    for (String prefix : PLATFORM) {
      if (method.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }
}
