package io.rollotel.traces.analysis;

/**
 * Spans with one name that outlived their step, or on which their caller gave up ({@link
 * AbandonedCalls}). They are on no critical path, however long they took.
 *
 * @param name the name's number
 * @param count how many they stand for
 * @param totalNanos their total time
 * @param longest the longest span
 */
public record OverlappedWork(int name, long count, long totalNanos, int longest) {}
