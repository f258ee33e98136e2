package io.rollotel.traces.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The files whose spans count in one reading, and their order. Any thread. */
final class LiveSources {

  private static final int DEAD = -1;

  private final int[] ranks;

  LiveSources(Manifest manifest) {
    ranks = new int[manifest.nextSource];
    Arrays.fill(ranks, DEAD);
    for (Source source : manifest.sources) {
      ranks[source.id] = source.rank;
    }
  }

  boolean isLive(int source) {
    return ranks[source] != DEAD;
  }

  /** The blocks in the order in which a reader of the files meets their first spans. */
  List<PartitionFiles.Place> ordered(List<PartitionFiles.Place> places) {
    List<PartitionFiles.Place> ordered = new ArrayList<>(places);
    ordered.sort(
        Comparator.<PartitionFiles.Place>comparingInt(place -> ranks[place.header().source()])
            .thenComparingLong(place -> place.header().offset()));
    return ordered;
  }
}
