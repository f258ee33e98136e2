package io.rollotel.agent.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/**
 * Methods that are traced without an annotation: {@code ROLL_OTEL_METHODS}, a list of {@code
 * com.acme.Worker[train,gen*];com.acme.rl.**[run]}.
 *
 * <p>In a class's name {@code *} stands for any part of one name, {@code **} for any number of
 * packages and names; in a method's name {@code *} stands for anything.
 */
public final class MethodList {

  /** One entry of the list. */
  private record Entry(String text, Pattern className, Pattern methods, AtomicBoolean matched) {}

  /** A Java name, with wildcards; inner classes by their binary names. */
  private static final String NAME = "[\\p{L}\\p{N}_$*]+";

  private final List<Entry> entries = new ArrayList<>();

  private MethodList() {}

  /** A list that names nothing. */
  public static MethodList none() {
    return new MethodList();
  }

  /** Reads a list; reports and skips every invalid entry. */
  static MethodList parse(String text, List<String> complaints) {
    MethodList list = new MethodList();
    for (String entry : text.split(";", -1)) {
      if (!entry.isBlank() && !list.add(entry.trim())) {
        complaints.add(
            "ROLL_OTEL_METHODS: "
                + entry.trim()
                + " is not understood; it takes com.acme.Worker[train,gen*];com.acme.rl.**[run]");
      }
    }
    return list;
  }

  private boolean add(String entry) {
    int open = entry.indexOf('[');
    if (open <= 0 || !entry.endsWith("]")) {
      return false;
    }
    String className = entry.substring(0, open).trim();
    String[] methods = entry.substring(open + 1, entry.length() - 1).split(",", -1);
    StringBuilder alternatives = new StringBuilder();
    for (String method : methods) {
      if (!method.trim().matches(NAME)) {
        return false;
      }
      alternatives.append(alternatives.isEmpty() ? "" : "|");
      alternatives.append(glob(method.trim(), ".*", ".*"));
    }
    if (!className.matches(NAME + "(\\." + NAME + ")*")) {
      return false;
    }
    entries.add(
        new Entry(
            entry,
            Pattern.compile(glob(className, ".*", "[^.]*")),
            Pattern.compile(alternatives.toString()),
            new AtomicBoolean()));
    return true;
  }

  private static String glob(String name, String doubleStar, String star) {
    StringBuilder pattern = new StringBuilder();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c != '*') {
        pattern.append(Pattern.quote(String.valueOf(c)));
      } else if (i + 1 < name.length() && name.charAt(i + 1) == '*') {
        pattern.append(doubleStar);
        i++;
      } else {
        pattern.append(star);
      }
    }
    return pattern.toString();
  }

  /** Whether the list is empty: then no class needs to be checked. */
  public boolean isEmpty() {
    return entries.isEmpty();
  }

  /**
   * Whether an entry names this class.
   *
   * @param className as in {@link Class#getName()}
   */
  public boolean namesClass(String className) {
    for (Entry entry : entries) {
      if (entry.className.matcher(className).matches()) {
        return true;
      }
    }
    return false;
  }

  /** Whether an entry names this method. That entry then counts as matched. */
  public boolean names(String className, String method) {
    boolean found = false;
    for (Entry entry : entries) {
      if (entry.className.matcher(className).matches() && entry.methods.matcher(method).matches()) {
        entry.matched.set(true);
        found = true;
      }
    }
    return found;
  }

  /** The entries that have named no method so far. */
  public List<String> unmatched() {
    return entries.stream().filter(entry -> !entry.matched.get()).map(Entry::text).toList();
  }
}
