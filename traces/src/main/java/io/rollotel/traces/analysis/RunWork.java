package io.rollotel.traces.analysis;

import io.rollotel.traces.spans.SpanTags;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Work on the traces of a run that are read in parts. Like {@link PartWork}, it is sent to the
 * parts, and its result is sent back.
 *
 * @param <T> the result; results for parts add up to that for all, in any order and grouping
 */
public interface RunWork<T> extends Serializable {

  /** The result for no traces. */
  T none();

  /** The result for some traces. Any thread; several parts at once. */
  T of(RunAnalysis part);

  /** Adds the result for other traces, which is not used afterwards. */
  void add(T all, T made);

  /**
   * Makes a place for all attributes of a part's spans; null if the analysis's own attributes are
   * enough.
   */
  default @Nullable SpanTags tags() {
    return null;
  }
}
