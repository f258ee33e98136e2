package io.rollotel.benchmarks.peers;

import io.rollotel.benchmarks.Figures;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the runs of each contender said, and the median of it. */
final class Medians {

  private final Map<Contender, Map<String, List<Double>>> figures = new EnumMap<>(Contender.class);

  /** Adds the figures of one run of what is named {@code what}. */
  void keep(Contender contender, String what, Map<String, Double> run) {
    run.forEach(
        (name, value) ->
            figures
                .computeIfAbsent(contender, none -> new HashMap<>())
                .computeIfAbsent(what + "." + name, none -> new ArrayList<>())
                .add(value));
  }

  /** In the order of the runs; none where it was not measured. */
  List<Double> all(Contender contender, String what) {
    return figures.getOrDefault(contender, Map.of()).getOrDefault(what, List.of());
  }

  /** NaN where it was not measured. */
  double of(Contender contender, String what) {
    return Figures.median(all(contender, what));
  }
}
