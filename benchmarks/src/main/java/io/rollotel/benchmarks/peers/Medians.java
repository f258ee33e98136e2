package io.rollotel.benchmarks.peers;

import io.rollotel.benchmarks.Figures;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The figures of each contender's runs, and their medians. */
final class Medians {

  private final Map<Contender, Figures> figures = new EnumMap<>(Contender.class);

  /** Adds the figures of one run of the program named {@code what}. */
  void keep(Contender contender, String what, Map<String, Double> run) {
    figures.computeIfAbsent(contender, none -> new Figures()).add(what + ".", run);
  }

  /** In the order of the runs; none if it was not measured. */
  List<Double> all(Contender contender, String what) {
    Figures ofContender = figures.get(contender);
    return ofContender == null ? List.of() : ofContender.all(what);
  }

  /** NaN if it was not measured. */
  double of(Contender contender, String what) {
    return Figures.median(all(contender, what));
  }
}
