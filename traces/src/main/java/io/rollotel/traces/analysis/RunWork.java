package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTags;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What somebody makes of the traces of a run that come in parts. It goes to where the parts are,
 * and what it makes comes back, as of {@link PartWork}.
 *
 * @param <T> what is made; that of parts adds up to that of all, in any order and grouping
 */
public interface RunWork<T> extends Serializable {

  /** What is made of no trace at all. */
  T none();

  /** What is made of some traces. Any thread; several parts at once. */
  T of(RunAnalysis part);

  /** Adds what was made of other traces, to which nothing will be added any more. */
  void add(T all, T made);

  /**
   * Makes a place for all attributes of a part's spans; null if the analysis's own attributes are
   * enough.
   */
  default @Nullable SpanTags tags() {
    return null;
  }
}
