package io.rollotel.traces.analysis;

/**
 * Spans of one name for which nobody waited, since they outlived their step. They are on no
 * critical path, whatever they took.
 *
 * @param name the number of the name
 * @param count how many these stand for
 * @param totalNanos what they took
 * @param longest the span that took the most
 */
public record OverlappedWork(int name, long count, long totalNanos, int longest) {}
