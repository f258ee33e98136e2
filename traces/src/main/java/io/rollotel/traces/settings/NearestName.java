package io.rollotel.traces.settings;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Suggests a name for a misspelled one. */
public final class NearestName {

  private NearestName() {}

  /**
   * The shortest name that begins with this text, otherwise a name that differs in at most about a
   * third of its letters; null if there is none.
   */
  public static @Nullable String closeTo(String text, List<String> names) {
    String longer = null;
    for (String name : names) {
      if (name.startsWith(text) && (longer == null || name.length() < longer.length())) {
        longer = name;
      }
    }
    if (longer != null) {
      return longer;
    }
    String nearest = names.isEmpty() ? null : of(text, names);
    return nearest == null || distance(text, nearest) > (text.length() + 2) / 3 ? null : nearest;
  }

  /** The name with the fewest letters to change, at most so many; null if there is none. */
  public static @Nullable String within(int changes, String text, List<String> names) {
    String nearest = names.isEmpty() ? null : of(text, names);
    return nearest == null || distance(text, nearest) > changes ? null : nearest;
  }

  /** The name with the fewest letters to change. */
  private static String of(String name, List<String> names) {
    String nearest = names.get(0);
    for (String known : names) {
      if (distance(name, known) < distance(name, nearest)) {
        nearest = known;
      }
    }
    return nearest;
  }

  /** Levenshtein's edit distance. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substitute = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substitute, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
