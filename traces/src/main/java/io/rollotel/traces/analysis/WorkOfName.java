package io.rollotel.traces.analysis;

/**
 * Spans with one name that no step's path and no phase has ({@link RunTotals#overlappedWork},
 * {@link RunTotals#outsideWork}).
 *
 * @param name the name's number
 * @param count how many they stand for
 * @param totalNanos their total time
 * @param longest the longest span
 */
public record WorkOfName(int name, long count, long totalNanos, int longest) {}
