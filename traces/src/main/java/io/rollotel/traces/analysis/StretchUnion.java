package io.rollotel.traces.analysis;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * The union of periods that come in parts. Parts are kept separately until they are as large as the
 * union so far, so each period is copied only a few times, however many parts there are.
 *
 * <p>A part may become the union itself, so nothing may be added to it any more.
 */
final class StretchUnion implements Serializable {

  private Stretches union;
  private final List<Stretches> parts = new ArrayList<>();
  private int inParts;

  StretchUnion(Stretches first) {
    this.union = first;
  }

  void add(Stretches part) {
    parts.add(part);
    inParts += part.count();
    if (inParts > union.count()) {
      get();
    }
  }

  /** All of them. */
  Stretches get() {
    // Short ones first, two by two, as in a sort.
    while (parts.size() > 1) {
      List<Stretches> halves = new ArrayList<>();
      for (int i = 0; i + 1 < parts.size(); i += 2) {
        halves.add(Stretches.union(parts.get(i), parts.get(i + 1)));
      }
      if (parts.size() % 2 == 1) {
        halves.add(parts.get(parts.size() - 1));
      }
      parts.clear();
      parts.addAll(halves);
    }
    if (!parts.isEmpty()) {
      union = Stretches.union(union, parts.get(0));
      parts.clear();
      inParts = 0;
    }
    return union;
  }
}
