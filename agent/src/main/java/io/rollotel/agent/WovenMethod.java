package io.rollotel.agent;

import java.util.ArrayList;
import java.util.List;

/**
 * What weaving knows of a method and linking needs: it travels as one string constant in the woven
 * class, since the hook between the two speaks JDK types alone.
 *
 * @param name the method's name
 * @param traced false for {@code @Register(trace = false)}
 * @param spanName the span's name
 * @param arguments the arguments that the woven code passes on, in their order
 */
public record WovenMethod(String name, boolean traced, String spanName, List<Argument> arguments) {

  /** Why an argument is passed on. */
  public enum Use {
    /** Its type may turn out to carry meta_info; known at linking. */
    CANDIDATE,
    /** It is the meta_info: {@code @MetaInfo}. */
    META_INFO,
    /** It becomes a span attribute: {@code @SpanAttribute}. */
    ATTRIBUTE
  }

  /**
   * One argument.
   *
   * @param use why it is passed on
   * @param type its declared type, as in {@link Class#getName()}
   * @param key the attribute's key, else empty
   */
  public record Argument(Use use, String type, String key) {}

  /** The string constant: a line each. */
  public String format() {
    StringBuilder text = new StringBuilder();
    text.append(name).append('\n').append(traced).append('\n').append(oneLine(spanName));
    for (Argument argument : arguments) {
      text.append('\n').append(argument.use).append(' ').append(argument.type);
      text.append(' ').append(oneLine(argument.key));
    }
    return text.toString();
  }

  /** The reverse of {@link #format}. */
  public static WovenMethod parse(String text) {
    String[] lines = text.split("\n", -1);
    List<Argument> arguments = new ArrayList<>();
    for (int i = 3; i < lines.length; i++) {
      String[] parts = lines[i].split(" ", 3);
      arguments.add(new Argument(Use.valueOf(parts[0]), parts[1], parts[2]));
    }
    return new WovenMethod(
        lines[0], Boolean.parseBoolean(lines[1]), lines[2], List.copyOf(arguments));
  }

  private static String oneLine(String text) {
    return text.replace('\n', ' ').replace('\r', ' ');
  }
}
