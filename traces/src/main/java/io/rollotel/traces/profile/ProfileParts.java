package io.rollotel.traces.profile;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The activity in spans, by their name and, on request, by their process. */
final class ProfileParts {

  /** Used instead of a process: for all. */
  static final int ALL = -1;

  private final Stacks stacks;
  private final Map<Long, RunProfile.Part> parts = new HashMap<>();

  ProfileParts(Stacks stacks) {
    this.stacks = stacks;
  }

  /** The activity in spans of a name in a process, to which more can be added. */
  Breakdown of(int name, int process) {
    long key = (long) name << Integer.SIZE | (process & 0xffff_ffffL);
    return parts
        .computeIfAbsent(key, none -> new RunProfile.Part(name, process, new Breakdown(stacks)))
        .breakdown();
  }

  void add(ProfileParts other) {
    other.all().forEach(part -> of(part.name(), part.process()).add(part.breakdown()));
  }

  /** In no order. */
  Collection<RunProfile.Part> all() {
    return parts.values();
  }

  /** The one with the most time first. */
  List<RunProfile.Part> sorted() {
    List<RunProfile.Part> sorted = new ArrayList<>(parts.values());
    sorted.sort(
        Comparator.comparingDouble((RunProfile.Part part) -> part.breakdown().totalNanos())
            .reversed()
            .thenComparingInt(RunProfile.Part::name)
            .thenComparingInt(RunProfile.Part::process));
    return sorted;
  }
}
