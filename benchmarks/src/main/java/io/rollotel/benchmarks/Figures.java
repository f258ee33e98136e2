package io.rollotel.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The figures of several runs. */
public final class Figures {

  private final Map<String, List<Double>> values = new HashMap<>();

  /** None yet. */
  public Figures() {}

  /** Adds those of one run, each name behind the prefix. */
  public void add(String prefix, Map<String, Double> run) {
    run.forEach(
        (name, value) ->
            values.computeIfAbsent(prefix + name, none -> new ArrayList<>()).add(value));
  }

  double median(String name) {
    return median(all(name));
  }

  /** In the order of the runs; none if there were none. */
  public List<Double> all(String name) {
    return values.getOrDefault(name, List.of());
  }

  /** The ratios of figures of alternating runs, pair by pair. */
  public static List<Double> ratios(List<Double> of, List<Double> to) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < Math.min(of.size(), to.size()); i++) {
      ratios.add(of.get(i) / to.get(i));
    }
    return ratios;
  }

  /** The least and the most of some values, as a remark beside their median. */
  public static String range(List<Double> values, String of) {
    return values.isEmpty()
        ? ""
        : String.format(
            Locale.ROOT,
            "%.2f to %.2f in %d %s",
            Collections.min(values),
            Collections.max(values),
            values.size(),
            of);
  }

  /** NaN of none. */
  public static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int half = sorted.size() / 2;
    if (sorted.isEmpty()) {
      return Double.NaN;
    }
    return sorted.size() % 2 == 1
        ? sorted.get(half)
        : (sorted.get(half - 1) + sorted.get(half)) / 2;
  }
}
