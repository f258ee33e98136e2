package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTags;
import io.rollotel.traces.spans.Spans;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What is done with each part of some traces. It goes to where the parts are, which may be another
 * JVM, and what it finds comes back: so it has all that it needs, and the results are serializable
 * as well, if they come from {@link #none}. One object may work on several parts at once.
 *
 * @param <T> what is found; that of parts adds up to that of all, in any order and grouping
 */
public interface PartWork<T> extends Serializable {

  /** What there is to be found in no part at all. */
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

  /** Adds what was found in other parts, to which nothing will be added any more. */
  void add(T all, T found);
}
