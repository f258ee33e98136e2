package io.rollotel.traces.query;

import io.rollotel.traces.query.Term.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a query; {@code page-query.js} is its twin, and both pass the same tests. */
final class QueryParser {

  private static final Map<String, Double> UNITS =
      Map.of(
          "ns", 1.0, "us", 1e3, "µs", 1e3, "μs", 1e3, "ms", 1e6, "s", 1e9, "m", 60e9, "h", 3600e9);

  private static final Pattern TIME =
      Pattern.compile("(" + Term.NUMBER.pattern() + ")(ns|us|µs|μs|ms|s|m|h)?");

  private static final Pattern ASTERISKS = Pattern.compile("\\*+");

  private static final Map<String, Kind> KEYS =
      Map.ofEntries(
          Map.entry("name", Kind.TEXT),
          Map.entry("worker", Kind.TEXT),
          Map.entry("service", Kind.TEXT),
          Map.entry("host", Kind.TEXT),
          Map.entry("trace", Kind.TEXT),
          Map.entry("span", Kind.TEXT),
          Map.entry("rank", Kind.WORD),
          Map.entry("pid", Kind.WORD),
          Map.entry("step", Kind.WORD),
          Map.entry("dur", Kind.TIME),
          Map.entry("start", Kind.TIME),
          Map.entry("queue", Kind.TIME),
          Map.entry("status", Kind.CHOICE),
          Map.entry("path", Kind.CHOICE));

  private static final Map<String, List<String>> CHOICES =
      Map.of("status", List.of("error", "ok", "open"), "path", List.of("yes", "no"));

  /** Longer ones first. */
  private static final List<String> OPERATORS = List.of("!=", ">=", "<=", ":", "=", ">", "<");

  private final String text;
  private int at;

  QueryParser(String text) {
    this.text = text;
  }

  /** Alternatives: all terms of one of them must match. None for a blank text. */
  List<List<Term>> parse() throws QueryException {
    List<List<Term>> alternatives = new ArrayList<>();
    List<Term> terms = new ArrayList<>();
    int jointAt = -1; // an OR or AND, which needs a term on either side
    for (skipBlanks(); !isAtEnd(); skipBlanks()) {
      String joint = joint();
      if (joint.isEmpty()) {
        jointAt = -1;
        terms.add(term());
        continue;
      }
      if (jointAt >= 0 || terms.isEmpty()) {
        throw loneJoint(jointAt >= 0 ? jointAt : at);
      }
      jointAt = at;
      at += joint.length();
      if (joint.equals("OR")) {
        alternatives.add(terms);
        terms = new ArrayList<>();
      }
    }
    if (jointAt >= 0) {
      throw loneJoint(jointAt);
    }
    if (!terms.isEmpty()) {
      alternatives.add(terms);
    }
    return alternatives;
  }

  private QueryException loneJoint(int where) {
    return new QueryException(
        (text.startsWith("OR", where) ? "OR" : "AND")
            + " belongs between two terms. Put it in quotes to search for the word.",
        where);
  }

  /** OR or AND if it is the next word, otherwise empty. */
  private String joint() {
    for (String joint : List.of("OR", "AND")) {
      int end = at + joint.length();
      if (text.startsWith(joint, at) && (end == text.length() || isBlank(text.charAt(end)))) {
        return joint;
      }
    }
    return "";
  }

  private boolean isAtEnd() {
    return at >= text.length();
  }

  private static boolean isBlank(char c) {
    return c <= ' ' || c == '\u00a0' || c == '\u3000';
  }

  private boolean isAtBlank() {
    return isAtEnd() || isBlank(text.charAt(at));
  }

  private void skipBlanks() {
    while (!isAtEnd() && isAtBlank()) {
      at++;
    }
  }

  private Term term() throws QueryException {
    int from = at;
    boolean isNot = text.charAt(at) == '-';
    if (isNot) {
      at++;
      if (isAtBlank()) {
        throw new QueryException(
            "The minus excludes what follows it. Write it without a blank between, such as"
                + " -status:error.",
            from);
      }
    }
    boolean isQuoted = text.charAt(at) == '"';
    int begin = at;
    String key = isQuoted ? quotedText() : keyOrWord();
    // Text that begins with an operator is a word.
    String op = begin == at ? "" : operator();
    at += op.length();
    if (!op.isEmpty()) {
      return field(isNot, key, isQuoted, op);
    }
    if (isQuoted) {
      endOfQuote();
    }
    String word = isQuoted ? key : key + rest();
    return new Term(
        isNot, Kind.FIND, "", "", word.toLowerCase(Locale.ROOT), null, null, word.isEmpty());
  }

  /** Reads until an operator, a blank or the end. */
  private String keyOrWord() {
    int from = at;
    while (!isAtBlank() && operator().isEmpty()) {
      at++;
    }
    return text.substring(from, at);
  }

  private String rest() {
    int from = at;
    while (!isAtBlank()) {
      at++;
    }
    return text.substring(from, at);
  }

  private String quotedText() throws QueryException {
    int from = at;
    StringBuilder quoted = new StringBuilder();
    for (at++; !isAtEnd(); at++) {
      char c = text.charAt(at);
      if (c == '"') {
        at++;
        return quoted.toString();
      }
      if (c == '\\' && at + 1 < text.length()) {
        at++;
      }
      quoted.append(text.charAt(at));
    }
    throw new QueryException("The quote has no end. Close it with \".", from);
  }

  private void endOfQuote() throws QueryException {
    if (!isAtBlank()) {
      throw new QueryException("Put a blank after the closing quote.", at);
    }
  }

  /** The next operator, empty for none. */
  private String operator() {
    for (String op : OPERATORS) {
      if (text.startsWith(op, at)) {
        return op;
      }
    }
    return "";
  }

  private Term field(boolean isNot, String written, boolean isKeyQuoted, String op)
      throws QueryException {
    String lower = written.toLowerCase(Locale.ROOT);
    Kind known = isKeyQuoted ? null : KEYS.get(lower);
    Kind kind = known == null ? Kind.ATTRIBUTE : known;
    String key = known == null ? written : lower;
    int valueAt = at;
    boolean isQuoted = !isAtEnd() && text.charAt(at) == '"';
    String value = isQuoted ? quotedText() : rest();
    if (isQuoted) {
      endOfQuote();
    }
    Term named = new Term(isNot, kind, key, op, "", null, null, false);
    if (named.isOrder() && (kind == Kind.TEXT || kind == Kind.CHOICE)) {
      throw new QueryException(
          key + " has no order. Use :, = or != with it.", valueAt - op.length());
    }
    if (value.isEmpty() && !isQuoted) {
      throw new QueryException(
          "The value is missing. Write, for example, " + example(named) + ".", valueAt);
    }
    if (!isQuoted && !named.isOrder() && ASTERISKS.matcher(value).matches()) {
      return new Term(isNot, kind, key, op, "", null, null, true);
    }
    return switch (kind) {
      case TIME -> new Term(isNot, kind, key, op, "", null, time(key, value, valueAt), false);
      case CHOICE -> new Term(isNot, kind, key, op, choice(key, value, valueAt), null, null, false);
      default -> compared(named, value, isQuoted, valueAt);
    };
  }

  private static String example(Term term) {
    String value =
        switch (term.kind()) {
          case TIME -> "20ms";
          case CHOICE -> choices(term.key()).get(0);
          case TEXT -> "text";
          default -> "3";
        };
    return term.key() + term.op() + value;
  }

  private static List<String> choices(String key) {
    return CHOICES.getOrDefault(key, List.of());
  }

  private static double time(String key, String value, int valueAt) throws QueryException {
    Matcher parts = TIME.matcher(value);
    if (!parts.matches() || (parts.group(2) == null && Double.parseDouble(parts.group(1)) != 0)) {
      throw new QueryException(
          key + " is a time: write a number with ns, us, ms, s, m or h, such as 20ms.", valueAt);
    }
    String unit = parts.group(2);
    return Double.parseDouble(parts.group(1)) * (unit == null ? 1 : UNITS.getOrDefault(unit, 1.0));
  }

  private static String choice(String key, String value, int valueAt) throws QueryException {
    String wanted = value.toLowerCase(Locale.ROOT);
    if (!choices(key).contains(wanted)) {
      throw new QueryException(
          key + " is one of: " + String.join(", ", choices(key)) + ".", valueAt);
    }
    return wanted;
  }

  private static Term compared(Term named, String value, boolean isQuoted, int valueAt)
      throws QueryException {
    Double number = isQuoted ? null : Term.number(value);
    if (named.isOrder() && number == null) {
      Matcher time = TIME.matcher(value);
      throw new QueryException(
          time.matches() && time.group(2) != null
              ? "Only dur, start and queue know units. Write a plain number."
              : named.op() + " needs a number, such as " + example(named) + ".",
          valueAt);
    }
    boolean isFolded =
        named.op().equals(":")
            || (named.kind() == Term.Kind.TEXT
                && (named.key().equals("trace") || named.key().equals("span")));
    String wanted = isFolded ? value.toLowerCase(Locale.ROOT) : value;
    @Nullable List<String> parts =
        !isQuoted && value.contains("*") ? List.of(wanted.split("\\*", -1)) : null;
    return new Term(
        named.isNot(), named.kind(), named.key(), named.op(), wanted, parts, number, false);
  }
}
