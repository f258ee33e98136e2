package io.rollotel.agent.weave;

import java.util.ArrayList;
import java.util.List;

/**
 * Facts about a method that weaving knows and linking needs. They are one string constant in the
 * woven class, since the hook in between uses only JDK types.
 *
 * @param className the class's name, as in {@link Class#getName()}
 * @param name the method's name
 * @param descriptor the method's descriptor in the class file
 * @param returnType the name of the type that the method returns
 * @param traced false for {@code @Register(trace = false)}
 * @param spanName the span's name
 * @param kind the span's kind, by its name; {@link #PHASE} for a phase of a worker call
 * @param expected the names of the exceptions that are no errors
 * @param arguments the arguments that the woven code passes on, in their order
 */
public record WovenMethod(
    String className,
    String name,
    String descriptor,
    String returnType,
    boolean traced,
    String spanName,
    String kind,
    List<String> expected,
    List<Argument> arguments) {

  /** Used instead of a span's kind: {@code @Phase}. */
  public static final String PHASE = "PHASE";

  /** {@code MetaInfoCarrier}'s method, and the getters of payloads that do not implement it. */
  public static final List<String> META_INFO_GETTERS =
      List.of("metaInfo", "getMetaInfo", "getMeta_info", "meta_info");

  /**
   * A character that no class name has in this form, including arrays; names may contain spaces
   * (JVMS 4.2.2).
   */
  private static final String SEPARATOR = "/";

  /** In place of a line break in a name, which obfuscators may make; in no name or descriptor. */
  private static final String BREAK = "[.";

  /** Why an argument is passed on. */
  public enum Use {
    /** Its type may carry meta_info; linking finds out. */
    CANDIDATE,
    /** A list or an array of such. */
    CANDIDATES,
    /** It is the meta_info: {@code @MetaInfo}. */
    META_INFO,
    /** It becomes a span attribute: {@code @SpanAttribute}. */
    ATTRIBUTE
  }

  /**
   * One argument.
   *
   * @param use why it is passed on
   * @param type its declared type, as in {@link Class#getName()}; that of the elements for {@link
   *     Use#CANDIDATES}
   * @param key the attribute's key, otherwise empty
   */
  public record Argument(Use use, String type, String key) {}

  /** Whether it is a phase of a worker call, and no worker method. */
  public boolean isPhase() {
    return kind.equals(PHASE);
  }

  /** The string constant, with a line for each fact. */
  public String format() {
    StringBuilder text = new StringBuilder();
    for (String line : List.of(className, name, descriptor, returnType, Boolean.toString(traced))) {
      text.append(onOneLine(line)).append('\n');
    }
    text.append(oneLine(spanName)).append('\n').append(kind).append('\n');
    text.append(onOneLine(String.join(SEPARATOR, expected)));
    for (Argument argument : arguments) {
      text.append('\n').append(argument.use).append(SEPARATOR);
      text.append(onOneLine(argument.type));
      text.append(SEPARATOR).append(oneLine(argument.key));
    }
    return text.toString();
  }

  /** The reverse of {@link #format}. */
  public static WovenMethod parse(String text) {
    String[] lines = text.split("\n", -1);
    List<Argument> arguments = new ArrayList<>();
    for (int i = 8; i < lines.length; i++) {
      String[] parts = lines[i].split(SEPARATOR, 3);
      arguments.add(new Argument(Use.valueOf(parts[0]), name(parts[1]), parts[2]));
    }
    return new WovenMethod(
        name(lines[0]),
        name(lines[1]),
        name(lines[2]),
        name(lines[3]),
        Boolean.parseBoolean(lines[4]),
        lines[5],
        lines[6],
        lines[7].isEmpty() ? List.of() : List.of(name(lines[7]).split(SEPARATOR)),
        List.copyOf(arguments));
  }

  private static String onOneLine(String name) {
    return name.replace("\n", BREAK);
  }

  private static String name(String onOneLine) {
    return onOneLine.replace(BREAK, "\n");
  }

  private static String oneLine(String text) {
    return text.replace('\n', ' ').replace('\r', ' ');
  }
}
