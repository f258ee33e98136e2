package io.rollotel.traces.settings;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One setting, an entry of a table. Everything that concerns settings reads the tables: the parser,
 * {@code doctor}, {@code attach}, the variables of Ray jobs, and docs/configuration.md.
 *
 * @param <T> what its text means
 */
public final class Setting<T> {

  /** The readers of a setting, which determine where to set it. */
  public enum Reader {
    /** The agent, in each process. */
    PROCESS("each process"),
    /** The agent of the process that leads the run. */
    DRIVER("driver"),
    /** The collector: a driver's, or {@code collect}. */
    COLLECTOR("collector"),
    /** The library that users call, which cannot ask the agent and reads the setting itself. */
    LIBRARY("telemetry");

    private final String label;

    Reader(String label) {
      this.label = label;
    }

    /** Its name in one or two words. */
    public String label() {
      return label;
    }
  }

  /** The prefix of environment variables. */
  public static final String VARIABLE_PREFIX = "ROLL_OTEL_";

  /** The prefix of system properties. */
  public static final String PROPERTY_PREFIX = "roll.otel.";

  /** The meaning of a setting that shares its row with the preceding one. */
  public static final String AS_ABOVE = "";

  private final String name;
  private final Parser<T> parser;
  private final @Nullable String otherwise;
  private final @Nullable String defaultInWords;
  private final String meaning;
  private final List<Reader> readers;
  private final boolean forWorkers;

  private Setting(
      String name,
      Parser<T> parser,
      @Nullable String otherwise,
      @Nullable String defaultInWords,
      String meaning,
      List<Reader> readers,
      boolean forWorkers) {
    this.name = name;
    this.parser = parser;
    this.otherwise = otherwise;
    this.defaultInWords = defaultInWords;
    this.meaning = meaning;
    this.readers = readers;
    this.forWorkers = forWorkers;
  }

  /**
   * A setting that each process reads, and that a driver passes on to its workers.
   *
   * @param name the name of its environment variable, without {@link #VARIABLE_PREFIX}
   * @param otherwise its default as the user would write it; null if there is none
   * @param meaning for docs/configuration.md, in Markdown; or {@link #AS_ABOVE}
   */
  public static <T> Setting<T> of(
      String name, Parser<T> parser, @Nullable String otherwise, String meaning) {
    return new Setting<>(name, parser, otherwise, null, meaning, List.of(Reader.PROCESS), true);
  }

  /** The same with a default in words, in Markdown. */
  public Setting<T> defaultInWords(String words) {
    return new Setting<>(name, parser, otherwise, words, meaning, readers, forWorkers);
  }

  /** The same, read only by these. */
  public Setting<T> readBy(Reader... others) {
    return new Setting<>(
        name, parser, otherwise, defaultInWords, meaning, List.of(others), forWorkers);
  }

  /**
   * The same, but drivers do not pass it on to their workers: it applies to one process, or to the
   * driver.
   */
  public Setting<T> notForWorkers() {
    return new Setting<>(name, parser, otherwise, defaultInWords, meaning, readers, false);
  }

  /** The name of its environment variable, without {@link #VARIABLE_PREFIX}. */
  public String name() {
    return name;
  }

  /** Its environment variable. */
  public String variable() {
    // Does not use the plus operator: a JVM's first one loads dozens of classes, and this runs
    // before main.
    return VARIABLE_PREFIX.concat(name);
  }

  /** Its system property. */
  public String property() {
    return property(name);
  }

  /** The system property of the setting with this name. */
  public static String property(String name) {
    return PROPERTY_PREFIX.concat(name.toLowerCase(Locale.ROOT).replace('_', '.'));
  }

  /** Its default for documents, in Markdown; empty if there is none. */
  public String shownDefault() {
    if (defaultInWords != null) {
      return defaultInWords;
    }
    return otherwise == null ? "" : "`" + otherwise + "`";
  }

  /** Its meaning, in Markdown, or {@link #AS_ABOVE}. */
  public String meaning() {
    return meaning;
  }

  /** Who reads it. */
  public List<Reader> readers() {
    return readers;
  }

  /** Whether a driver passes its value on to its workers. */
  public boolean isForWorkers() {
    return forWorkers;
  }

  /** Its default; null if there is none, or its reader determines one. */
  public @Nullable T defaultValue() {
    return otherwise == null ? null : parser.parse(otherwise);
  }

  /**
   * Parses a text.
   *
   * @param given the user's value; null for none
   * @param complaints receives a line if it is invalid; then the default applies
   */
  public @Nullable T read(@Nullable String given, List<String> complaints) {
    T value = understood(given, complaints);
    return value == null ? defaultValue() : value;
  }

  /** Parses a text; null if there is none, or it is invalid. */
  public @Nullable T understood(@Nullable String given, List<String> complaints) {
    T value = given == null ? null : parser.parse(given);
    if (given != null && value == null) {
      complaints.add(variable() + "=" + given + " is not understood; it takes " + parser.takes());
    }
    return value;
  }

  /** A value as shown by {@code doctor}. */
  public String shown(T value) {
    return parser.shown(value);
  }

  @Override
  public String toString() {
    return variable();
  }
}
