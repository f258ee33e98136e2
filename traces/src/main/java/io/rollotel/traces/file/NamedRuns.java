package io.rollotel.traces.file;

import java.util.Set;
import java.util.TreeSet;

/**
 * What a file says about runs.
 *
 * @param ids the runs that it names
 * @param firstStartNanos when its first span started, since 1970; {@link #UNKNOWN} without spans
 */
record NamedRuns(Set<String> ids, long firstStartNanos) {

  static final long UNKNOWN = Long.MAX_VALUE;

  /** The same with what a later part of the file says. */
  NamedRuns plus(NamedRuns later) {
    Set<String> all = new TreeSet<>(ids);
    all.addAll(later.ids);
    return new NamedRuns(all, Math.min(firstStartNanos, later.firstStartNanos));
  }
}
