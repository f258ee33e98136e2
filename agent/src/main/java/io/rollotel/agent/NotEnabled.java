package io.rollotel.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Warns that tracing is off if any of its settings is set, except the one that enables it. Loaded
 * only in that case. Byte code of Java 8, like its caller's.
 */
final class NotEnabled {

  private static final int MOST_NAMED = 5;

  /** Two letters exchanged. */
  private static final int MOST_WRONG_LETTERS = 2;

  private NotEnabled() {}

  /** One line, or none if the settings ask for silence. */
  static void say(String arguments) {
    List<String> given = given(arguments);
    String log = value("LOG", arguments);
    boolean onlyLog = given.size() == 1 && key(given.get(0)).equals("LOG");
    // With a verbose log level, says why there are no traces.
    boolean wantsMore = log.equals("info") || log.equals("debug");
    if (given.isEmpty() || log.equals("off") || (onlyLog && !wantsMore)) {
      return;
    }
    String meant = null;
    for (String name : given) {
      if (isNearly(key(name))) {
        meant = name;
      }
    }
    System.err.println(
        "[roll-otel] tracing is off: set ROLL_OTEL_ENABLED=1 ("
            + (meant != null
                ? "there is no setting " + meant
                : "it is not set, but " + listed(given) + (given.size() == 1 ? " is" : " are"))
            + ")");
  }

  /** The settings of tracing that are set, by their names. */
  private static List<String> given(String arguments) {
    List<String> given = new ArrayList<String>();
    for (Map.Entry<String, String> variable : System.getenv().entrySet()) {
      if (variable.getKey().startsWith(Agent.VARIABLE) && !variable.getValue().trim().isEmpty()) {
        given.add(variable.getKey());
      }
    }
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith(Agent.PROPERTY) && !System.getProperty(name, "").trim().isEmpty()) {
        given.add(name);
      }
    }
    Collections.sort(given);
    for (String argument : (arguments == null ? "" : arguments).split(",", -1)) {
      if (!argument.trim().isEmpty()) {
        given.add("the agent's argument " + argument.split("=", 2)[0].trim());
      }
    }
    return given;
  }

  private static String listed(List<String> given) {
    int named = Math.min(given.size(), MOST_NAMED);
    StringBuilder list = new StringBuilder();
    for (int i = 0; i < named; i++) {
      list.append(i == 0 ? "" : i == given.size() - 1 ? " and " : ", ").append(given.get(i));
    }
    int more = given.size() - named;
    return list + (more == 0 ? "" : " and " + more + " more");
  }

  /** A setting of the table, from any source. */
  private static String key(String name) {
    String key = name.substring(name.lastIndexOf(' ') + 1).toUpperCase(Locale.ROOT);
    key = key.replace('.', '_').replace('-', '_');
    return key.startsWith(Agent.VARIABLE) ? key.substring(Agent.VARIABLE.length()) : key;
  }

  private static String value(String key, String arguments) {
    return Agent.value(key, arguments).toLowerCase(Locale.ROOT);
  }

  /** Whether a letter or two of ENABLED are missing, wrong, exchanged or too many, in one place. */
  private static boolean isNearly(String key) {
    String wanted = Agent.ENABLED;
    int longest = Math.max(key.length(), wanted.length());
    int shortest = Math.min(key.length(), wanted.length());
    int start = 0;
    while (start < shortest && key.charAt(start) == wanted.charAt(start)) {
      start++;
    }
    int end = 0;
    while (end < shortest - start
        && key.charAt(key.length() - 1 - end) == wanted.charAt(wanted.length() - 1 - end)) {
      end++;
    }
    int wrong = longest - start - end;
    return wrong > 0 && wrong <= MOST_WRONG_LETTERS; // a name without a typing error has no value
  }
}
