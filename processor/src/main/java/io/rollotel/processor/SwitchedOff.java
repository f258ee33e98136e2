package io.rollotel.processor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The warnings that a project turns off: {@code -Aroll.otel.off=no-carrier,override}. */
final class SwitchedOff {

  static final String OPTION = "roll.otel.off";

  private static final String PREFIX = "roll-otel:";

  private final Set<Rule> rules = EnumSet.noneOf(Rule.class);
  private final List<String> complaints = new ArrayList<>();

  /**
   * Reads the option's value.
   *
   * @param given null if the option is not given
   */
  SwitchedOff(@Nullable String given) {
    for (String name : given == null ? new String[0] : given.split(",", -1)) {
      if (!name.isBlank()) {
        add(name.strip());
      }
    }
  }

  private void add(String name) {
    String code = name.startsWith(PREFIX) ? name : PREFIX + name;
    Rule rule =
        Arrays.stream(Rule.values())
            .filter(one -> one.code().equals(code))
            .findFirst()
            .orElse(null);
    if (rule == null) {
      complaints.add(
          "-A"
              + OPTION
              + " names a rule that does not exist: "
              + name
              + ". These can be switched off: "
              + warnings()
              + ".");
    } else if (!rule.isWarning()) {
      complaints.add(
          "-A"
              + OPTION
              + "="
              + name
              + " has no effect: the rule is an error and cannot be switched off. What it names"
              + " cannot work.");
    } else {
      rules.add(rule);
    }
  }

  private static String warnings() {
    return Arrays.stream(Rule.values())
        .filter(Rule::isWarning)
        .map(rule -> rule.code().substring(PREFIX.length()))
        .collect(Collectors.joining(", "));
  }

  boolean contains(Rule rule) {
    return rules.contains(rule);
  }

  /** A message for each name that is not that of a warning. */
  List<String> complaints() {
    return complaints;
  }
}
