package io.rollotel.agent.settings;

import java.util.List;

/** What somebody may have meant who misspelt a name. */
final class NearestName {

  private NearestName() {}

  static String of(String name, List<String> names) {
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
