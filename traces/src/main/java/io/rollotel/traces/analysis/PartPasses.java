package io.rollotel.traces.analysis;

import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.Span;
import io.rollotel.traces.spans.Spans;
import java.io.IOException;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Processes the parts of some traces, several times. All spans of a trace are in one part, even if
 * {@link Spans#joinCalls} joins several traces.
 */
public interface PartPasses {

  /** How many parts there are. */
  int parts();

  /** Called if more passes are needed than expected. */
  void more(int number);

  /**
   * The spans of a part, with the numbers of others.
   *
   * @throws IOException if the part cannot be read
   */
  Spans read(int part, Spans numbers) throws IOException;

  /**
   * Passes on the spans of chosen traces, as {@link TraceParts#read(int, Predicate)} returns them.
   *
   * @param traceIds as {@code joins} makes them
   * @throws IOException if a part cannot be read
   */
  void read(Set<String> traceIds, CallJoins joins, Consumer<Span> sink) throws IOException;

  /**
   * Works on each part.
   *
   * @param numbers the numbers that the spans of the parts have
   * @param all receives the results
   * @throws IOException if a part cannot be read
   */
  <T> void each(Spans numbers, PartWork<T> work, T all) throws IOException;
}
