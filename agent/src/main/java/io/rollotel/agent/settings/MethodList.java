package io.rollotel.agent.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Methods that are traced without an annotation: {@code ROLL_OTEL_METHODS}, a list of {@code
 * com.acme.Worker[train,gen*];com.acme.rl.**[run]}.
 *
 * <p>In a class's name {@code *} stands for any part of one name, {@code **} for any number of
 * packages and names; in a method's name {@code *} stands for anything.
 */
public final class MethodList {

  /** One entry of the list. */
  private record Entry(
      String className, Pattern classes, AtomicBoolean loaded, List<Method> methods) {

    /** The entry with only those of its methods that have matched none. */
    String unmatched() {
      return methods.stream()
          .filter(method -> !method.matched.get())
          .map(Method::name)
          .collect(Collectors.joining(",", className + "[", "]"));
    }

    boolean isMatched() {
      return methods.stream().allMatch(method -> method.matched.get());
    }
  }

  /** One of the names between an entry's brackets. */
  private record Method(String name, Pattern pattern, AtomicBoolean matched) {}

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
    List<Method> patterns = new ArrayList<>();
    for (String method : methods) {
      String name = method.trim();
      if (!name.matches(NAME)) {
        return false;
      }
      Pattern pattern = Pattern.compile(glob(name, ".*", ".*"));
      patterns.add(new Method(name, pattern, new AtomicBoolean()));
    }
    if (!className.matches(NAME + "(\\." + NAME + ")*")) {
      return false;
    }
    entries.add(
        new Entry(
            className,
            Pattern.compile(glob(className, ".*", "[^.]*")),
            new AtomicBoolean(),
            patterns));
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
      if (entry.classes.matcher(className).matches()) {
        return true;
      }
    }
    return false;
  }

  /** Whether an entry names this class, whose methods will be looked at: it counts as loaded. */
  public boolean namesLoaded(String className) {
    boolean found = false;
    for (Entry entry : entries) {
      if (entry.classes.matcher(className).matches()) {
        entry.loaded.set(true);
        found = true;
      }
    }
    return found;
  }

  /** Whether an entry names this method. Each of its names that fits then counts as matched. */
  public boolean names(String className, String method) {
    boolean found = false;
    for (Entry entry : entries) {
      if (entry.classes.matcher(className).matches()) {
        for (Method one : entry.methods) {
          if (one.pattern.matcher(method).matches()) {
            one.matched.set(true);
            found = true;
          }
        }
      }
    }
    return found;
  }

  /** Whether any name has matched a method so far. */
  public boolean isAnyMatched() {
    return entries.stream()
        .flatMap(entry -> entry.methods.stream())
        .anyMatch(method -> method.matched.get());
  }

  /** A line for each entry whose class was loaded, but which names methods that are not there. */
  public List<String> undeclared() {
    return entries.stream()
        .filter(entry -> entry.loaded.get() && !entry.isMatched())
        .map(
            entry ->
                "ROLL_OTEL_METHODS: "
                    + entry.unmatched()
                    + " matched no method: the loaded classes of that name declare none that can be"
                    + " traced")
        .toList();
  }

  /** A line for all entries whose classes were not loaded, which are often meant for other JVMs. */
  public Optional<String> notLoaded() {
    String notLoaded =
        entries.stream()
            .filter(entry -> !entry.loaded.get() && !entry.isMatched())
            .map(Entry::unmatched)
            .collect(Collectors.joining(";"));
    return notLoaded.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "ROLL_OTEL_METHODS: "
                + notLoaded
                + " matched no method: this JVM has loaded no such class that can be traced;"
                + " another JVM may");
  }
}
