package io.rollotel.traces.report;

import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Ranks of a cluster of workers that have no span, although the others say how many there are.
 *
 * @param cluster its name; empty if unknown
 * @param ranks those without a span
 */
public record MissingRanks(String cluster, int worldSize, List<Integer> ranks) {

  /** A larger number is no number of workers. */
  private static final int LARGEST = 100_000;

  private static final int NAME_COLUMNS = 40;

  private record Cluster(String name, int worldSize) implements Comparable<Cluster> {
    @Override
    public int compareTo(Cluster other) {
      int order = name.compareTo(other.name);
      return order != 0 ? order : Integer.compare(worldSize, other.worldSize);
    }
  }

  /**
   * Those of a run's processes. Services are no clusters: each rank may be a service of its own.
   */
  static List<MissingRanks> of(List<TracedProcess> processes) {
    Map<Cluster, BitSet> present = new TreeMap<>();
    for (TracedProcess process : processes) {
      int worldSize = number(process.worldSize());
      int rank = number(process.rank());
      if (worldSize > 1 && worldSize <= LARGEST && rank >= 0 && rank < worldSize) {
        present
            .computeIfAbsent(
                new Cluster(process.clusterName(), worldSize), none -> new BitSet(worldSize))
            .set(rank);
      }
    }
    List<MissingRanks> all = new ArrayList<>();
    present.forEach(
        (cluster, ranks) -> {
          BitSet missing = new BitSet(cluster.worldSize);
          missing.set(0, cluster.worldSize);
          missing.andNot(ranks);
          if (!missing.isEmpty()) {
            all.add(
                new MissingRanks(
                    cluster.name, cluster.worldSize, missing.stream().boxed().toList()));
          }
        });
    return all;
  }

  /** -1 if it is none. */
  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /**
   * A sentence without its end.
   *
   * @param most so many ranges of ranks are named
   */
  public String inWords(int most) {
    return ranks.size()
        + " of "
        + worldSize
        + " ranks of "
        + (cluster.isEmpty() ? "the workers" : TextFormat.name(cluster, NAME_COLUMNS))
        + (ranks.size() == 1 ? " has" : " have")
        + " no span in these files: "
        + ranges(most)
        + "; they wrote elsewhere, or do not trace";
  }

  /** Neighbours are a range: {@code 0, 4 to 7}. */
  private String ranges(int most) {
    List<String> ranges = new ArrayList<>();
    for (int i = 0; i < ranks.size(); ) {
      int last = i;
      while (last + 1 < ranks.size() && ranks.get(last + 1) == ranks.get(last) + 1) {
        last++;
      }
      ranges.add(
          ranks.get(i) + (last == i ? "" : (last == i + 1 ? ", " : " to ") + ranks.get(last)));
      i = last + 1;
    }
    return ranges.stream().limit(most).collect(Collectors.joining(", "))
        + (ranges.size() > most ? ", ..." : "");
  }
}
