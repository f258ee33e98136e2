package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;

/**
 * The traces of a directory in parts, each small enough for memory. All spans of a trace are in one
 * part, even if {@link Spans#joinCalls} joins several traces.
 */
public interface TraceParts {

  /** How many parts there are. */
  int count();

  /**
   * Adds the spans of a part, each once, to an empty object, with the attributes that it reads. Any
   * thread; several parts at once.
   *
   * @throws IOException if the part cannot be read
   */
  void read(int part, Spans spans) throws IOException;

  /**
   * Chosen traces of a part, with all attributes, events and links of their spans.
   *
   * @param isWanted receives the original trace ids of spans
   * @throws IOException if the part cannot be read
   */
  List<Span> read(int part, Predicate<String> isWanted) throws IOException;
}
