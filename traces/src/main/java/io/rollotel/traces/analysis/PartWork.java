package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Work on each part of some traces. It is sent to the parts, which may be in another JVM, and its
 * result is sent back. So it carries everything it needs, and results that come from {@link #none}
 * are serializable as well. One object may work on several parts at once.
 *
 * @param <T> the result; results for parts add up to that for all, in any order and grouping
 */
public interface PartWork<T> extends Serializable {

  /** The result for no parts. */
  T none();

  /**
   * Makes a place for all attributes of a part's spans; null if the analysis's own attributes are
   * enough.
   */
  default @Nullable SpanTags tags() {
    return null;
  }

  /** Looks at a part; the spans may be changed. */
  T of(Spans spans);

  /** Adds the result for other parts, which is not used afterwards. */
  void add(T all, T found);
}
